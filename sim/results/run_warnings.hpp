#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/results/run_result.hpp"

namespace motley {

/// What a run's result alone does not tell.
struct RunSetting {
  /// Accuracy of naming the most frequent class always, and over how many test samples; 0 without
  /// classes.
  double chance = 0;
  std::size_t test_samples = 0;
  std::uint64_t warm_up_updates = 0;  ///< in which the algorithm does not yet do what it is about
  std::string bound;                  ///< parameter that acts only at times; empty: none
  std::string acted;                  ///< the decision that shows, after the start, that it did
  std::size_t twins = 0;              ///< workers that take, step by step, the time of another one
  std::string caution = {};           ///< what the algorithm says of itself in this setting
};

/// What a reader should know before trusting a run that ended well. Kinds: no_update, no_merge (no
/// model that exists was evaluated after the first), never_moved, chance_level,
/// met_at_start (the initial model meets the target), coarse (the target was crossed between the first
/// two evaluations), in_warm_up, bound_idle (no decision shows that the bound acted, and nothing was
/// discarded), caution (of the algorithm's own), lockstep (workers of an asynchronous algorithm that are
/// alike to the last bit meet at the server's port in every step).
std::vector<RunWarning> warnings_of(const RunResult& result, const RunSetting& setting);

/// Whether it has been warned of that nothing was learnt.
bool got_nowhere(const RunResult& result);

}  // namespace motley
