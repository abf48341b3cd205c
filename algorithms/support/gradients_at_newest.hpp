#pragma once

#include <cstddef>

#include "sim/learning/rules/batch_sizes.hpp"
#include "sim/vocabulary/run_facts.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

/// What a worker does with its gradient under way when a newer model comes.
enum class LateWork { cancel, ignore };

/// The worker's body, for ever: one gradient after another at the newest model that has come, each sent
/// to the server. It waits for nothing but its own last push, so that a link slower than its gradients
/// is not flooded. A newer model gives up the work under way at once, or is taken when that is done.
[[noreturn]] void push_gradients_at_newest(Worker& me, std::size_t batch, LateWork late);

/// InputError at `place` when a round of about so many gradients is more than 1000 passes over the data:
/// a run that waits for updates would hardly end.
void check_round_can_end(double gradients, const BatchSizes& batches, const RunFacts& facts,
                         const Place& place);

}  // namespace motley
