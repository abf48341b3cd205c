#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/core/learning/parameters.hpp"
#include "sim/engine/gathering.hpp"
#include "sim/engine/network.hpp"

namespace motley {

/// Ring all-reduce among the workers: reduce-scatter, then all-gather, 2(W-1) steps in which
/// everybody sends one of W pieces to its right neighbour and receives one from its left; a step
/// ends when both are through. The pieces really cross the network; the mean itself is computed
/// once, in order of rank, and shared.
///
/// fluid: all steps of a neighbour pair are one flow with their bytes and latencies. The flows
/// start when the last worker has come, and everybody goes on when the slowest is through. Where
/// all links are equal and carry nothing else this takes exactly as long as the steps; elsewhere
/// the slowest link alone counts.
class Ring {
 public:
  Ring(Network& network, ThreadPool& pool, ApproximateSpec::Ring form, std::size_t workers,
       std::uint64_t bytes);

  /// Called by the actor of each worker. Returns the mean weighted by `weight`.
  Parameters mean(std::size_t rank, const Parameters& value, double weight);

 private:
  struct Member {
    std::uint64_t round = 0;
    std::uint64_t exchanges = 0;
    std::uint64_t sent = 0;      // messages to the right neighbour that are through
    std::uint64_t received = 0;  // and from the left one
    std::uint64_t wanted = 0;    // waits for so many of both
    simgrid::s4u::SemaphorePtr arrival;
  };
  struct Round {
    std::vector<Parameters> values;
    std::vector<double> weights;
    Parameters mean;
    std::size_t collected = 0;
  };

  std::uint64_t piece_bytes(std::size_t piece) const;
  Round& round(std::uint64_t index);
  void exchange(std::size_t rank, std::uint64_t bytes);
  void wake_if_through(Member& member);
  void pass_pieces(std::size_t rank);
  void pass_flow();
  Parameters mean_of(const Round& round) const;

  Network& network_;
  ThreadPool& pool_;
  ApproximateSpec::Ring form_;
  std::uint64_t bytes_;
  std::vector<Member> members_;
  std::size_t here_ = 0;       // fluid: workers that have come to this round
  std::size_t under_way_ = 0;  // flows
  simgrid::s4u::SemaphorePtr all_through_ = simgrid::s4u::Semaphore::create(0);
  std::deque<Round> rounds_;
  std::uint64_t first_round_ = 0;
};

}  // namespace motley
