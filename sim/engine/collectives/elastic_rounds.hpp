#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/collectives/averaging.hpp"
#include "sim/engine/failures/machine_failures.hpp"
#include "sim/engine/platform/simgrid_generation.hpp"

namespace motley {

/// The collectives of a group whose members may fail.
///
/// A round (an average, a barrier, a gathering, a broadcast) is formed by the first who comes to it, of
/// those who are there then. When it is noticed that one of them is gone, it begins anew among the
/// others (drop), or when all are there again (wait). Whoever is through it before keeps the result,
/// and sends it to those who are not. Who comes to a round that it is not part of waits for its end,
/// and then gets the result in the same way: one message of the vector's bytes. When nobody is left who
/// has the result, it is made anew by those who still come to the round: who has failed and begun again with the
/// state of one beyond it does not.
///
/// Of a broadcast or a gathering of vectors, those who send go on at once. What they have sent is kept
/// until it has come, and sent again if it is lost with the machine it goes to. It is lost with the one
/// it comes from, unless others have it.
///
/// Every member takes part in an average by an actor of its own, which ends when the round is begun
/// anew. Messages between those who are still there arrive all the same, for nothing.
class ElasticRounds {
 public:
  using Rank = std::size_t;

  /// `ranks`: of the members, in the group's order.
  ElasticRounds(const Averaging::Setup& setup, std::vector<std::size_t> ranks,
                std::string collective, const MachineFailures& failures);

  /// What a member brings to a round, and takes from it.
  enum class Kind { meeting, average, broadcast, gathering };
  struct Part {
    Kind kind = Kind::meeting;
    Parameters value = {};
    double weight = 1;
    std::vector<double> numbers = {};
    Rank root = 0;                            ///< of a broadcast or gathering
    std::optional<std::uint64_t> bytes = {};  ///< of an average, if not those of `value`
  };
  struct Result {
    Parameters vector = {};   ///< the mean, or what was broadcast
    NotesOfAll numbers = {};  ///< in the group's order; empty lists for those who were not there
    bool leads = false;       ///< whether it is the first of those who were
    std::vector<Parameters> gathered = {};  ///< in the group's order, for the root
  };

  /// Called by the actor of a member; returns the round. std::logic_error when others are at a
  /// collective of another kind.
  std::uint64_t enter(Rank rank, Part part);
  /// Waits until it is through. Once for each round.
  Result wait(Rank rank, std::uint64_t round);
  bool is_through(Rank rank, std::uint64_t round) const;

  /// How many rounds a member has come to; a worker that begins in its place goes on from there.
  std::uint64_t rounds_of(Rank rank) const;
  void go_on_from(Rank rank, std::uint64_t rounds);
  /// Of those that somebody has come to.
  std::uint64_t formed() const { return first_ + rounds_.size() - 1; }
  /// How many are remembered.
  std::size_t kept() const { return rounds_.size(); }
  /// Nobody will go on from so few rounds any more.
  void forget_up_to(std::uint64_t rounds);

  // In SimGrid's kernel.
  void member_fails(Rank rank);
  void member_is_missed(Rank rank);
  void member_returns(Rank rank);

 private:
  struct Round {
    Kind kind = Kind::meeting;
    Rank root = 0;
    std::uint64_t bytes = 0;
    std::vector<Rank> members;           // in the group's order
    std::map<Rank, Part> parts;          // of those who have come
    std::set<Rank> late;                 // who have come, and are not members
    std::set<Rank> passed_over;          // who will not come to it any more, or not again
    std::set<Rank> through;              // who have the result
    std::unique_ptr<Averaging> average;  // under way
    std::map<Rank, simgrid::s4u::ActorPtr> actors;
    bool has_result = false;
    Parameters vector;
    NotesOfAll numbers;
    Rank leader = 0;
    bool was_led = false;                              // the leader is through
    std::map<Rank, simgrid::s4u::SemaphorePtr> gates;  // of those who wait
    std::set<std::pair<Rank, Rank>> under_way;  // messages with the vector: from whom to whom
    // Of a broadcast or gathering:
    bool is_left_out = false;            // the root, of a broadcast
    std::map<Rank, Parameters> arrived;  // at the root, of a gathering
  };

  Round& round(std::uint64_t number) { return *rounds_[number - first_]; }
  static bool is_member(const Round& round, Rank rank);
  bool is_needed(Rank rank) const { return !failures_.drops() || failures_.is_present(rank); }
  /// Whether it need not wait for somebody's return.
  bool can_begin(const Round& round) const;
  /// In SimGrid's kernel, as all of the following.
  std::uint64_t come(Rank rank, Part part);
  void come_to_all(Round& round, Rank rank);
  void begin_anew(Round& round);
  /// The member will not come to it any more.
  void pass_over(Round& round, Rank rank);
  void take_part(Round& round, Rank rank);
  void meet_if_all_are_here(Round& round);
  /// These have it first.
  void set_result(Round& round, Parameters vector, NotesOfAll numbers,
                  const std::vector<Rank>& through);
  void send_result(Round& round, Rank rank);
  void let_go_on(Round& round, Rank rank);

  void send(Round& round, Rank from, Rank to, std::uint64_t bytes, std::function<void()> arrived);
  static bool is_under_way_to(const Round& round, Rank rank);
  std::uint64_t bytes_of(const Parameters& vector) const;

  // Broadcasts and gatherings of vectors; see elastic_rooted.cpp.
  void come_to_broadcast(Round& round, Rank rank);
  void leave_out_root(Round& round);
  void come_to_gathering(Round& round, Rank rank);
  void send_to_root(Round& round, Rank rank);
  void end_gathering_if_complete(Round& round);

  /// By the group's order.
  NotesOfAll for_whole_group(const Round& round, const NotesOfAll& of_members) const;

  Averaging::Setup setup_;
  std::vector<Rank> ranks_;
  std::string collective_;
  const MachineFailures& failures_;
  std::map<Rank, std::uint64_t> rounds_of_;
  std::deque<std::unique_ptr<Round>> rounds_;  // the first of them has the number first_
  std::uint64_t first_ = 1;
  std::vector<std::unique_ptr<Averaging>> given_up_;  // messages of theirs may be under way
};

}  // namespace motley
