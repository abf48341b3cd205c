#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sim/engine/platform/simgrid_generation.hpp"
#include "sim/vocabulary/model.hpp"

namespace motley {

/// Lets n of those who wait go on: one call of SimGrid's kernel instead of n.
inline void release(simgrid::s4u::Semaphore& gate, std::size_t n) {
  simgrid::kernel::actor::simcall_answered([&gate, n] {
    for (std::size_t i = 0; i < n; ++i) gate.release();
  });
}

/// A barrier for n actors, who may put down a number each. SimGrid's own lets those who waited go on
/// one after another through a mutex, which takes as many rounds of its engine as there are actors.
class Gathering {
 public:
  explicit Gathering(std::size_t n) : n_(n) {}

  bool are_all_here() const { return here_ == n_; }
  bool lacks_one() const { return here_ + 1 == n_; }
  /// Those who wait go on when the last has come.
  void come() {
    if (++here_ == n_ && waiting_ > 0) release(*gate_, waiting_);
  }
  void put_down(std::size_t member, double number) {
    if (!numbers_) numbers_ = std::make_shared<std::vector<double>>(n_);
    (*numbers_)[member] = number;
  }
  /// Returns when all n are here.
  void wait() {
    if (are_all_here()) return;
    ++waiting_;
    gate_->acquire();
  }
  Notes numbers() const { return numbers_; }

 private:
  std::size_t n_;
  std::size_t here_ = 0;
  std::size_t waiting_ = 0;
  std::shared_ptr<std::vector<double>> numbers_;
  simgrid::s4u::SemaphorePtr gate_ = simgrid::s4u::Semaphore::create(0);
};

/// The gatherings of a group, one after another. A member may have come to several before it waits for
/// the first.
class Gatherings {
 public:
  explicit Gatherings(std::size_t members) : come_to_(members, 0) {}

  /// A member comes to its next one.
  std::shared_ptr<Gathering> come(std::size_t member, std::optional<double> number = {}) {
    const std::uint64_t index = come_to_[member]++ - over_;
    while (open_.size() <= index) open_.push_back(std::make_shared<Gathering>(come_to_.size()));
    std::shared_ptr<Gathering> mine = open_[index];
    if (number) mine->put_down(member, *number);
    // Before others go on, who may come to the next one at once. They come in order, so the first is
    // complete first.
    if (mine->lacks_one()) {
      open_.pop_front();
      ++over_;
    }
    mine->come();
    return mine;
  }

 private:
  std::vector<std::uint64_t> come_to_;  // by member: how many
  std::deque<std::shared_ptr<Gathering>> open_;
  std::uint64_t over_ = 0;
};

}  // namespace motley
