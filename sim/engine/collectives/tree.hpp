#pragma once

#include "sim/engine/collectives/collective.hpp"
#include "sim/engine/collectives/rendezvous.hpp"

namespace motley {

/// Binomial tree: the whole vector is reduced towards the first member, then broadcast from it. In
/// step k = 0, 1, ... of the reduction the member at p 2^(k+1) + 2^k sends to the one at p 2^(k+1);
/// the broadcast goes the same way back. ceil(log2 W) steps each, whatever W is:
///
///   2 ceil(log2 W) (L + S/b)
///
/// on equal links without other traffic. The vector is not cut, so nothing is pipelined.
class Tree final : public Collective {
 public:
  explicit Tree(const Setup& setup) : Tree(setup.network, setup.ranks) {}
  /// `ranks`: of the members, the root first.
  Tree(Network& network, std::vector<std::size_t> ranks) : messages_(network, std::move(ranks)) {}

  void pass(std::size_t position, std::uint64_t bytes) override;
  const char* waits_for() const override { return "its neighbours in the tree of the all-reduce"; }

  /// The halves of it.
  void reduce(std::size_t position, std::uint64_t bytes);
  void broadcast(std::size_t position, std::uint64_t bytes);

 private:
  Rendezvous messages_;
};

}  // namespace motley
