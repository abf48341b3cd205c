#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace motley {

/// When the other ranks were last heard of, and which of them has been silent for too long. Time in which this
/// rank itself did not look, since it was stopped or had no core, does not count: what the others have said
/// meanwhile may not have been read yet.
class Silence {
 public:
  /// A rank that moves its messages on is heard of every quarter of a second, however busy its machine is.
  static constexpr double too_long_s = 30;

  Silence(std::size_t ranks, double now)
      : heard_s_(ranks, now), pieces_(ranks, 0), looked_s_(now) {}

  void heard_of(std::size_t rank, double now) { heard_s_[rank] = now; }
  /// So many pieces of messages have come from it in all. A long one holds up all that the rank has to say.
  void heard_pieces(std::size_t rank, std::uint64_t pieces, double now) {
    if (pieces != pieces_[rank]) heard_of(rank, now);
    pieces_[rank] = pieces;
  }

  /// Call it again and again, a few times a second: the first of the first `ranks` that is silent.
  std::optional<std::size_t> look(double now, std::size_t ranks) {
    constexpr double away_s = 2;
    const double passed_s = now - looked_s_;
    looked_s_ = now;
    if (passed_s > away_s) {
      for (double& heard_s : heard_s_) heard_s += passed_s;
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (now - heard_s_[rank] >= too_long_s) return rank;
    }
    return std::nullopt;
  }

 private:
  std::vector<double> heard_s_;        // by rank
  std::vector<std::uint64_t> pieces_;  // by rank
  double looked_s_;
};

}  // namespace motley
