#pragma once

#include "sim/learning/rules/batch_sizes.hpp"
#include "sim/vocabulary/run_facts.hpp"

namespace motley {

/// The batch sizes that a run's parameters give the workers. 1 for everybody when the
/// algorithm has none. InputError at `place`, that of "batch_size", when a class has none, there is no
/// such class, or a batch does not fit its class's max_batch.
BatchSizes planned_batches(const Json& parameters, const RunFacts& facts, const Place& place);

}  // namespace motley
