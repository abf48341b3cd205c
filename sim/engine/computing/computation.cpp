#include "sim/engine/computing/computation.hpp"

#include <algorithm>

namespace motley {

LookAhead::LookAhead(ThreadPool& pool, std::size_t bytes_of_a_result) : pool_(pool) {
  constexpr std::size_t waiting_per_thread = 4;  // done while the simulation's thread is busy
  constexpr std::size_t bytes_of_results = 64 << 20;
  most_waiting_ = pool.threads() > 1 ? waiting_per_thread * pool.threads() : 0;
  most_results_ = std::max(2 * most_waiting_, bytes_of_results / bytes_of_a_result);
}

void LookAhead::hand_out(Computation& computation) {
  waiting_.erase(waiting_.iterator_to(computation));
  computation.prepare();
  computation.ahead_ = true;
  ahead_.insert(computation);
  pool_.submit(computation.task_, computation.needed_at_);
}

bool LookAhead::has_memory_for(const Computation& first) const {
  if (ahead_.size() < most_results_ / 2) return true;
  if (ahead_.size() >= most_results_) return false;
  auto before = ahead_.begin();
  for (std::size_t i = 0; i < most_waiting_; ++i, ++before) {
    if (before == ahead_.end() || first < *before) return true;  // among the few needed next
  }
  return false;
}

bool LookAhead::has_place_for(const Computation& first) {
  if (pool_.queued() < most_waiting_) return true;
  ThreadPool::Task* last = pool_.take_back_last(first.needed_at_);
  if (last == nullptr) return false;
  // Only computations are needed at a moment to come; all other tasks are needed now.
  Computation& later = static_cast<Computation::Task*>(last)->computation;
  ahead_.erase(ahead_.iterator_to(later));
  later.ahead_ = false;
  later.unprepare();
  waiting_.insert(later);
  return true;
}

void LookAhead::top_up() {
  if (most_waiting_ == 0) return;
  while (!waiting_.empty()) {
    Computation& first = *waiting_.begin();
    if (!has_memory_for(first) || !has_place_for(first)) return;
    hand_out(first);
  }
}

void LookAhead::start(Computation& computation, double needed_at) {
  computation.needed_at_ = needed_at;
  waiting_.insert(computation);
  top_up();
}

void LookAhead::finish(Computation& computation) {
  top_up();  // before this thread gets busy, so that the others have something to do
  if (!computation.ahead_) hand_out(computation);
  computation.ahead_ = false;
  ahead_.erase(ahead_.iterator_to(computation));
  pool_.finish(computation.task_);
}

void LookAhead::withdraw(Computation& computation) noexcept {
  if (!computation.is_linked()) return;
  if (computation.ahead_) {
    computation.ahead_ = false;
    ahead_.erase(ahead_.iterator_to(computation));
    pool_.withdraw(computation.task_);
  } else {
    waiting_.erase(waiting_.iterator_to(computation));
  }
}

}  // namespace motley
