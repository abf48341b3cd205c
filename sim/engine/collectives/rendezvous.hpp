#pragma once

#include <cstdint>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/engine/network/network.hpp"

namespace motley {

/// Messages of a collective that leave when both ends have come to them, as MPI sends large ones: its
/// rendezvous, whose handshake takes no time here. So nobody sends to a member that is still busy
/// with somebody else, and the steps of a schedule do not mix.
class Rendezvous {
 public:
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  /// What a member does at once: sends to one member and receives from one, or only one of both.
  struct Step {
    std::size_t to = nobody;
    std::uint64_t bytes = 0;  ///< to that one
    std::size_t from = nobody;
  };

  /// `ranks`: of the members.
  Rendezvous(Network& network, std::vector<std::size_t> ranks);

  std::size_t size() const { return members_.size(); }

  /// Called by an actor of the member. Returns when what it sends and what it receives are through.
  /// The others' steps must match: whoever sends is received from.
  void take(std::size_t member, const Step& step);

 private:
  struct Member {
    Step open = {};             // of this step, what has not left yet
    std::size_t under_way = 0;  // and what is not through
    simgrid::s4u::SemaphorePtr through;
  };

  void start(std::size_t from, std::size_t to);
  void end_one(Member& member);

  Network& network_;
  std::vector<std::size_t> ranks_;
  std::vector<Member> members_;
};

}  // namespace motley
