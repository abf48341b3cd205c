#include "algorithms/support/clients.hpp"

#include <algorithm>

#include "sim/vocabulary/draw.hpp"

namespace motley {

std::vector<std::size_t> draw_clients(Server& me, std::size_t count,
                                      const std::set<std::size_t>& but) {
  const auto draw = [&](std::size_t n) {
    return draw_some(me.random("clients"), n, std::min(count, n));
  };
  if (me.workers() > 1 && me.count_present() == me.workers()) {  // no list of them is needed
    std::vector<std::size_t> drawn = draw(me.workers() - but.size());
    auto next = but.begin();
    std::size_t passed = 0;
    for (std::size_t& worker : drawn) {  // counted without those before it that are left out
      for (; next != but.end() && *next <= worker + passed; ++next) ++passed;
      worker += passed;
    }
    return drawn;
  }
  std::vector<std::size_t> candidates = me.present();
  std::erase_if(candidates, [&](std::size_t worker) { return but.contains(worker); });
  std::vector<std::size_t> drawn = draw(candidates.size());
  for (std::size_t& worker : drawn) worker = candidates[worker];
  return drawn;
}

std::vector<float> weights_by_data(std::span<const Push> pushes) {
  double sum = 0;
  for (const Push& push : pushes) sum += static_cast<double>(push.data_samples);
  const double mean = sum / static_cast<double>(pushes.size());
  std::vector<float> weights;
  for (const Push& push : pushes) {
    weights.push_back(static_cast<float>(static_cast<double>(push.data_samples) / mean));
  }
  return weights;
}

ClientsAtWork::ClientsAtWork(Server& me, std::size_t count, const Model& x)
    : me_(me), count_(count), x_(x) {
  me.on_join([this](std::size_t worker) {
    if (works_.contains(worker)) send(worker);  // what it had is lost, and was waited for
  });
}

void ClientsAtWork::send(std::size_t worker) {
  works_.insert(worker);
  me_.send_model(worker, x_);
}

void ClientsAtWork::set_to_work() {
  for (const std::size_t worker : draw_clients(me_, count_ - works_.size(), works_)) send(worker);
}

Push ClientsAtWork::next_push() {
  for (;;) {
    set_to_work();
    Event event = *me_.next_event();
    if (event.kind == Event::Kind::joined) continue;
    works_.erase(event.worker);
    if (event.kind == Event::Kind::message) return std::move(event.message);
  }
}

}  // namespace motley
