#include "algorithms/support/dealer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/learning/data/random_order.hpp"

namespace motley {
namespace {

// The orders made for each deal, each with random numbers of its own.
enum class Order : std::uint32_t { everything, candidates, chosen };

std::vector<Sample> order(std::size_t count, std::uint64_t seed, std::uint32_t deal, Order which,
                          std::uint32_t pass = 0) {
  // The ranks of a stream are numbered by deal, its parts by order and pass.
  return random_order(count, RandomStream(seed, Purpose::dealing, deal,
                                          3 * pass + static_cast<std::uint32_t>(which)));
}

}  // namespace

Dealer::Dealer(Setup setup)
    : setup_(std::move(setup)), scores_(setup_.samples, std::numeric_limits<float>::infinity()) {}

std::vector<Sample> Dealer::biased_samples(std::size_t count) {
  const std::size_t times = setup_.samples / count;  // they go into it
  const double ratio = std::min(setup_.candidate_ratio, static_cast<double>(times));
  const auto wanted = static_cast<std::size_t>(std::ceil(ratio * static_cast<double>(count)));
  candidates_ = order(setup_.samples, setup_.seed, deals_, Order::candidates);
  candidates_.resize(std::clamp(wanted, std::min(count, setup_.samples), setup_.samples));
  // Largest scores first; equal ones stay in their random order.
  std::vector<Sample> chosen = candidates_;
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](Sample a, Sample b) { return scores_[a] > scores_[b]; });
  std::vector<Sample> shuffled;
  shuffled.reserve(count);
  const std::size_t distinct = std::min(count, chosen.size());
  for (std::uint32_t pass = 0; shuffled.size() < count; ++pass) {  // once, unless there are too few
    for (const Sample i : order(distinct, setup_.seed, deals_, Order::chosen, pass)) {
      if (shuffled.size() < count) shuffled.push_back(chosen[i]);
    }
  }
  return shuffled;
}

void Dealer::deal() {
  std::size_t slow_count = 0;
  for (std::size_t w = 0; w < setup_.hand_size.size(); ++w) {
    if (setup_.biased && setup_.slow[w]) slow_count += setup_.hand_size[w];
  }
  candidates_.clear();
  const std::vector<Sample> chosen =
      slow_count > 0 ? biased_samples(slow_count) : std::vector<Sample>();
  std::size_t chosen_dealt = 0;

  std::vector<Sample> everything;
  std::size_t dealt = 0;
  std::uint32_t pass = 0;
  hands_.clear();
  for (std::size_t w = 0; w < setup_.hand_size.size(); ++w) {
    std::vector<Sample> hand;
    hand.reserve(setup_.hand_size[w]);
    const bool slow = setup_.biased && setup_.slow[w];
    while (hand.size() < setup_.hand_size[w]) {
      if (slow) {
        hand.push_back(chosen[chosen_dealt++]);
        continue;
      }
      if (dealt == everything.size()) {
        everything = order(setup_.samples, setup_.seed, deals_, Order::everything, pass++);
        dealt = 0;
      }
      hand.push_back(everything[dealt++]);
    }
    hands_.push_back(std::move(hand));
  }
  ++deals_;
}

std::uint64_t Dealer::wire_bytes() const {
  std::uint64_t bytes = setup_.biased ? sizeof(float) * scores_.size() : 0;
  for (const std::vector<Sample>& hand : hands_) bytes += sizeof(Sample) * hand.size();
  return bytes;
}

}  // namespace motley
