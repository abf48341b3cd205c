#include "sim/engine/collectives/averaging.hpp"

#include <stdexcept>

#include "sim/engine/collectives/member_order.hpp"
#include "sim/engine/network/wire_bytes.hpp"
#include "sim/engine/platform/platform.hpp"

namespace motley {

Averaging::Averaging(const Setup& setup, const std::vector<std::size_t>& ranks,
                     const std::string& collective)
    : setup_(setup), members_(ranks.size()) {
  std::vector<std::size_t> nodes;
  for (const std::size_t rank : ranks) {
    // A worker on no node is a machine of its own, with a number beyond those of nodes.
    nodes.push_back(setup.cluster.workers[rank].node.value_or(setup.cluster.workers.size() + rank));
  }
  Collective::Setup of_collective{setup.network, setup.approximate, {}, {}};
  for (const std::size_t member : near_order(setup.platform, ranks, nodes)) {
    members_[member].position = static_cast<std::uint32_t>(of_collective.ranks.size());
    of_collective.ranks.push_back(ranks[member]);
    of_collective.nodes.push_back(nodes[member]);
  }
  collective_ = make_collective(collective, std::move(of_collective));
}

Averaging::Round& Averaging::round(std::uint64_t index) {
  // A fast member may be one round ahead of one that has yet to collect.
  while (rounds_.size() <= index - first_round_) {
    rounds_.emplace_back();
    rounds_.back().values.resize(members_.size());
    rounds_.back().weights.resize(members_.size());
  }
  return rounds_[index - first_round_];
}

Parameters Averaging::mean_of(const Round& round) const {
  double total = 0;
  for (const double weight : round.weights) total += weight;
  std::vector<const Parameters*> vectors;
  std::vector<float> shares;
  for (std::size_t i = 0; i < round.values.size(); ++i) {
    vectors.push_back(&round.values[i]);
    shares.push_back(static_cast<float>(round.weights[i] / total));
  }
  return weighted_sum(vectors, shares, setup_.pool);
}

void Averaging::begin(std::size_t member) {
  if (members_[member].is_under_way) {
    throw std::logic_error("an all-reduce was begun in a group before the last one had ended");
  }
  members_[member].is_under_way = true;
}

Averaging::Outcome Averaging::mean(std::size_t member, const Parameters& value, double weight,
                                   std::vector<double> numbers,
                                   std::optional<std::uint64_t> bytes) {
  Round& mine = round(members_[member].round++);  // it stays where it is while others come and go
  mine.values[member] = value;
  mine.weights[member] = weight;
  if (!numbers.empty()) {
    if (!mine.numbers) {
      mine.numbers = std::make_shared<std::vector<std::vector<double>>>(members_.size());
    }
    (*mine.numbers)[member] = std::move(numbers);
  }
  pass(member, bytes.value_or(part_of_bytes(setup_.model_bytes, value.size(), setup_.model_size)));

  if (mine.mean.empty()) {
    mine.mean = mean_of(mine);
    mine.values.clear();
  }
  Outcome outcome{mine.mean, mine.numbers};
  members_[member].is_under_way = false;
  if (++mine.collected == members_.size()) {
    // Rounds are collected in order, so this is the first.
    rounds_.pop_front();
    ++first_round_;
  }
  return outcome;
}

}  // namespace motley
