// What the published algorithms build on, without a simulation: whole numbers in proportion, groups
// by speed, dealt samples, and models split over servers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "algorithms/support/apportioned_to_all.hpp"
#include "algorithms/support/dealer.hpp"
#include "algorithms/support/speed_groups.hpp"
#include "sim/base/apportion.hpp"
#include "sim/engine/model/model_split.hpp"
#include "sim/learning/data/sampler.hpp"
#include "sim/vocabulary/shared_state.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

using Counts = std::vector<std::size_t>;

TEST_CASE("whole numbers in proportion keep the total, by largest remainders") {
  CHECK(apportioned(6, std::vector<double>{1, 2}) == Counts{2, 4});
  CHECK(apportioned(4, std::vector<double>{1, 3}) == Counts{1, 3});
  CHECK(apportioned(10, std::vector<double>{1, 1, 1}) == Counts{4, 3, 3});
  CHECK(apportioned(7, std::vector<double>{0.26, 0.5, 0.24}) == Counts{2, 3, 2});
  CHECK(apportioned(5, std::vector<double>{1000, 1, 1}) == Counts{5, 0, 0});
  CHECK(apportioned_to_all(5, std::vector<double>{1000, 1, 1}) == Counts{3, 1, 1});
}

TEST_CASE("groups are found by the gaps between the speeds") {
  // Twelve workers at 3:2:1, two, four and six of them.
  const std::vector<double> speeds = {3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1};
  const Counts expected = {0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
  CHECK(group_by_speed(speeds, std::nullopt) == expected);
  CHECK(group_by_speed(speeds, 3) == expected);
  CHECK(group_by_speed(speeds, 1) == Counts(12, 0));

  const std::vector<double> noisy = {1.02, 3.98, 0.98, 4.02, 1.00, 4.00};
  CHECK(group_by_speed(noisy, std::nullopt) == Counts{1, 0, 1, 0, 1, 0});
  CHECK(group_by_speed(std::vector<double>(5, 2.5), std::nullopt) == Counts(5, 0));
  CHECK(group_by_speed(std::vector<double>{1, 9}, std::nullopt) == Counts{0, 0});
  CHECK(group_by_speed(std::vector<double>{1, 9}, 2) == Counts{1, 0});
}

TEST_CASE("groups whose midpoints are nearest are merged, and the midpoint of both is halfway") {
  // 0 and 1 make 0.5, which is 1.7 from 2.2, and that 1.8 from 4. (Ward would merge 2.2 and 4: 1.62 < 1.93.)
  const std::vector<double> speeds = {0, 1, 2.2, 4};
  CHECK(group_by_speed(speeds, 2) == Counts{1, 1, 1, 0});
  // These three have 1.35 then, which is 2.65 from 4, and 6.8 is 2.8 from it; from their mean, 1.07, it is 2.93.
  CHECK(group_by_speed(std::vector<double>{0, 1, 2.2, 4, 6.8}, 2) == Counts{1, 1, 1, 1, 0});
}

TEST_CASE("equal speeds are never divided") {
  CHECK(group_by_speed(std::vector<double>{2, 5, 2, 2}, 3) == Counts{1, 0, 1, 1});
  CHECK(group_by_speed(std::vector<double>(5, 2.5), 3) == Counts(5, 0));
}

TEST_CASE("with noise a given number of groups holds, and the ratio likes many") {
  std::vector<double> speeds = {3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1};
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    speeds[i] *= 1 + 1e-3 * std::sin(static_cast<double>(i + 1));
  }
  CHECK(group_by_speed(speeds, 3) == Counts{0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2});
  CHECK(std::ranges::max(group_by_speed(speeds, std::nullopt)) > 5);
}

Dealer::Setup some_deal() {
  Dealer::Setup setup;
  setup.samples = 1000;
  setup.hand_size = {120, 300, 120, 300};
  setup.slow = {true, false, true, false};
  setup.biased = true;
  setup.candidate_ratio = 3;
  setup.seed = 5;
  return setup;
}

