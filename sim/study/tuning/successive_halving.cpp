#include "sim/study/tuning/successive_halving.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "sim/base/random.hpp"
#include "sim/results/statistics/tuning_score.hpp"

namespace motley {
namespace {

/// Of the budget, kept for what lies beyond the grids.
std::size_t reserve_of(std::size_t budget) {
  return budget / 5;
}

/// Beyond an end of a grid.
constexpr std::size_t most_added = 1000;

/// Sorted by their numbers, so that its ends are its edges; as it is when they are none.
ValueList ordered(ValueList list) {
  if (list.scale == ValueList::Scale::none) return list;
  std::stable_sort(list.values.begin(), list.values.end(), [](const Json& a, const Json& b) {
    return amount_of(a)->number < amount_of(b)->number;
  });
  return list;
}

class Halving {
 public:
  Halving(const TuningChoice& choice, const TrialResult& result)
      : choice_(choice), result_(result) {
    for (const ValueList& grid : choice.grids) written_.push_back(ordered(grid));
    grids_ = written_;
    added_.resize(grids_.size());
    for (const std::vector<Json>& values : choice.candidates) {
      state_.candidates.push_back({values, 0, 0});
    }
    contenders_.resize(state_.candidates.size());
    std::iota(contenders_.begin(), contenders_.end(), 0);
  }

  TuningState state() {
    if (contenders_.size() == 1 || go_through_rungs()) {
      state_.chosen = contenders_.front();
      state_.at_edge = !edges(contenders_.front()).empty() && !is_tied_with_next();
    }
    return state_;
  }

 private:
  struct Edge {
    std::size_t grid;
    bool upper;
  };

  /// False when a result is missing.
  bool go_through_rungs() {
    const std::size_t reserve = reserve_of(choice_.budget);
    std::size_t seeds = 1;
    std::size_t rung = 0;
    if (!run(contenders_, seeds, rung) || !extend(seeds, rung, reserve)) return false;
    for (;;) {
      // Until the reserve is spent it is not for the rungs.
      const std::size_t kept = reserve - std::min(reserve, beyond_);
      const auto fits = [&](std::size_t keep) {
        return state_.runs + keep * seeds + kept <= choice_.budget;
      };
      std::size_t keep = (contenders_.size() + 1) / 2;
      // From the second rung on everything takes an even number of runs, so the last two can share
      // all that is left if it is even here.
      const bool is_odd = seeds == 1 && (choice_.budget - state_.runs - keep) % 2 == 1;
      if (is_odd && keep > 1 && fits(keep + 1)) ++keep;
      if (keep < 2 || !fits(keep)) break;
      contenders_.resize(keep);
      seeds *= 2;
      if (!run(contenders_, seeds, ++rung) || !extend(seeds, rung, reserve)) return false;
    }
    if (!extend(seeds, rung, choice_.budget)) return false;
    contenders_.resize(2);
    const std::size_t more = (choice_.budget - state_.runs) / 2;
    if (more > 0 && !run(contenders_, seeds + more, rung + 1)) return false;
    return spend_last(seeds + more);
  }

  /// A run that two cannot share is for the one that is chosen: it changes nothing, but everybody
  /// takes the same number of runs.
  bool spend_last(std::size_t seed) {
    if (state_.runs == choice_.budget) return true;
    const std::size_t best = contenders_.front();
    ++state_.runs;
    ++state_.candidates[best].seeds;
    if (result_(state_.candidates[best].values, seed) != nullptr) return true;
    state_.missing.push_back({best, seed});
    return false;
  }

  /// Gives these candidates their runs on the first seeds and ranks the contenders by them.
  bool run(const std::vector<std::size_t>& candidates, std::size_t seeds, std::size_t rung) {
    for (const std::size_t c : candidates) {
      state_.runs += seeds - state_.candidates[c].seeds;
      state_.candidates[c].seeds = seeds;
      state_.candidates[c].rung = rung;
    }
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      for (const std::size_t c : candidates) {
        if (result_(state_.candidates[c].values, seed) == nullptr) {
          state_.missing.push_back({c, seed});
        }
      }
    }
    if (!state_.missing.empty()) return false;
    rank(seeds);
    return true;
  }

  void rank(std::size_t seeds) {
    std::vector<TuningScore> scores(state_.candidates.size());
    for (const std::size_t c : contenders_) {
      std::vector<const RunResult*> runs;
      for (std::size_t seed = 0; seed < seeds; ++seed) {
        runs.push_back(result_(state_.candidates[c].values, seed));
      }
      scores[c] = score_of(runs);
    }
    std::sort(contenders_.begin(), contenders_.end(), [&](std::size_t a, std::size_t b) {
      if (is_better(scores[a], scores[b], choice_.goal)) return true;
      return !is_better(scores[b], scores[a], choice_.goal) && a < b;
    });
  }

  /// While the best is at an edge, tries what lies beyond; at most so many runs are for that.
  bool extend(std::size_t seeds, std::size_t rung, std::size_t most) {
    while (beyond_ + seeds <= most && state_.runs + seeds <= choice_.budget) {
      const std::optional<std::vector<Json>> values = beyond_edge(contenders_.front());
      if (!values) break;
      beyond_ += seeds;
      contenders_.push_back(state_.candidates.size());
      state_.candidates.push_back({*values, 0, rung});
      if (!run({contenders_.back()}, seeds, rung)) return false;
    }
    return true;
  }

