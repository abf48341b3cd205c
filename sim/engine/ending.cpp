#include "sim/engine/ending.hpp"

#include <utility>

namespace motley {

void Ending::close_at(double time) {
  over_ = true;
  end_time_ = time;
  network_.close();
  agenda_.close();
}

void Ending::end_at(double time) {
  close_at(time);
  end_->release();
}

void Ending::fail_at(double time, const std::string& reason) {
  failure_ = reason;
  end_at(time);
}

void Ending::deadlock_at(double time, const std::string& reason) {
  failure_ = reason;
  close_at(time);
}

void Ending::stop_if_over() {
  if (!recorder_.stop().stopped() && !over_) return;
  if (!over_) end();
  // Until it is ended with the other daemons. Not suspended: SimGrid 4 cannot suspend an actor that
  // has cancelled an execution.
  never_->acquire();
}

std::function<void(const Message&)> Ending::guarded(std::function<void(const Message&)> handler) {
  return [this, handler = std::move(handler)](const Message& message) {
    guard([&] { handler(message); });
  };
}

}  // namespace motley
