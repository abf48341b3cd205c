#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/learning/data/sample.hpp"
#include "sim/learning/rules/update_rule.hpp"
#include "sim/vocabulary/ahead.hpp"
#include "sim/vocabulary/group.hpp"
#include "sim/vocabulary/message.hpp"
#include "sim/vocabulary/shared_state.hpp"

namespace motley {

class RandomStream;

/// What a worker's algorithm can do. Virtual time passes inside these verbs and nowhere else, and
/// they record what they do. A body loops for ever, as in the papers: the run ends around it.
/// Bodies share nothing but messages.
class Worker {
 public:
  virtual ~Worker() = default;

  virtual std::size_t rank() const = 0;
  /// How many workers there are.
  virtual std::size_t workers() const = 0;
  /// Virtual seconds since the start.
  virtual double clock() const = 0;
  /// This worker's own stream of random numbers for the purpose of that name, the same for the same
  /// (seed, name, rank); it goes on where it was left. std::logic_error for one of the few names that
  /// the simulator itself draws by.
  virtual RandomStream& random(const std::string& name) = 0;

  /// The model every run of this seed starts from. Takes no time: everybody is taken to have it. Who
  /// joins later, or returns, gets the present one instead if there is a server: it is pulled.
  virtual Model initial_model() = 0;

  // ---- Failures ----

  /// To be said at the beginning of every round of a body without a server: this is all that the
  /// worker knows, and how somebody who joins or returns can begin. Costs nothing, but for that one:
  /// it gets what a worker that is there said last (of its own groups if it can be), which takes the
  /// transfer of all vectors, and goes on from there. Collectives that were started must have been
  /// waited for.
  template <class... Parts>
  void share(Parts&... parts);
  /// Whether another worker is there, as far as this one knows; true where failures are waited out.
  virtual bool is_present(std::size_t rank) const = 0;
  /// Waits for a message as receive() does, from the sender wanted, which must be given. Nothing when
  /// that one has failed since this worker last sent it anything: an answer will not come.
  virtual std::optional<Message> receive_answer(const Wanted& wanted) = 0;

  // ---- Computing ----

  /// The mean gradient at x over the next n samples of this worker. Takes n * flops_per_sample on
  /// this host.
  Gradient gradient(const Model& x, std::size_t n) { return *gradient(x, n, Until{}); }
  /// The same, unless it is given up first: then its time counts as discarded. What was not yet
  /// really computed never is, and its samples are drawn again.
  virtual std::optional<Gradient> gradient(const Model& x, std::size_t n, const Until& until) = 0;
  /// x after `steps` steps of `rule`, each with a gradient of the next n samples; as one computation
  /// of steps * n * flops_per_sample.
  Trained local_steps(Model x, std::size_t steps, std::size_t n, UpdateRule& rule) {
    return *local_steps(std::move(x), steps, n, rule, Until{}, {});
  }
  /// The same, unless it is given up first: then x is lost, `rule` is as before, and the time counts
  /// as discarded. `shift`, if not empty, is added to every gradient.
  virtual std::optional<Trained> local_steps(Model x, std::size_t steps, std::size_t n,
                                             UpdateRule& rule, const Until& until,
                                             const Parameters& shift = {}) = 0;
  /// Spends the time that so many gradients of n samples take, to see how fast this worker is:
  /// nothing is drawn or computed. Returns samples per second. Noise is that of the steps to come, which have
  /// it again; calls in a row go on where the last one ended.
  virtual double measure_speed(std::size_t steps, std::size_t n) = 0;
  /// One step of the rule at home, x <- x - eta g. Takes no time. Workers whose x, g and state of the
  /// rule are the same (replicas after an all-reduce) share the one real computation.
  virtual void step(UpdateRule& rule, Model& x, const Parameters& g) = 0;

  // ---- Samples ----

  /// From now on, draws only from its part of the data: parts are in proportion to `shares`, one per
  /// worker, and disjoint. Everybody must give the same shares.
  virtual void draw_from_share(std::span<const double> shares) = 0;
  /// How many samples there are in its part of the data.
  virtual std::size_t data_samples() const = 0;
  /// The next samples are once more those of the last computation.
  virtual void draw_again() = 0;
  /// The next samples are these, in this order; there must be as many as are asked for.
  virtual void draw_next(std::vector<Sample> samples) = 0;
  /// From now on keeps the loss of every sample of the last computation, for drawn_losses().
  virtual void keep_losses() = 0;
  /// Of the last computation, until the next one.
  virtual std::span<const Sample> drawn() const = 0;
  virtual std::span<const float> drawn_losses() const = 0;

  // ---- With the server ----

