#pragma once

#include <cstddef>

#include "sim/engine/simgrid_generation.hpp"

namespace motley {

/// Lets n of those who wait go on: one call of SimGrid's kernel instead of n.
inline void release(simgrid::s4u::Semaphore& gate, std::size_t n) {
  simgrid::kernel::actor::simcall_answered([&gate, n] {
    for (std::size_t i = 0; i < n; ++i) gate.release();
  });
}

/// A barrier for n actors. SimGrid's own lets those who waited go on one after another through a
/// mutex, which takes as many rounds of its engine as there are actors.
class Gathering {
 public:
  explicit Gathering(std::size_t n) : n_(n) {}

  /// Returns when all n are here.
  void wait() {
    if (++here_ < n_) {
      gate_->acquire();
      return;
    }
    here_ = 0;
    release(*gate_, n_ - 1);
  }

 private:
  std::size_t n_;
  std::size_t here_ = 0;
  simgrid::s4u::SemaphorePtr gate_ = simgrid::s4u::Semaphore::create(0);
};

}  // namespace motley
