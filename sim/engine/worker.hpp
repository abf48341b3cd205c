#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/core/learning/sgd_rule.hpp"
#include "sim/engine/model.hpp"

namespace motley {

class Simulation;
class WorkerState;

/// What a worker's algorithm can do. Virtual time passes inside these verbs and nowhere else, and
/// they record by themselves. A body loops for ever, as in the papers: the run ends around it.
class Worker {
 public:
  explicit Worker(WorkerState& state) : state_(state) {}

  std::size_t rank() const;
  /// How many workers there are.
  std::size_t workers() const;
  /// Virtual seconds since the start.
  double clock() const;

  /// The model every run of this seed starts from. Takes no time: everybody is taken to have it.
  Model initial_model() const;

  /// The mean gradient at x over the next n samples of this worker. Takes n * flops_per_sample on
  /// this host.
  Gradient gradient(const Model& x, std::size_t n);
  /// x after `steps` steps of `rule`, each with a gradient of the next n samples; as one
  /// computation of steps * n * flops_per_sample.
  Model local_steps(Model x, std::size_t steps, std::size_t n, SgdRule& rule);

  /// One step of the rule at home, x <- x - eta g. Takes no time. Workers whose x, g and momentum
  /// are the same (replicas after an all-reduce) share the one real computation.
  void step(SgdRule& rule, Model& x, const Parameters& g);

  /// Sends g to the server and goes on at once; the transfer takes its time behind it.
  /// `wants_model` tells the server whether this worker will pull() for an answer.
  void push(Gradient g, bool wants_model = true);
  /// Asks the server for its model without a gradient: a message of no bytes, which takes the
  /// latency.
  void request_model();
  /// Waits for the next model the server sends here.
  Model pull();

  /// v becomes the mean of all workers' v, weighted. Everybody must call it. A ring of 2(W-1) steps
  /// of size/W bytes, each waiting for its own send and for the left neighbour's; results are equal
  /// bits everywhere and independent of arrival order.
  void all_reduce_mean(Parameters& v, double weight = 1);
  /// Waits until every worker is here.
  void barrier();

  /// One update of the global model has been made, and x is that model now; it is evaluated when
  /// due. For algorithms without a server: exactly one worker calls it. Takes no time.
  void finish_update(Model& x);

 private:
  WorkerState& state_;
};

}  // namespace motley
