#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/engine/collectives/elastic_rounds.hpp"
#include "sim/engine/network/arrival.hpp"
#include "sim/vocabulary/shared_state.hpp"

namespace motley {

class Network;

/// What the workers of a run without a server have shared (see Worker::share), and how one that has
/// joined or returned gets it: from a present worker of as many of its own groups as possible, the
/// first of several, with its count of the groups' rounds. One of more of its groups who has joined while the
/// state came is asked for its own: members of a group must not begin with the states of different others. They
/// join one after another, by rank. When nobody has anything, the one begins with the checkpoint of the global
/// model.
class Replicas {
 public:
  using Rank = std::size_t;
  using Groups = std::vector<ElasticRounds*>;

  Replicas(Network& network, Agenda& agenda, const MachineFailures& failures,
           std::uint64_t model_bytes, std::size_t workers)
      : network_(network),
        agenda_(agenda),
        failures_(failures),
        model_bytes_(model_bytes),
        members_(failures.any() ? workers : 0) {}

  /// Called by the worker's actor. `groups`: those it is in; `saved`: the checkpoint.
  void share(Rank rank, const Groups& groups, const SharedState& state, const Model& saved);
  /// Whether the worker has joined or returned and knows nothing yet; from now on it does.
  bool was_new(Rank rank) {
    return !members_.empty() && std::exchange(members_[rank].is_new, false);
  }

  // In SimGrid's kernel.
  void worker_fails(Rank rank);
  void worker_is_missed(Rank rank);
  /// Also of one that joins.
  void worker_returns(Rank rank);

 private:
  struct Snapshot {
    std::shared_ptr<const void> state;
    std::uint64_t bytes = 0;
    std::map<ElasticRounds*, std::uint64_t> rounds;  // by group

    /// How many of these groups it is of.
    std::ptrdiff_t common(const Groups& groups) const;
  };
  struct Member {
    bool is_new = false;
    std::optional<Snapshot> shared;
    // While it joins:
    std::unique_ptr<Arrival> arrival;
    std::optional<Rank> from;
    bool is_there = false;
  };

  void join(Rank rank, const Groups& groups, const SharedState& state, const Model& saved);
  std::optional<Rank> donor_for(Rank rank, const Groups& groups) const;
  bool is_turn_of(Rank rank) const;
  void wake_joining();
  void forget_rounds(const Groups& groups);

  Network& network_;
  Agenda& agenda_;
  const MachineFailures& failures_;
  std::uint64_t model_bytes_;
  std::vector<Member> members_;  // empty where nobody can fail
};

}  // namespace motley
