#include "sim/engine/collectives/hierarchical.hpp"

#include <unordered_map>

namespace motley {

Hierarchical::Hierarchical(const Setup& setup) {
  std::unordered_map<std::size_t, std::size_t> index;  // of a node's number
  std::vector<std::vector<std::size_t>> ranks;         // of each node
  for (std::size_t position = 0; position < setup.ranks.size(); ++position) {
    const auto [node, is_new] = index.try_emplace(setup.nodes[position], ranks.size());
    if (is_new) ranks.emplace_back();
    places_.push_back({node->second, ranks[node->second].size()});
    ranks[node->second].push_back(setup.ranks[position]);
  }
  std::vector<std::size_t> first;
  for (std::vector<std::size_t>& inside : ranks) {
    first.push_back(inside.front());
    trees_.push_back(std::make_unique<Tree>(setup.network, std::move(inside)));
  }
  ring_ = std::make_unique<Ring>(Setup{setup.network, setup.approximate, std::move(first), {}});
}

void Hierarchical::pass(std::size_t position, std::uint64_t bytes) {
  const Place& place = places_[position];
  Tree& tree = *trees_[place.node];
  tree.reduce(place.inside, bytes);
  if (place.inside == 0) ring_->pass(place.node, bytes);
  tree.broadcast(place.inside, bytes);
}

}  // namespace motley
