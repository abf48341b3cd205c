#include "sim/engine/collectives/average_of_all.hpp"

#include "sim/engine/collectives/member_order.hpp"
#include "sim/engine/network/wire_bytes.hpp"
#include "sim/engine/world.hpp"

namespace motley {

void AverageOfAll::begin(const std::vector<std::size_t>& ranks) {
  if (world_.ending.is_over()) return;
  const ClusterPlan& cluster = world_.setup.cluster;
  std::vector<std::size_t> nodes;
  for (const std::size_t rank : ranks) {
    nodes.push_back(cluster.workers[rank].node.value_or(cluster.workers.size() + rank));
  }
  ring_.clear();
  for (const std::size_t member : near_order(world_.platform, ranks, nodes)) {
    ring_.push_back(ranks[member]);
  }
  ++attempt_;
  world_.agenda.set(world_.clock(), *this);
}

void AverageOfAll::happen() {
  if (ring_.empty() || world_.ending.is_over()) return;
  begun_s_ = world_.clock();
  steps_left_ = 2 * (ring_.size() - 1);
  send_pieces();
}

void AverageOfAll::send_pieces() {
  if (steps_left_ == 0) {
    ring_.clear();
    world_.recorder.target_averaged(world_.clock() - begun_s_);
    if (world_.recorder.stop().stopped()) world_.ending.end();
    return;
  }
  --steps_left_;
  const std::uint64_t bytes = world_.setup.message_bytes;
  const std::size_t members = ring_.size();
  under_way_ = members;
  for (std::size_t i = 0; i < members; ++i) {
    const std::uint64_t piece =
        part_of_bytes(bytes, i + 1, members) - part_of_bytes(bytes, i, members);
    world_.network.send(ring_[i], ring_[(i + 1) % members], piece,
                        [this, attempt = attempt_] { piece_arrives(attempt); });
  }
}

void AverageOfAll::piece_arrives(std::uint64_t attempt) {
  if (attempt != attempt_ || ring_.empty() || world_.ending.is_over()) return;
  if (--under_way_ == 0) send_pieces();
}

void AverageOfAll::member_fails() {
  if (ring_.empty()) return;
  ring_.clear();
  world_.recorder.target_average_lost(world_.clock());
}

}  // namespace motley