  /// Whether the second of the last two is exactly as good on the same seeds: what distinguishes them
  /// does not matter, so nothing better is to be expected beyond.
  bool is_tied_with_next() const {
    if (contenders_.size() < 2) return false;
    const std::size_t seeds =
        std::min(state_.candidates[contenders_[0]].seeds, state_.candidates[contenders_[1]].seeds);
    std::vector<TuningScore> scores;
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<const RunResult*> runs;
      for (std::size_t seed = 0; seed < seeds; ++seed) {
        runs.push_back(result_(state_.candidates[contenders_[i]].values, seed));
      }
      scores.push_back(score_of(runs));
    }
    return !is_better(scores[0], scores[1], choice_.goal) &&
           !is_better(scores[1], scores[0], choice_.goal);
  }

  std::vector<Edge> edges(std::size_t candidate) const {
    std::vector<Edge> found;
    for (std::size_t g = 0; g < grids_.size(); ++g) {
      const std::vector<Json>& values = grids_[g].values;
      const Json& value = state_.candidates[candidate].values[g];
      if (grids_[g].scale == ValueList::Scale::none || values.size() < 2) continue;
      if (choice_.is_limit(g, value)) continue;
      for (const bool upper : {false, true}) {
        if (value != (upper ? values.back() : values.front())) continue;
        if (!is_last_whole(candidate, g, upper)) found.push_back({g, upper});
      }
    }
    return found;
  }

  /// Whether the next whole number may not be, as beyond the largest batch that fits.
  bool is_last_whole(std::size_t candidate, std::size_t grid, bool upper) const {
    std::vector<Json> values = state_.candidates[candidate].values;
    if (!grids_[grid].only_whole || !values[grid].is_number_integer()) return false;
    values[grid] = values[grid].get<std::int64_t>() + (upper ? 1 : -1);
    return !choice_.is_allowed(values);
  }

  /// The candidate with its first value that is at an edge, and can be, moved beyond it.
  std::optional<std::vector<Json>> beyond_edge(std::size_t candidate) {
    for (const Edge& edge : edges(candidate)) {
      std::vector<Json>& line = grids_[edge.grid].values;
      std::size_t& added = edge.upper ? added_[edge.grid].above : added_[edge.grid].below;
      std::optional<Json> next = value_beyond(written_[edge.grid], edge.upper, added + 1);
      // Whole numbers may fall together.
      while (next && *next == (edge.upper ? line.back() : line.front()) && added < most_added) {
        next = value_beyond(written_[edge.grid], edge.upper, ++added + 1);
      }
      if (!next || added == most_added) continue;
      std::vector<Json> values = state_.candidates[candidate].values;
      values[edge.grid] = *next;
      if (!choice_.is_allowed(values)) continue;
      line.insert(edge.upper ? line.end() : line.begin(), *next);
      ++added;
      return values;
    }
    return std::nullopt;
  }

  const TuningChoice& choice_;
  const TrialResult& result_;
  struct Added {
    std::size_t below = 0;
    std::size_t above = 0;
  };
  std::vector<ValueList> written_;       // the grids in ascending order
  std::vector<ValueList> grids_;         // with what has been added at their ends
  std::vector<Added> added_;             // to each of them
  std::vector<std::size_t> contenders_;  // the best first, once they are ranked
  std::size_t beyond_ = 0;               // runs spent beyond the grids
  TuningState state_;
};

}  // namespace

TuningState successive_halving(const TuningChoice& choice, const TrialResult& result) {
  return Halving(choice, result).state();
}

double product_size(const std::vector<ValueList>& grids) {
  double size = 1;
  for (const ValueList& grid : grids) size *= static_cast<double>(grid.values.size());
  return size;
}

std::vector<std::vector<Json>> first_candidates(const std::vector<ValueList>& grids,
                                                std::size_t budget, std::uint64_t seed) {
  const std::size_t most = std::max<std::size_t>(2, (budget - reserve_of(budget)) / 2);
  const double all = product_size(grids);
  const std::size_t count = all <= static_cast<double>(most) ? static_cast<std::size_t>(all) : most;

  // The next in the order of the product, the last grid changing fastest; after the last the first.
  const auto step = [&grids](std::vector<std::size_t>& indices) {
    for (std::size_t g = grids.size(); g-- > 0;) {
      indices[g] = (indices[g] + 1) % grids[g].values.size();
      if (indices[g] > 0) return;
    }
  };
  std::set<std::vector<std::size_t>> chosen;
  if (static_cast<double>(count) == all) {
    std::vector<std::size_t> indices(grids.size(), 0);
    for (; chosen.size() < count; step(indices)) chosen.insert(indices);
  } else {
    std::vector<std::vector<std::size_t>> orders;
    for (std::size_t g = 0; g < grids.size(); ++g) {
      orders.emplace_back(count);
      std::iota(orders.back().begin(), orders.back().end(), 0);
      RandomStream stream(seed, "tune", static_cast<std::uint32_t>(g));
      for (std::size_t i = count; i-- > 1;) {
        std::swap(orders.back()[i], orders.back()[(std::uint64_t{stream()} * (i + 1)) >> 32U]);
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::size_t> indices;
      for (std::size_t g = 0; g < grids.size(); ++g) {
        // Evenly over the grid, both ends included.
        const std::size_t last = grids[g].values.size() - 1;
        indices.push_back((2 * orders[g][i] * last + count - 1) / (2 * (count - 1)));
      }
      while (!chosen.insert(indices).second) step(indices);
    }
  }
  std::vector<std::vector<Json>> candidates;
  for (const std::vector<std::size_t>& indices : chosen) {
    std::vector<Json> values;
    for (std::size_t g = 0; g < grids.size(); ++g) values.push_back(grids[g].values[indices[g]]);
    candidates.push_back(std::move(values));
  }
  return candidates;
}

}  // namespace motley
