#pragma once

#include <cstddef>
#include <optional>

#include "algorithms/support/staleness_scaling.hpp"
#include "sim/vocabulary/run_facts.hpp"
#include "sim/vocabulary/server.hpp"

namespace motley {

/// n-softsync: the server takes the mean of floor(W/n) gradients for one update.
///   W. Zhang, S. Gupta, X. Lian, J. Liu: Staleness-aware Async-SGD for Distributed Deep Learning,
///   arXiv 1511.05950, 2015.
struct Softsync {
  std::optional<std::size_t> softsync;  ///< n

  /// floor(W/n); without n, 1.
  std::size_t pushes_per_update(std::size_t workers) const {
    return softsync ? workers / *softsync : 1;
  }
  /// InputError at `place` when n is above the number of workers.
  void check(const RunFacts& facts, const Place& place) const;

  static Fields<Softsync> fields();
};

/// The server's body, for ever:
///   receive a push from any worker;  keep its gradient
///   when c are kept:  x <- x - eta (1/c) sum_i scale(delta_i) g_i, and none is kept
///   send x to the worker, with or without an update
[[noreturn]] void serve_softsync(Server& me, UpdateRule rule, const StalenessScaling& scaling,
                                 std::size_t pushes_per_update);

}  // namespace motley