TEST_CASE("slow workers get the top K of their candidates by score") {
  Dealer dealer(some_deal());
  for (Sample s = 0; s < 1000; ++s) {
    if (s % 7 != 0) dealer.set_score(s, static_cast<float>((s * 37) % 1000) / 10);
  }
  std::set<Sample> earlier;
  for (int deal = 0; deal < 5; ++deal) {
    dealer.deal();
    const std::vector<std::vector<Sample>>& hands = dealer.hands();
    std::set<Sample> chosen(hands[0].begin(), hands[0].end());
    chosen.insert(hands[2].begin(), hands[2].end());
    REQUIRE(chosen.size() == 240);
    const std::vector<Sample>& candidates = dealer.candidates();
    CHECK(std::set<Sample>(candidates.begin(), candidates.end()).size() == 720);
    float least_chosen = std::numeric_limits<float>::infinity();
    float most_left = 0;
    for (const Sample s : candidates) {
      if (chosen.contains(s))
        least_chosen = std::min(least_chosen, dealer.score(s));
      else
        most_left = std::max(most_left, dealer.score(s));
    }
    CHECK(least_chosen >= most_left);
    for (const Sample s : chosen) {
      CHECK(std::find(candidates.begin(), candidates.end(), s) != candidates.end());
    }
    CHECK(std::set<Sample>(candidates.begin(), candidates.end()) != earlier);
    earlier = {candidates.begin(), candidates.end()};
    // The fast ones: disjoint slices of a permutation of everything.
    std::set<Sample> fast(hands[1].begin(), hands[1].end());
    fast.insert(hands[3].begin(), hands[3].end());
    CHECK(fast.size() == 600);
  }
}

TEST_CASE("samples never seen come before all others") {
  Dealer dealer(some_deal());
  for (Sample s = 0; s < 990; ++s) dealer.set_score(s, 1e30F);
  Dealer::Setup all = some_deal();
  all.candidate_ratio = 100;  // at most as often as 240 goes into 1000: 4
  Dealer wide(all);
  for (Sample s = 0; s < 990; ++s) wide.set_score(s, 1e30F);
  wide.deal();
  const auto& hands = wide.hands();
  CHECK(wide.candidates().size() == 960);
  std::size_t unseen = 0;
  for (const Sample s : wide.candidates()) unseen += s >= 990 ? 1 : 0;
  std::size_t dealt = 0;
  for (const std::size_t w : {0U, 2U}) {
    for (const Sample s : hands[w]) dealt += s >= 990 ? 1 : 0;
  }
  CHECK(dealt == unseen);
}

TEST_CASE("without bias a deal covers what it must: disjoint slices of one permutation") {
  Dealer::Setup setup = some_deal();
  setup.biased = false;
  setup.hand_size = {100, 400, 100, 400};
  Dealer dealer(setup);
  std::vector<Sample> first;
  for (int deal = 0; deal < 3; ++deal) {
    std::vector<Sample> all;
    dealer.deal();
    for (const auto& hand : dealer.hands()) all.insert(all.end(), hand.begin(), hand.end());
    CHECK(all != first);
    first = all;
    CHECK(std::set<Sample>(all.begin(), all.end()).size() == 1000);
  }
}

TEST_CASE("a deal larger than the data goes round again") {
  Dealer::Setup setup = some_deal();
  setup.samples = 100;
  Dealer dealer(setup);
  dealer.deal();
  const auto& hands = dealer.hands();
  for (std::size_t w = 0; w < 4; ++w) CHECK(hands[w].size() == setup.hand_size[w]);
  for (Sample s = 0; s < 100; ++s) {
    CHECK(std::count(hands[1].begin(), hands[1].end(), s) == 3);  // 300 of 100
  }
}