  /// Sends g to the server and goes on at once; the transfer takes its time behind it.
  /// `wants_model` tells the server whether this worker will pull() for an answer. Compressed as the
  /// algorithm's exchange() says.
  virtual void push(Gradient g, bool wants_model = true) = 0;
  /// The same in full precision, whatever exchange() says; with what compression has left out of earlier
  /// gradients.
  virtual void push_exactly(Gradient g, bool wants_model = true) = 0;
  /// The same for a model of this worker's own, and vectors that travel along.
  virtual void push_model(const Trained& y, std::vector<Parameters> more = {},
                          bool wants_model = true) = 0;
  /// The same for a difference of models, made by the work that `y` is the result of.
  virtual void push_update(Parameters difference, const Trained& y,
                           std::vector<Parameters> more = {}, bool wants_model = true) = 0;
  /// Asks the server for its model: a message of no bytes, which takes the latency.
  virtual void request_model() = 0;
  /// Sends the server a number: a message of no bytes, which takes the latency.
  virtual void tell(double number) = 0;
  /// Waits for the next model the server sends here.
  virtual Model pull() = 0;
  /// Waits for a model and takes the newest if more than one has come.
  virtual Model pull_newest() = 0;
  /// The newest model that has come and was not yet pulled, if there is one.
  virtual std::optional<Model> newer_model() = 0;
  /// Waits until everything that this worker has pushed has arrived, or is lost with the server's
  /// machine.
  virtual void wait_for_pushes() = 0;
  /// push(gradient(pull(), n)); but with overlap = layers, layer by layer: each layer's forward step
  /// waits for that layer's weights only, and its gradient leaves when its backward step is done.
  virtual void answer_with_gradient(std::size_t n) = 0;
  /// One iteration of a worker that does not wait for the answer to what it sends: pulls a model, pushes
  /// the gradient of n samples at what `at` makes of it, and returns that gradient. With overlap = layers,
  /// layer by layer: each part of the gradient leaves when its backward step is done and, if it waits, that
  /// part of the next model is here; meanwhile the backward step goes on.
  virtual Gradient gradient_ahead(std::size_t n, Ahead& how, const TakenAt& at);

  // ---- With other workers ----

  /// Sends the message to a worker (a rank) and goes on at once.
  virtual void send(std::size_t to, Message message) = 0;
  /// Waits for a message, the first of those wanted, from a worker or from Server::send.
  virtual Message receive(const Wanted& wanted = {}) = 0;
  /// The first of those wanted, if it is there.
  virtual std::optional<Message> received(const Wanted& wanted = {}) = 0;
  /// From now on, messages of this kind go to `handler` at the moment they arrive, whatever the body
  /// does then: it may be computing, at the snapshot it began with. The handler takes no time; it may
  /// send and change what the body owns, not wait.
  virtual void serve(const std::string& kind, std::function<void(const Message&)> handler) = 0;
  /// Waits for a message, or for somebody to leave or join, whichever comes first; empty when `until`
  /// comes before.
  virtual std::optional<Event> next_event(double until = forever) = 0;

  /// A group of workers by this name. Everybody who is in it must give the same ranks, in the same
  /// order, and the same collective: by what messages its all-reduce goes, one of
  /// ExchangeSpec::collectives(); empty: as the algorithm's exchange() says.
  virtual Group& group(const std::string& name, const std::vector<std::size_t>& ranks,
                       const std::string& collective = {}) = 0;
  /// Of all workers.
  virtual Group& everybody() = 0;

  // Collectives of all workers; see Group.
  void all_reduce_mean(Parameters& v, double weight = 1) { everybody().all_reduce_mean(v, weight); }
  bool leads() { return everybody().leads(); }
  void barrier() { everybody().barrier(); }
  Notes gather(double number) { return everybody().gather(number); }

  /// The mean of all workers' gradients at their x over their next n samples, weighted: gradient(x, n),
  /// then all_reduce_mean. With bucket_size in buckets: each is averaged as soon as the backward step
  /// has made it and the one before it is through, while the backward step goes on. The same bits.
  virtual Gradient averaged_gradient(const Model& x, std::size_t n, double weight = 1) = 0;

  // ---- The global model ----

  /// One update of the global model has been made, and x is that model now; it is evaluated when
  /// due. For algorithms without a server: exactly one worker calls it, such as who leads(). Takes no
  /// time.
  virtual void finish_update(Model& x) = 0;
  /// One update of this worker's own model has been made, its steps-th since the models were last
  /// merged. When a point of the curve is due it shows what a merge of all workers' models at this
  /// moment would give, by Algorithm::merge_weights: an oracle, free of cost.
  virtual void finish_own_update(const Model& x, std::uint64_t steps) = 0;
  /// Writes a decision about this worker into decisions.csv.
  virtual void record_decision(const char* quantity, double value) = 0;

 protected:
  virtual bool can_anybody_fail() const = 0;
  virtual void share_state(const SharedState& state) = 0;
};

template <class... Parts>
void Worker::share(Parts&... parts) {
  if (can_anybody_fail()) share_state(SharedState::of(parts...));
}

}  // namespace motley
