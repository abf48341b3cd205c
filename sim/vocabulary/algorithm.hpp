#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/base/catalog.hpp"
#include "sim/learning/rules/update_rule.hpp"
#include "sim/scenario/fields.hpp"
#include "sim/vocabulary/exchange_spec.hpp"
#include "sim/vocabulary/run_facts.hpp"
#include "sim/vocabulary/server.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

/// A parameter that acts only when something happens: a limit that somebody must come up against.
struct ActingBound {
  std::string parameter;  ///< empty: none
  /// The decision (see Server::record_decision) that shows that it acted, if made after the start. To
  /// discard work shows it as well.
  std::string decision;
};

/// A distributed SGD algorithm: what each worker does and, if it has one, the server. One object
/// serves all of them in one run; its members are its parameters, and the bodies cannot change them:
/// state lives in the bodies, and what another one is to know travels in messages.
///
/// With several servers, or when layers travel alone, server() runs once for each shard of the
/// model, on its own part of models and gradients. A run ends by the stop rule, or when all
/// workers have returned.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual void worker(Worker& me) const = 0;
  virtual void server(Server&) const {}
  /// Whether the server takes part; without it server() is not called.
  virtual bool needs_server() const { return true; }
  /// Whether a worker does nothing before the server's first model or message is there, of any round,
  /// and never talks with other workers: then its body begins with that, and one that is never sent
  /// anything costs next to nothing.
  virtual bool workers_begin_with_a_model() const { return false; }
  /// About how many mini-batch gradients make an update: what a run will cost is guessed from it.
  virtual double gradients_per_update(std::size_t workers) const {
    return static_cast<double>(workers);
  }
  /// The bound that an algorithm is about, if these parameters have one: a run in which it never acted
  /// is one without it, and its reader is warned.
  virtual ActingBound bound() const { return {}; }
  /// What one should know who trusts its results on this cluster and these data: "weighs ..."; empty: nothing.
  virtual std::string caution() const { return {}; }
  /// How the model is laid out over the servers and travels, and by what collective workers average.
  virtual ExchangeSpec exchange() const { return {}; }
  /// Whether the workers' own models (see Worker::finish_own_update) are merged now and then. What a
  /// merge would give in between is an oracle: it is drawn, but does not reach the target. Where
  /// models are never merged, as in gossip, the mean of all is the model the algorithm is about; it
  /// reaches the target when the engine has averaged it, which takes its time.
  virtual bool merges_own_models() const { return true; }
  /// Whether parts of models travel alone by messages or all-reduce: what they take on the wire then
  /// depends on how many parameters there are.
  virtual bool sends_parts() const { return false; }
  /// For algorithms that merge the workers' own models rarely (see Worker::finish_own_update): the
  /// weight of each in a merge now, when worker i has made steps[i] since the last.
  virtual std::vector<double> merge_weights(std::span<const std::uint64_t> steps) const {
    return std::vector<double>(steps.size(), 1.0 / static_cast<double>(steps.size()));
  }
};

/// What "defaults" may give to every algorithm that takes it.
struct DefaultsSpec : SgdSpec, ExchangeSpec, GradientAllReduceSpec {
  static Fields<DefaultsSpec> fields();
};

/// Where an algorithm stands in the list of all: in ascending order, those without a place last, by
/// name.
struct Listed {
  int at = std::numeric_limits<int>::max();
};

/// What sort of algorithm it is: lists of all are grouped by it.
enum class Family {
  synchronous,
  asynchronous,
  local,
  federated,
  decentralised,
  hierarchical,
  other
};

/// In the order in which they are listed, with the words for them.
const std::vector<std::pair<Family, std::string>>& families();

/// What one chooses an algorithm by, with its parameters' defaults.
struct Traits {
  Family family = Family::other;
  std::string needs = {};  ///< besides workers: "a server", "a graph", "nodes"; empty: nothing
  bool failures = false;   ///< nobody waits for a worker that is gone, noticed or not
  /// As steps get smaller it goes to the optimum of all data, whoever has which part and is how fast.
  bool different_data = false;
  /// What one update sends, all workers together, in models; W is the number of workers.
  std::string cost = {};

  /// "failures and different data", one of them, or "neither ...".
  std::string tolerates() const;
};

/// An algorithm as the catalogue lists it.
struct AlgorithmInfo {
  std::string name;
  std::string summary;  ///< one line
  std::string paper;
  Listed listed;
  std::string when_gone;  ///< what it does when a worker is gone, and when it returns
  Traits traits;
  FieldList parameters;
  /// Reads and checks the parameters (InputError at their place), fills in their defaults, and
  /// makes the algorithm.
  std::function<std::unique_ptr<Algorithm>(Json& parameters, const Place&, const RunFacts&)> make;
};

/// The catalogue entry of an algorithm class A that has a struct A::Options with fields(), is made
/// from (options, facts), and may refuse them with static A::check(options, facts, place).
template <class A>
AlgorithmInfo describe(std::string name, std::string summary, std::string paper, Listed listed = {},
                       std::string when_gone = {}, Traits traits = {}) {
  using Options = typename A::Options;
  AlgorithmInfo info{std::move(name),      std::move(summary), std::move(paper),    listed,
                     std::move(when_gone), std::move(traits),  infos_of<Options>(), {}};
  info.make = [](Json& json, const Place& place, const RunFacts& facts) {
    Options options;
    fields_of<Options>().read(json, place, options);
    if constexpr (std::is_base_of_v<UpdateSpec, Options>) UpdateSpec::check(options, place);
    RunFacts at_its_batches;
    if constexpr (std::is_base_of_v<SgdSpec, Options>) {
      options.batch_size.hand_out(facts.class_of, place / "batch_size");
      if (!facts.step_times.empty()) {
        at_its_batches = facts;
        at_its_batches.speeds = facts.speeds_at(options.batch_size.by_rank());
      }
    }
    const RunFacts& known = at_its_batches.workers > 0 ? at_its_batches : facts;
    if constexpr (requires { A::check(options, known, place); }) {
      A::check(options, known, place);
    }
    return std::make_unique<A>(options, known);
  };
  return info;
}

}  // namespace motley
