#include "algorithms/support/softsync.hpp"

#include <vector>

namespace motley {

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
      me.step(rule, x, me.weighted_sum(kept, weights));
      me.finish_update(x, kept);
      kept.clear();
    }
    if (push.wants_model) me.send_model(push.sender, x);
  }
}

}  // namespace motley
