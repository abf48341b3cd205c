#include "algorithms/support/gradients_at_newest.hpp"

#include "sim/base/format.hpp"

namespace motley {

void push_gradients_at_newest(Worker& me, std::size_t batch, LateWork late) {
  Model x = me.pull_newest();
  for (;;) {
    std::optional<Gradient> g = me.gradient(x, batch, {.newer_model = late == LateWork::cancel});
    if (g) {
      me.wait_for_pushes();
      me.push(std::move(*g));
    }
    if (std::optional<Model> newer = me.newer_model()) x = std::move(*newer);
  }
}

void check_round_can_end(double gradients, const BatchSizes& batches, const RunFacts& facts,
                         const Place& place) {
  constexpr double most_passes = 1000;
  const double mean_batch = static_cast<double>(batches.sum()) / static_cast<double>(facts.workers);
  const double passes = gradients * mean_batch / static_cast<double>(facts.samples_per_epoch);
  if (passes <= most_passes) return;
  throw InputError(place, "makes a round of about " + significant(gradients) + " gradients, " +
                              significant(passes) +
                              " passes over the data: a run would hardly end; at most " +
                              significant(most_passes) + " passes make a round");
}

}  // namespace motley