TEST_CASE("data shares are disjoint, complete and in proportion") {
  const std::vector<double> shares = {3, 1, 1};
  const Partition partition(1000, shares, 4);
  CHECK(partition.size(0) == 600);
  CHECK(partition.size(1) == 200);
  std::set<Sample> all;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    for (std::size_t i = 0; i < partition.size(rank); ++i) all.insert(partition.at(rank, i));
  }
  CHECK(all.size() == 1000);
}

/// Three layers of 100, 60 and 40 parameters; servers with links of these bandwidths.
std::vector<Shard> split(const ExchangeSpec& spec, const std::vector<double>& bandwidths) {
  ClusterPlan cluster;
  for (const double bandwidth : bandwidths) {
    cluster.servers.push_back({"server", "server", 1e9, {{bandwidth, bandwidth}, 0}, {}});
  }
  return split_model(spec, {{100, 0, 0}, {60, 0, 0}, {40, 0, 0}}, 200, cluster, 2001, 1e6,
                     {"f", ""});
}

TEST_CASE("even placement gives every server an equal part, cutting layers") {
  const std::vector<Shard> shards = split({}, {1e6, 3e6});
  REQUIRE(shards.size() == 2);
  CHECK(shards[0].server == 0);
  CHECK(shards[0].size == 100);
  CHECK(shards[1].begin == 100);
  CHECK(shards[0].bytes + shards[1].bytes == 2001);
  CHECK(shards[1].update_flops == 5e5);

  const std::vector<Shard> by_layer =
      split({ExchangeSpec::Overlap::layers, ExchangeSpec::Placement::even}, {1e6, 3e6, 1e6});
  // Ends of the servers' ranges at 66, 133, 200; of the layers at 100, 160, 200.
  std::vector<std::size_t> begins;
  std::vector<std::size_t> layers;
  std::vector<std::size_t> servers;
  for (const Shard& shard : by_layer) {
    begins.push_back(shard.begin);
    layers.push_back(shard.layer);
    servers.push_back(shard.server);
  }
  CHECK(begins == Counts{0, 66, 100, 133, 160});
  CHECK(layers == Counts{0, 0, 1, 1, 2});
  CHECK(servers == Counts{0, 1, 1, 2, 2});
}

TEST_CASE(
    "fast_first and slow_first give whole layers, the input's to the fastest or the slowest") {
  const ExchangeSpec fast{ExchangeSpec::Overlap::none, ExchangeSpec::Placement::fast_first};
  const ExchangeSpec slow{ExchangeSpec::Overlap::none, ExchangeSpec::Placement::slow_first};
  for (const auto& [spec, first] : {std::pair{fast, 1U}, std::pair{slow, 0U}}) {
    const std::vector<Shard> shards = split(spec, {1e6, 3e6});
    REQUIRE(shards.size() == 2);
    CHECK(shards[0].server == first);
    CHECK(shards[0].size == 100);
    CHECK(shards[1].size == 100);
    CHECK(shards[1].server == 1 - first);
  }
  CHECK_THROWS_WITH(split(fast, {1, 2, 3, 4}),
                    "f: /placement: needs at least as many layers as servers, but the model has 3 "
                    "and /cluster/servers 4: choose \"even\", which cuts layers");
}

}  // namespace
TEST_CASE(
    "who goes on with another's deals gets their bytes: hands, and scores where these count") {
  std::optional<Dealer> dealer;
  double number = 0;
  CHECK(SharedState::of(dealer, number).bytes == 0);
  dealer.emplace(some_deal());
  dealer->deal();
  std::uint64_t hands = 0;
  for (const std::size_t size : some_deal().hand_size) hands += size;
  CHECK(SharedState::of(number, dealer).bytes == 4 * (1000 + hands));
  Dealer::Setup unbiased = some_deal();
  unbiased.biased = false;
  Dealer other(unbiased);
  other.deal();
  CHECK(SharedState::of(other).bytes == 4 * hands);
}

}  // namespace motley
