#pragma once

#include <cstddef>

#include "algorithms/support/staleness_scaling.hpp"
#include "sim/vocabulary/exchange_spec.hpp"
#include "sim/vocabulary/server.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

/// Downpour's n_fetch and n_push: a worker takes steps of its own between two fetches, and pushes the
/// sum of its gradients since the last push.
///   J. Dean et al.: Large Scale Distributed Deep Networks, NIPS 2012.
struct OwnSteps {
  std::size_t fetch_every = 1;
  std::size_t push_every = 1;

  bool any() const { return fetch_every > 1 || push_every > 1; }
  /// InputError at `place` when layers are to travel alone, too.
  void check(const ExchangeSpec& exchange, const Place& place) const;

  static Fields<OwnSteps> fields();
};

/// The worker's body, for ever; `rule` is that of its own steps:
///   every fetch_every-th time: receive x
///   g <- grad f(x; batch samples);   x <- x - eta g;   sum <- sum + g
///   every push_every-th time: send sum, sum <- 0
[[noreturn]] void work_with_own_steps(Worker& me, const OwnSteps& own, std::size_t batch,
                                      UpdateRule rule);

/// The server's body, for ever: a worker may push without wanting a model, or want one without
/// pushing.
[[noreturn]] void serve_own_steps(Server& me, UpdateRule rule, const StalenessScaling& scaling);

}  // namespace motley
