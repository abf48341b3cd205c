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

  /// Before the simulation starts: who receives for this rank.
  void set_member(std::size_t rank, const simgrid::s4u::ActorPtr& actor);
  /// Called by the actor of each worker. Returns the mean weighted by `weight`.
  Parameters mean(std::size_t rank, const Parameters& value, double weight);

 private:
  struct Member {
    std::uint64_t round = 0;
    simgrid::s4u::Mailbox* mailbox = nullptr;
  };
  struct Round {
    std::vector<Parameters> values;
    std::vector<double> weights;
    Parameters mean;
    std::size_t collected = 0;
  };

  std::uint64_t piece_bytes(std::size_t piece) const;
  Round& round(std::uint64_t index);
  void exchange(std::size_t rank, std::uint64_t bytes, double latencies);
  void pass_pieces(std::size_t rank);
  void pass_flow(std::size_t rank);
  Parameters mean_of(const Round& round) const;

  Network& network_;
  ThreadPool& pool_;
  ApproximateSpec::Ring form_;
  std::uint64_t bytes_;
  std::vector<Member> members_;
  Gathering everybody_;
  std::deque<Round> rounds_;
  std::uint64_t first_round_ = 0;
};

}  // namespace motley
