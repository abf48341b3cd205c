#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim/learning/rules/batch_sizes.hpp"
#include "sim/scenario/fields.hpp"
#include "sim/vocabulary/run_facts.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

/// max(1, round(steps v_i / v_fastest)) of each worker: with so many steps all of them are done at
/// the same time, if steps_per_s (up to a factor) are their speeds.
std::vector<std::size_t> steps_by_speed(std::size_t steps, std::span<const double> steps_per_s);

/// How much a worker does at home between two exchanges.
struct LocalWork {
  enum class Spread { equal, speed };
  std::size_t local_steps = 8;
  std::optional<double> local_epochs;
  Spread local_work = Spread::equal;

  /// InputError at `place` for what does not go together.
  void check(const Place& place) const;
  static Fields<LocalWork> fields();
};

/// The same when the run's workers are known.
class LocalSteps {
 public:
  LocalSteps(const LocalWork& work, const BatchSizes& batches, const RunFacts& facts);

  /// H_i of this worker.
  std::size_t of(const Worker& me) const;
  /// No fewer than so many, of the worker of this rank.
  std::size_t at_least(std::size_t rank, const RunFacts& facts) const;
  /// About how many a worker does.
  double mean() const { return mean_; }

 private:
  std::optional<double> epochs_;
  std::vector<std::size_t> batches_;  // by rank
  std::vector<std::size_t> steps_;    // by rank, without epochs_
  double mean_ = 0;
};

}  // namespace motley
