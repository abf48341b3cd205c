#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "sim/learning/data/sampler.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

using Kind = PartitionSpec::Kind;
using Order = SampleOrder;

const Place place{"scenario.json", "/data/partition"};

std::vector<Sample> drawn(Sampler& sampler, std::size_t count) {
  std::vector<Sample> samples(count);
  sampler.draw(samples);
  return samples;
}

std::vector<Sample> drawn(const Partition& partition, Order order, std::uint64_t seed,
                          std::size_t rank, std::size_t count) {
  Sampler sampler(partition, order, seed, rank);
  return drawn(sampler, count);
}

bool is_permutation_of_all(std::vector<Sample> samples) {
  std::sort(samples.begin(), samples.end());
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples[i] != i) return false;
  return true;
}

/// Sum of (observed - expected)^2 / expected, over its mean of (cells - 1).
double relative_chi_square(const std::vector<std::size_t>& counts) {
  const double total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0UL));
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const std::size_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum / static_cast<double>(counts.size() - 1);
}

/// Labels 0, 1, ..., classes-1, 0, 1, ...
std::vector<std::uint16_t> cyclic_labels(std::size_t count, std::size_t classes) {
  std::vector<std::uint16_t> labels(count);
  for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<std::uint16_t>(i % classes);
  return labels;
}

std::vector<std::vector<Sample>> parts(const Partition& partition, std::size_t workers) {
  std::vector<std::vector<Sample>> result(workers);
  for (std::size_t w = 0; w < workers; ++w)
    for (std::size_t i = 0; i < partition.size(w); ++i) result[w].push_back(partition.at(w, i));
  return result;
}

std::vector<std::vector<Sample>> parts(Kind kind, double alpha, std::size_t samples,
                                       std::size_t classes, std::size_t workers,
                                       std::uint64_t seed = 1) {
  const std::vector<std::uint16_t> labels = cyclic_labels(samples, classes);
  return parts(Partition({kind, alpha}, labels, classes, workers, seed), workers);
}

bool covers_everything_once(const std::vector<std::vector<Sample>>& all_parts) {
  std::vector<Sample> all;
  for (const auto& part : all_parts) all.insert(all.end(), part.begin(), part.end());
  return is_permutation_of_all(all);
}

std::size_t smallest(const std::vector<std::vector<Sample>>& all_parts) {
  std::size_t size = all_parts[0].size();
  for (const auto& part : all_parts) size = std::min(size, part.size());
  return size;
}

std::size_t largest(const std::vector<std::vector<Sample>>& all_parts) {
  std::size_t size = 0;
  for (const auto& part : all_parts) size = std::max(size, part.size());
  return size;
}

/// Mean over the workers of the share that a worker's most frequent label has in its part.
double mean_top_share(const std::vector<std::vector<Sample>>& all_parts, std::size_t classes) {
  double sum = 0;
  for (const auto& part : all_parts) {
    std::vector<std::size_t> counts(classes);
    for (const Sample s : part) ++counts[s % classes];
    sum += static_cast<double>(*std::max_element(counts.begin(), counts.end())) /
           static_cast<double>(part.size());
  }
  return sum / static_cast<double>(all_parts.size());
}

}  // namespace

TEST_CASE("every shuffled pass draws every sample once") {
  for (const std::size_t n : {1UL, 2UL, 3UL, 4UL, 5UL, 7UL, 8UL, 9UL, 16UL, 17UL, 100UL, 255UL,
                              256UL, 257UL, 1000UL, 4097UL, 60000UL}) {
    const Partition partition(n);
    Sampler sampler(partition, Order::shuffled, 1, 0);
    for (int pass = 0; pass < 3; ++pass) {
      CAPTURE(n, pass);
      CHECK(is_permutation_of_all(drawn(sampler, n)));
    }
  }
}

TEST_CASE("the samples drawn do not depend on how many are asked for at once") {
  const Partition partition(10);
  for (const Order order : {Order::shuffled, Order::independent}) {
    const std::vector<Sample> at_once = drawn(partition, order, 1, 0, 97);
    Sampler sampler(partition, order, 1, 0);
    std::vector<Sample> bit_by_bit;
    for (std::size_t size = 1; bit_by_bit.size() < at_once.size(); size = size % 23 + 3) {
      const auto more = drawn(sampler, std::min(size, at_once.size() - bit_by_bit.size()));
      bit_by_bit.insert(bit_by_bit.end(), more.begin(), more.end());
    }
    CHECK(bit_by_bit == at_once);
  }
}

TEST_CASE("drawing nothing changes nothing") {
  const Partition partition(10);
  Sampler sampler(partition, Order::shuffled, 1, 0);
  sampler.draw({});
  CHECK(drawn(sampler, 10) == drawn(partition, Order::shuffled, 1, 0, 10));
}

