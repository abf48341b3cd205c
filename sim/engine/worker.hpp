#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/core/learning/sample.hpp"
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
  /// The gradient, if it is there by `deadline`; else the work is given up then, and its time
  /// counts as discarded. What was not yet really computed never is, and its samples are drawn
  /// again.
  std::optional<Gradient> gradient_before(double deadline, const Model& x, std::size_t n);
  /// The gradient, unless another model arrives meanwhile: then the work is given up.
  std::optional<Gradient> gradient_unless_newer(const Model& x, std::size_t n);
  /// Spends the time that so many gradients of n samples take, to see how fast this worker is:
  /// nothing is drawn or computed. Returns samples per second.
  double measure_speed(std::size_t steps, std::size_t n);

  /// From now on, draws only from its part of the data: parts are in proportion to `shares`, one a
  /// worker, and disjoint. Everybody must give the same shares.
  void draw_from_share(std::span<const double> shares);
  /// The next samples are these, in this order; there must be as many as are asked for.
  void draw_next(std::vector<Sample> samples);
  /// From now on keeps the loss of every sample of the last computation, for drawn_losses().
  void keep_losses();
  /// Of the last computation, until the next one.
  std::span<const Sample> drawn() const;
  std::span<const float> drawn_losses() const;

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
  /// Waits for a model and takes the newest if more than one have come.
  Model pull_newest();
  /// push(gradient(pull(), n)); but with overlap = layers, layer by layer: each layer's forward
  /// step waits for that layer's weights only, and its gradient leaves when its backward step is
  /// done.
  void answer_with_gradient(std::size_t n);
  /// Sends the server a number: a message of no bytes, which takes the latency.
  void tell(double number);

  /// v becomes the mean of all workers' v, weighted. Everybody must call it. A ring of 2(W-1) steps
  /// of size/W bytes, each waiting for its own send and for the left neighbour's; results are equal
  /// bits everywhere and independent of arrival order.
  void all_reduce_mean(Parameters& v, double weight = 1);
  /// Waits until every worker is here.
  void barrier();
  /// Waits until every worker is here, and returns everybody's number, by rank. They are taken to
  /// travel along with larger messages: it takes no other time.
  Notes gather(double number);

  /// One update of the global model has been made, and x is that model now; it is evaluated when
  /// due. For algorithms without a server: exactly one worker calls it. Takes no time.
  void finish_update(Model& x);
  /// One update of this worker's own model has been made, its steps-th since the models were last
  /// merged. When a point of the curve is due it shows what a merge of all workers' models at this
  /// moment would give, by Algorithm::merge_weights: an oracle, free of cost.
  void finish_own_update(const Model& x, std::uint64_t steps);
  /// Writes a decision about this worker into decisions.csv.
  void record_decision(const char* quantity, double value);

 private:
  WorkerState& state_;
};

}  // namespace motley
