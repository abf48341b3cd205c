#include "sim/engine/ring.hpp"

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

void Ring::wake(Member& member) {
  if (!member.waiting) return;
  member.waiting = false;
  member.progress->release();
}

void Ring::pass_pieces(std::size_t rank) {
  const std::size_t workers = members_.size();
  const std::size_t right = (rank + 1) % workers;
  Member& me = members_[rank];
  for (std::size_t step = 0; step < 2 * (workers - 1); ++step) {
    // Reduce-scatter passes on piece rank - step; all-gather starts from the piece just completed.
    const std::size_t passed_on = step < workers - 1 ? step : step - (workers - 1);
    const std::size_t start = step < workers - 1 ? rank : rank + 1;
    const std::size_t piece = (start + workers - passed_on) % workers;
    const std::uint64_t steps_done = me.sent;  // each sent one piece and received one
    network_.send(rank, right, piece_bytes(piece), [this, rank, right] {
      ++members_[rank].sent;
      ++members_[right].received;
      wake(members_[rank]);
      wake(members_[right]);
    });
    while (me.sent <= steps_done || me.received <= steps_done) {
      me.waiting = true;
      me.progress->acquire();
    }
  }
}

void Ring::pass_flows(std::size_t rank, std::uint64_t round_index) {
  const std::size_t workers = members_.size();
  if (workers == 1) return;
  if (++round(round_index).arrived == workers) {
    const auto steps = static_cast<double>(2 * (workers - 1));
    for (std::size_t from = 0; from < workers; ++from) {
      // All pieces twice, but for the one it completes and the one its neighbour does.
      const std::uint64_t bytes =
          2 * bytes_ - piece_bytes((from + 1) % workers) - piece_bytes((from + 2) % workers);
      const auto through = [this, round_index] {
        if (++round(round_index).flows_through < members_.size()) return;
        for (Member& member : members_) wake(member);
      };
      network_.send(from, (from + 1) % workers, bytes, through, steps);
    }
  }
  while (round(round_index).flows_through < workers) {
    members_[rank].waiting = true;
    members_[rank].progress->acquire();
  }
}

Parameters Ring::mean(std::size_t rank, const Parameters& value, double weight) {
  const std::uint64_t my_round = members_[rank].round++;
  round(my_round).values[rank] = value;
  round(my_round).weights[rank] = weight;
  if (form_ == ApproximateSpec::Ring::fluid)
    pass_flows(rank, my_round);
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
