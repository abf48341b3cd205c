#pragma once

#include <cstddef>
#include <optional>

#include "algorithms/support/compensation.hpp"
#include "sim/learning/rules/update_rule.hpp"
#include "sim/scenario/fields.hpp"
#include "sim/vocabulary/server.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

/// What a worker does while the global model is still on its way: od_sgd and its compressed relatives.
struct OneStepDelay {
  enum class LocalRule { sgd, compensated, adaptive };
  std::size_t warm_up = 0;
  std::size_t in_flight = 1;
  LocalRule local_rule = LocalRule::sgd;
  std::optional<double> local_step_size;
  double local_momentum = 0;
  std::optional<ScheduleSpec> local_schedule;
  std::optional<double> lambda;
  double smoothing = 0;

  Compensation compensation() const;
  static Fields<OneStepDelay> fields();
};

/// The server's body, for ever:
///   loop: send x to all;  receive everybody's g_i;  x <- x - eta (1/W) sum_i g_i
[[noreturn]] void serve_with_one_step_delay(Server& me, UpdateRule rule);

/// The worker's body, for ever. After `warm_up` iterations as in sync, at iteration t:
///   g_t <- grad f(w_t; batch samples)
///   wait for W_t, the global model after t updates, on its way since iteration t-1;  send g_t
///   w_{t+1} <- W_t - eta_loc g_t        (from the newest global copy, never accumulating)
/// With in_flight = 2, g_t is sent before W_t is waited for.
/// `correct_every`, if given: every so many iterations of all, g_t is sent in full precision.
[[noreturn]] void work_one_step_ahead(Worker& me, const OneStepDelay& delay, const SgdSpec& sgd,
                                      double updates_per_epoch,
                                      std::optional<std::size_t> correct_every = {});

}  // namespace motley