TEST_CASE("passes, ranks and seeds have orders of their own") {
  const Partition partition(1000);
  const std::vector<Sample> two_passes = drawn(partition, Order::shuffled, 1, 0, 2000);
  const std::vector<Sample> first(two_passes.begin(), two_passes.begin() + 1000);
  const std::vector<Sample> second(two_passes.begin() + 1000, two_passes.end());
  std::vector<Sample> file_order(1000);
  std::iota(file_order.begin(), file_order.end(), Sample{0});
  const auto in_common = [&](const std::vector<Sample>& other) {
    int count = 0;
    for (std::size_t i = 0; i < first.size(); ++i) count += first[i] == other[i] ? 1 : 0;
    return count;
  };
  // One place in common is expected of two independent orders.
  CHECK(in_common(second) < 6);
  CHECK(in_common(drawn(partition, Order::shuffled, 1, 1, 1000)) < 6);
  CHECK(in_common(drawn(partition, Order::shuffled, 2, 0, 1000)) < 6);
  CHECK(in_common(file_order) < 6);
}

TEST_CASE("the orders are pinned") {
  // A change here changes the result of every run that trains on data.
  const Partition partition(1000);
  CHECK(drawn(partition, Order::shuffled, 1, 0, 4) == std::vector<Sample>{478, 742, 639, 832});
  CHECK(drawn(Partition(60000), Order::shuffled, 1, 0, 4) ==
        std::vector<Sample>{43431, 41728, 20646, 43055});
  CHECK(drawn(partition, Order::independent, 1, 0, 4) == std::vector<Sample>{6, 276, 256, 748});
}

TEST_CASE("a shuffled pass puts every sample in every position equally often") {
  for (const std::size_t n : {2UL, 3UL, 5UL, 6UL, 12UL, 40UL}) {
    const Partition partition(n);
    Sampler sampler(partition, Order::shuffled, 1, 0);
    const std::size_t passes = 400 * n;
    std::vector<std::size_t> counts(n * n);
    for (std::size_t pass = 0; pass < passes; ++pass) {
      const std::vector<Sample> order = drawn(sampler, n);
      for (std::size_t i = 0; i < n; ++i) ++counts[i * n + order[i]];
    }
    CAPTURE(n);
    // Rows and columns have fixed sums: (n-1)^2 of the cells are free.
    const double free = static_cast<double>((n - 1) * (n - 1)) / static_cast<double>(n * n - 1);
    const double spread = std::sqrt(2.0 / static_cast<double>((n - 1) * (n - 1)));
    CHECK(relative_chi_square(counts) / free < 1 + 4 * spread);
  }
}

TEST_CASE("the same holds for regions of a larger set") {
  const std::size_t n = 1024;  // the smallest with fewer rounds of mixing
  const std::size_t regions = 16;
  const Partition partition(n);
  Sampler sampler(partition, Order::shuffled, 1, 0);
  std::vector<std::size_t> counts(regions * regions);
  for (int pass = 0; pass < 500; ++pass) {
    const std::vector<Sample> order = drawn(sampler, n);
    for (std::size_t i = 0; i < n; ++i)
      ++counts[i * regions / n * regions + order[i] * regions / n];
  }
  const double free = static_cast<double>((regions - 1) * (regions - 1)) / (regions * regions - 1);
  CHECK(relative_chi_square(counts) / free < 1.4);
  CHECK(relative_chi_square(counts) / free > 0.6);
}

TEST_CASE("all orders of four samples come up equally often") {
  const Partition partition(4);
  Sampler sampler(partition, Order::shuffled, 1, 0);
  std::map<std::vector<Sample>, std::size_t> seen;
  for (int pass = 0; pass < 24 * 400; ++pass) ++seen[drawn(sampler, 4)];
  REQUIRE(seen.size() == 24);
  for (const auto& [order, count] : seen) {
    CAPTURE(order);
    CHECK(count > 400 * 3 / 4);
    CHECK(count < 400 * 5 / 4);
  }
}

TEST_CASE("neighbours in a shuffled pass are unrelated") {
  // The steps from a sample to the next, around the circle, are uniform over all but 0.
  const std::size_t n = 60000;
  const std::vector<Sample> order = drawn(Partition(n), Order::shuffled, 1, 0, n);
  std::vector<std::size_t> counts(100);
  for (std::size_t i = 0; i + 1 < n; ++i)
    ++counts[(order[i + 1] + n - order[i]) % n * counts.size() / n];
  CHECK(relative_chi_square(counts) < 1.5);
}

TEST_CASE("the first samples of different ranks are spread evenly") {
  const Partition partition(50);
  for (const Order order : {Order::shuffled, Order::independent}) {
    std::vector<std::size_t> counts(50);
    for (std::size_t rank = 0; rank < 5000; ++rank)
      ++counts[drawn(partition, order, 1, rank, 1)[0]];
    CHECK(relative_chi_square(counts) < 1.8);
  }
}

