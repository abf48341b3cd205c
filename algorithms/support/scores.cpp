#include "algorithms/support/scores.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace motley {
namespace {

constexpr std::size_t numbers_of_one = 3;

/// One entry of LearntLosses.
struct Learnt {
  double round;
  Sample sample;
  float loss;
};

Learnt learnt_at(const std::vector<double>& numbers, std::size_t i) {
  return {numbers[i], static_cast<Sample>(numbers[i + 1]), static_cast<float>(numbers[i + 2])};
}

/// In order of rank, not of time: rounding, and the clocks of real machines, must not decide which loss of
/// a sample counts that several have learnt in the same round.
void set_latest(Dealer& dealer, const std::vector<std::vector<double>>& learnt) {
  std::vector<std::tuple<double, std::size_t, std::size_t>> order;  // round, rank, place
  for (std::size_t rank = 0; rank < learnt.size(); ++rank) {
    for (std::size_t i = 0; i < learnt[rank].size(); i += numbers_of_one) {
      order.emplace_back(learnt[rank][i], rank, i);
    }
  }
  std::ranges::sort(order);
  for (const auto& [round, rank, i] : order) {
    const Learnt one = learnt_at(learnt[rank], i);
    dealer.set_score(one.sample, one.loss);
  }
}

void set_minimum(Dealer& dealer, const std::vector<std::vector<double>>& learnt) {
  struct Of {
    float least = std::numeric_limits<float>::infinity();
    std::size_t workers = 0;  // that have learnt it
    std::size_t last = 0;     // of them, counted from 1
  };
  std::vector<Of> samples(dealer.samples());
  std::size_t workers = 0;
  for (const std::vector<double>& numbers : learnt) {
    if (numbers.empty()) continue;
    ++workers;
    for (std::size_t i = numbers.size(); i >= numbers_of_one; i -= numbers_of_one) {
      const Learnt one = learnt_at(numbers, i - numbers_of_one);
      Of& of = samples[one.sample];
      if (of.last == workers) continue;  // a later loss of the same worker
      of.last = workers;
      ++of.workers;
      of.least = std::min(of.least, one.loss);
    }
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Of& of = samples[i];
    if (of.workers == 0) continue;
    const auto sample = static_cast<Sample>(i);
    const bool by_all = of.workers == workers;
    dealer.set_score(sample, by_all ? of.least : std::min(of.least, dealer.score(sample)));
  }
}

}  // namespace

void LearntLosses::add(std::size_t round, Sample sample, float loss) {
  numbers_.insert(numbers_.end(),
                  {static_cast<double>(round), static_cast<double>(sample), double{loss}});
}

void set_scores(Dealer& dealer, Scores how, const std::vector<std::vector<double>>& learnt) {
  if (how == Scores::latest)
    set_latest(dealer, learnt);
  else
    set_minimum(dealer, learnt);
}

}  // namespace motley
