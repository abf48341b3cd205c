#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/core/learning/sgd_rule.hpp"
#include "sim/engine/model.hpp"

namespace motley {

class Simulation;

/// What the parameter server's algorithm can do; see Worker. Updates themselves take no virtual
/// time.
class Server {
 public:
  explicit Server(Simulation& simulation) : simulation_(simulation) {}

  std::size_t workers() const;
  double clock() const;
  Model initial_model() const;

  /// Waits for the next message of any worker, in order of arrival (ties by rank).
  Push next_push();
  /// Waits until every worker has pushed once; in order of rank. For algorithms in which nobody
  /// pushes twice before being answered.
  std::vector<Push> next_push_of_each();

  /// Sends a snapshot of x to one worker and goes on at once.
  void send_model(std::size_t worker, const Model& x);
  void broadcast_model(const Model& x);

  /// Updates of the global model between reading x and now, for the gradient of this push.
  std::uint64_t staleness(const Push& push) const;

  /// One step of the rule, x <- x - eta * scale * g.
  void step(SgdRule& rule, Model& x, const Parameters& g, float scale = 1) const;
  /// The mean of what was pushed, added in the order given.
  Parameters mean(std::span<const Push> pushes) const;
  /// The sum of weights[i] times what pushes[i] brought, added in the order given.
  Parameters weighted_sum(std::span<const Push> pushes, std::span<const float> weights) const;

  /// One update of the global model has been made of these pushes, and x is that model now: it gets
  /// its version, and is evaluated when due.
  void finish_update(Model& x, std::span<const Push> used);
  void finish_update(Model& x, const Push& used) { finish_update(x, {&used, 1}); }

  /// This gradient will not be used: the time it took counts as discarded.
  void discard(const Push& push);

 private:
  Simulation& simulation_;
};

}  // namespace motley
