#include "algorithms/support/softsync.hpp"

#include <vector>

namespace motley {
namespace {

/// Where samples differ; equal ones leave the weights as they are, to the bit.
void weigh_by_samples(const std::vector<Push>& pushes, std::vector<float>& weights) {
  double sum = 0;
  for (const Push& push : pushes) sum += static_cast<double>(push.samples);
  const double mean = sum / static_cast<double>(pushes.size());
  for (std::size_t i = 0; i < pushes.size(); ++i) {
    weights[i] *= static_cast<float>(static_cast<double>(pushes[i].samples) / mean);
  }
}

}  // namespace

Fields<Softsync> Softsync::fields() {
  Fields<Softsync> f;
  f.add({.name = "softsync",
         .doc = "n: one update of the mean of floor(W/n) gradients; absent: of every gradient",
         .minimum = 1},
        &Softsync::softsync);
  return f;
}

void Softsync::check(const RunFacts& facts, const Place& place) const {
  if (softsync && *softsync > facts.workers) {
    throw InputError(place / "softsync",
                     "must be at most the number of workers, " + std::to_string(facts.workers),
                     *softsync);
  }
}

void serve_softsync(Server& me, UpdateRule rule, const StalenessScaling& scaling,
                    std::size_t pushes_per_update) {
  Model x = me.initial_model();
  std::vector<Push> kept;
  std::vector<float> weights;
  me.broadcast_model(x);
  for (;;) {
    const Push push = me.next_push();
    if (push.kind == "gradient") kept.push_back(push);
    if (kept.size() == pushes_per_update) {
      weights.clear();
      for (const Push& p : kept) {
        weights.push_back(scaling.scale(me.staleness(p), me.workers()) /
                          static_cast<float>(kept.size()));
      }
      weigh_by_samples(kept, weights);
      me.step(rule, x, me.weighted_sum(kept, weights));
      me.finish_update(x, kept);
      kept.clear();
    }
    if (push.wants_model) me.send_model(push.sender, x);
  }
}

}  // namespace motley