TEST_CASE("independent draws are uniform and repeat samples") {
  const std::size_t n = 100;
  const std::vector<Sample> samples = drawn(Partition(n), Order::independent, 1, 0, 200 * n);
  std::vector<std::size_t> counts(n);
  for (const Sample s : samples) ++counts.at(s);
  CHECK(relative_chi_square(counts) < 1.6);
  CHECK(relative_chi_square(counts) > 0.4);
  CHECK(std::set<Sample>(samples.begin(), samples.begin() + n).size() < 80);
}

TEST_CASE("independent draws from a single sample give that sample") {
  CHECK(drawn(Partition(1), Order::independent, 1, 0, 3) == std::vector<Sample>{0, 0, 0});
}

TEST_CASE("under iid a worker's order does not depend on how many workers there are") {
  const std::vector<std::uint16_t> labels = cyclic_labels(100, 10);
  const Partition few({Kind::iid, 0}, labels, 10, 2, 1);
  const Partition many({Kind::iid, 0}, labels, 10, 5000, 1);
  CHECK(many.size(4999) == 100);
  CHECK(drawn(few, Order::shuffled, 1, 1, 250) == drawn(many, Order::shuffled, 1, 1, 250));
}

TEST_CASE("a sampler stays within its worker's part") {
  const std::vector<std::uint16_t> labels = cyclic_labels(103, 10);
  const Partition partition({Kind::shards, 0}, labels, 10, 7, 1);
  const auto all_parts = parts(partition, 7);
  for (std::size_t w = 0; w < 7; ++w) {
    for (const Order order : {Order::shuffled, Order::independent}) {
      const std::set<Sample> part(all_parts[w].begin(), all_parts[w].end());
      for (const Sample s : drawn(partition, order, 1, w, 100)) CHECK(part.count(s) == 1);
    }
  }
}

TEST_CASE("partitions are disjoint and cover everything") {
  for (const Kind kind : {Kind::shards, Kind::dirichlet, Kind::by_label}) {
    for (const std::size_t workers : {1UL, 2UL, 7UL, 100UL, 1003UL}) {
      CAPTURE(static_cast<int>(kind), workers);
      const auto all_parts = parts(kind, 0.3, 1003, 10, workers);
      CHECK(covers_everything_once(all_parts));
      CHECK(smallest(all_parts) >= 1);
      if (kind != Kind::dirichlet) CHECK(largest(all_parts) - smallest(all_parts) <= 1);
    }
  }
}

TEST_CASE("shards are random and depend on the seed") {
  const auto shards = parts(Kind::shards, 0, 1000, 10, 10);
  CHECK(shards == parts(Kind::shards, 0, 1000, 10, 10));
  CHECK(shards != parts(Kind::shards, 0, 1000, 10, 10, 2));
  CHECK(mean_top_share(shards, 10) < 0.25);
}

TEST_CASE("a small alpha of the Dirichlet partition is less even than a large one") {
  const auto uneven = parts(Kind::dirichlet, 0.05, 10000, 10, 10);
  const auto middling = parts(Kind::dirichlet, 1, 10000, 10, 10);
  const auto even = parts(Kind::dirichlet, 1000, 10000, 10, 10);
  CHECK(mean_top_share(uneven, 10) > 0.6);
  CHECK(mean_top_share(middling, 10) < mean_top_share(uneven, 10));
  CHECK(mean_top_share(middling, 10) > mean_top_share(even, 10));
  CHECK(mean_top_share(even, 10) < 0.15);
  CHECK(largest(even) - smallest(even) < 100);
}

TEST_CASE("the Dirichlet partition repeats itself and depends on the seed") {
  const auto once = parts(Kind::dirichlet, 1, 1000, 10, 10);
  CHECK(once == parts(Kind::dirichlet, 1, 1000, 10, 10));
  CHECK(once != parts(Kind::dirichlet, 1, 1000, 10, 10, 2));
}

TEST_CASE("a tiny alpha gives each class to one worker and leaves nobody empty") {
  const auto all_parts = parts(Kind::dirichlet, 1e-9, 1000, 2, 5);
  CHECK(covers_everything_once(all_parts));
  CHECK(smallest(all_parts) == 1);
  CHECK(largest(all_parts) >= 497);
}

TEST_CASE("by_label gives every worker few labels") {
  const auto all_parts = parts(Kind::by_label, 0, 1000, 10, 20);
  for (const auto& part : all_parts) {
    std::set<Sample> labels;
    for (const Sample s : part) labels.insert(s % 10);
    CHECK(labels.size() == 1);
  }
}

TEST_CASE("more workers than samples are refused unless all share the samples") {
  const std::vector<std::uint16_t> labels = cyclic_labels(5, 2);
  for (const Kind kind : {Kind::shards, Kind::dirichlet, Kind::by_label})
    CHECK_THROWS_WITH(Partition::check({kind, 1}, labels.size(), 6, place),
                      "scenario.json: /data/partition: must leave every worker a sample, but there "
                      "are 6 workers and 5 training samples");
  CHECK_NOTHROW(Partition::check({Kind::iid, 0}, labels.size(), 6, place));
}

}  // namespace motley
