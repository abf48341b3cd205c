#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/learning/rules/update_rule.hpp"
#include "sim/vocabulary/message.hpp"

namespace motley {

class RandomStream;

/// What the parameter server's algorithm can do; see Worker. With several servers, or layers that
/// travel alone, there is one of these for each shard: models and gradients are then that part of the
/// whole, versions and staleness are counted in the shard's own updates.
class Server {
 public:
  virtual ~Server() = default;

  virtual std::size_t workers() const = 0;
  virtual double clock() const = 0;
  /// As Worker::random; the same numbers for every shard.
  virtual RandomStream& random(const std::string& name) = 0;
  virtual Model initial_model() const = 0;

  // ---- Failures ----

  /// Who is there, by rank; everybody where failures are waited out. Waits while there is nobody.
  virtual std::vector<std::size_t> present() = 0;
  /// How many; at least 1, for nothing is made of none.
  virtual std::size_t count_present() const = 0;
  /// From now on, `welcome` is called when a worker is there again that was not; without one it is
  /// sent the model of the last update. In next_push_of only if that waits for it, and without a
  /// `welcome` it is sent what was sent last.
  virtual void on_join(std::function<void(std::size_t worker)> welcome) = 0;
  /// Whether this body goes on for one that was lost with its machine. The initial model is then that
  /// of the last checkpoint; what workers push that comes from an earlier one does not arrive.
  virtual bool is_resumed() const = 0;

  // ---- Waiting ----

  /// Waits for a push, or for somebody to leave or join, in order of arrival (ties by rank); empty
  /// when `until` comes before.
  virtual std::optional<Event> next_event(double until = forever) = 0;
  /// Waits for the next push of any worker, in order of arrival (ties by rank). Who left or joined
  /// before is not told.
  Push next_push() { return *next_push_before(forever); }
  /// The same, or nothing when `until` comes before.
  virtual std::optional<Push> next_push_before(double until) = 0;
  /// The next `count` pushes, or as many as come before `until`.
  std::vector<Push> next_pushes(std::size_t count, double until = forever);
  /// Waits until each of these workers has pushed once; in their order. What somebody pushes for a
  /// second time meanwhile, or somebody else, is kept for the next call. Who is not there is left out,
  /// unless failures are waited out: there may be none.
  virtual std::vector<Push> next_push_of(std::span<const std::size_t> workers) = 0;
  /// The same for every worker, in order of rank; at least one.
  std::vector<Push> next_push_of_each();

  // ---- Sending ----

  /// Sends a snapshot of x, and of the vectors that travel along, to one worker and goes on at once.
  virtual void send_model(std::size_t worker, const Model& x) = 0;
  void broadcast_model(const Model& x);
  /// Sends a worker a message that it gets by Worker::receive, or that stops its work (Until::told).
  virtual void send(std::size_t worker, Message message) = 0;

  // ---- Updating ----

  /// Updates of the global model between reading x and now, for what this push brings.
  virtual std::uint64_t staleness(const Push& push) const = 0;
  /// One step of the rule, x <- x - eta * scale * g.
  virtual void step(UpdateRule& rule, Model& x, const Parameters& g, float scale = 1) const = 0;
  /// The mean of what was pushed, added in the order given.
  Parameters mean(std::span<const Push> pushes) const;
  /// The same, but each weighs as its samples do: of mean gradients, the mean over all samples.
  Parameters mean_over_samples(std::span<const Push> pushes) const;
  /// The sum of weights[i] times what pushes[i] brought, added in the order given.
  virtual Parameters weighted_sum(std::span<const Push> pushes,
                                  std::span<const float> weights) const = 0;

  /// One update of the global model has been made of these pushes, and x is that model now: it gets
  /// its version, and is evaluated when due. Takes cost.flops_per_update on this host. With several
  /// shards, an update of the whole is finished when each has made it.
  virtual void finish_update(Model& x, std::span<const Push> used) = 0;
  void finish_update(Model& x, const Push& used) { finish_update(x, {&used, 1}); }
  /// What this push brought will not be used: the time it took counts as discarded.
  virtual void discard(const Push& push) = 0;
  /// The same for all of this worker; they are taken out.
  void discard_of(std::size_t worker, std::vector<Push>& pushes);
  /// Writes a decision about one worker into decisions.csv; with several shards the first does.
  virtual void record_decision(std::size_t worker, const char* quantity, double value) = 0;
};

}  // namespace motley
