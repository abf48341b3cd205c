#include "sim/engine/ring.hpp"

namespace s4u = simgrid::s4u;

namespace motley {

Ring::Ring(Network& network, ThreadPool& pool, ApproximateSpec::Ring form, std::size_t workers,
           std::uint64_t bytes)
    : network_(network), pool_(pool), form_(form), bytes_(bytes), members_(workers) {}

std::uint64_t Ring::piece_bytes(std::size_t piece) const {
  // Whole bytes, all pieces together exactly the message.
  const std::uint64_t pieces = members_.size();
  return bytes_ * (piece + 1) / pieces - bytes_ * piece / pieces;
}

Ring::Round& Ring::round(std::uint64_t index) {
  // A fast worker may be one round ahead of one that has yet to collect.
  while (rounds_.size() <= index - first_round_) {
    rounds_.emplace_back();
    rounds_.back().values.resize(members_.size());
    rounds_.back().weights.resize(members_.size());
  }
  return rounds_[index - first_round_];
}

Parameters Ring::mean_of(const Round& round) const {
  double total = 0;
  for (const double weight : round.weights) total += weight;
  std::vector<const Parameters*> vectors;
  std::vector<float> shares;
  for (std::size_t i = 0; i < round.values.size(); ++i) {
    vectors.push_back(&round.values[i]);
    shares.push_back(static_cast<float>(round.weights[i] / total));
  }
  return weighted_sum(vectors, shares, pool_);
}

void Ring::wake_if_through(Member& member) {
  if (member.wanted == 0 || member.sent < member.wanted || member.received < member.wanted) return;
  member.wanted = 0;
  member.arrival->release();
}

void Ring::exchange(std::size_t rank, std::uint64_t bytes) {
  Member& me = members_[rank];
  if (!me.arrival) me.arrival = s4u::Semaphore::create(0);
  me.wanted = ++me.exchanges;
  network_.send(rank, (rank + 1) % members_.size(), bytes, [this, rank] {
    Member& left = members_[rank];
    Member& right = members_[(rank + 1) % members_.size()];
    ++left.sent;
    ++right.received;
    wake_if_through(left);
    wake_if_through(right);
  });
  me.arrival->acquire();
}

void Ring::pass_pieces(std::size_t rank) {
  const std::size_t workers = members_.size();
  for (std::size_t step = 0; step < 2 * (workers - 1); ++step) {
    // Reduce-scatter passes on piece rank - step; all-gather starts from the piece just completed.
    const std::size_t passed_on = step < workers - 1 ? step : step - (workers - 1);
    const std::size_t start = step < workers - 1 ? rank : rank + 1;
    exchange(rank, piece_bytes((start + workers - passed_on) % workers));
  }
}

void Ring::pass_flow() {
  const std::size_t workers = members_.size();
  if (workers == 1) return;
  if (++here_ == workers) {
    here_ = 0;
    under_way_ = workers;
    for (std::size_t rank = 0; rank < workers; ++rank) {
      // All pieces twice, but for the one it completes and the one its neighbour does.
      const std::uint64_t bytes =
          2 * bytes_ - piece_bytes((rank + 1) % workers) - piece_bytes((rank + 2) % workers);
      const auto through = [this] {
        if (--under_way_ == 0) release(*all_through_, members_.size());
      };
      network_.send(rank, (rank + 1) % workers, bytes, through,
                    static_cast<double>(2 * (workers - 1)));
    }
  }
  all_through_->acquire();
}

Parameters Ring::mean(std::size_t rank, const Parameters& value, double weight) {
  const std::uint64_t my_round = members_[rank].round++;
  round(my_round).values[rank] = value;
  round(my_round).weights[rank] = weight;
  if (form_ == ApproximateSpec::Ring::fluid)
    pass_flow();
  else
    pass_pieces(rank);

  Round& mine = round(my_round);
  if (mine.mean.empty()) {
    mine.mean = mean_of(mine);
    mine.values.clear();
  }
  Parameters result = mine.mean;
  if (++mine.collected == members_.size()) {
    // Rounds are collected in order, so this is the first.
    rounds_.pop_front();
    ++first_round_;
  }
  return result;
}

}  // namespace motley
