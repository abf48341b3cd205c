#pragma once

#include <cstdint>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/engine/collectives/collective.hpp"
#include "sim/engine/collectives/gathering.hpp"
#include "sim/engine/network/network.hpp"

namespace motley {

/// Ring all-reduce among the W members of a group: reduce-scatter, then all-gather, 2(W-1) steps in
/// which everybody sends one of W pieces to its right neighbour and receives one from its left; a
/// step ends when both are through:
///
///   2 (W-1) (L + S/(W b))
///
/// on equal links without other traffic. A piece is sent whether its receiver is ready or not.
///
/// fluid: all steps of a neighbour pair are one flow with their bytes and latencies. The flows
/// start when the last member has come, and everybody goes on when the slowest is through. Where
/// all links are equal and carry nothing else this takes exactly as long as the steps; elsewhere
/// the slowest link alone counts.
class Ring final : public Collective {
 public:
  explicit Ring(Setup setup);

  void pass(std::size_t position, std::uint64_t bytes) override;
  const char* waits_for() const override { return "its neighbours in the ring of the all-reduce"; }

 private:
  struct Member {
    std::uint64_t exchanges = 0;
    std::uint64_t sent = 0;      // messages to the right neighbour that are through
    std::uint64_t received = 0;  // and from the left one
    std::uint64_t wanted = 0;    // waits for so many of both
    simgrid::s4u::SemaphorePtr arrival;
  };
  /// Of one of W pieces of a vector that takes so many bytes.
  std::uint64_t piece_bytes(std::uint64_t bytes, std::size_t piece) const;
  void send_right(std::size_t member, std::uint64_t bytes, std::function<void()> arrived,
                  double latencies);
  void exchange(std::size_t member, std::uint64_t bytes);
  void wake_if_through(Member& member);
  void pass_pieces(std::size_t member, std::uint64_t bytes);
  void pass_flow(std::uint64_t bytes);

  Setup setup_;
  std::vector<Member> members_;
  std::size_t here_ = 0;       // fluid: members that have come to this round
  std::size_t under_way_ = 0;  // flows
  simgrid::s4u::SemaphorePtr all_through_ = simgrid::s4u::Semaphore::create(0);
};

}  // namespace motley
