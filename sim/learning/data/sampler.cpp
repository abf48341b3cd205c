#include "sim/learning/data/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include <boost/random/gamma_distribution.hpp>
#include <boost/random/uniform_01.hpp>

#include "sim/base/apportion.hpp"

namespace motley {
namespace {

using Parts = std::vector<std::vector<Sample>>;

/// Contiguous parts of `order` whose sizes differ by at most one.
Parts cut(const std::vector<Sample>& order, std::size_t workers) {
  Parts parts(workers);
  auto from = order.begin();
  for (std::size_t w = 0; w < workers; ++w) {
    const std::size_t size = order.size() / workers + (w < order.size() % workers ? 1 : 0);
    const auto to = from + static_cast<std::ptrdiff_t>(size);
    parts[w].assign(from, to);
    from = to;
  }
  return parts;
}

Parts cut_by_label(std::span<const std::uint16_t> labels, std::size_t workers) {
  std::vector<Sample> order(labels.size());
  std::iota(order.begin(), order.end(), Sample{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Sample a, Sample b) { return labels[a] < labels[b]; });
  return cut(order, workers);
}

/// Proportions that sum to 1. The gamma variates are handled by their logarithms: for a small alpha
/// they would all underflow to zero.
std::vector<double> dirichlet(double alpha, std::size_t workers, RandomStream stream) {
  // Gamma(alpha) = Gamma(alpha + 1) * U^(1/alpha)
  boost::random::gamma_distribution<double> gamma(alpha + 1);
  boost::random::uniform_01<double> uniform;
  std::vector<double> shares(workers);
  for (double& share : shares) {
    share = std::log(gamma(stream));
    share += std::log(1 - uniform(stream)) / alpha;
    share = std::max(share, std::numeric_limits<double>::lowest());
  }
  const double largest = *std::max_element(shares.begin(), shares.end());
  for (double& share : shares) share = std::exp(share - largest);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

/// A worker cannot draw from nothing: each empty part, in order of rank, gets the last sample of
/// the part that is largest then (of the lowest rank among equals). There are at least as many
/// samples as parts, so this never empties another one.
void fill_empty(Parts& parts) {
  std::priority_queue<std::pair<std::size_t, std::ptrdiff_t>> by_size;
  for (std::size_t w = 0; w < parts.size(); ++w)
    by_size.emplace(parts[w].size(), -static_cast<std::ptrdiff_t>(w));
  for (std::vector<Sample>& part : parts) {
    if (!part.empty()) continue;
    const auto [size, minus_rank] = by_size.top();
    by_size.pop();
    std::vector<Sample>& giver = parts[static_cast<std::size_t>(-minus_rank)];
    part.push_back(giver.back());
    giver.pop_back();
    by_size.emplace(size - 1, minus_rank);
  }
}

Parts deal_by_class(double alpha, std::span<const std::uint16_t> labels, std::size_t classes,
                    std::size_t workers, std::uint64_t seed) {
  Parts by_class(classes);
  for (const Sample s : random_order(labels.size(), RandomStream(seed, Purpose::partition)))
    by_class[labels[s]].push_back(s);
  Parts parts(workers);
  for (std::size_t c = 0; c < classes; ++c) {
    const RandomStream stream(seed, Purpose::partition, 1, static_cast<std::uint32_t>(c));
    const std::vector<std::size_t> counts =
        apportioned(by_class[c].size(), dirichlet(alpha, workers, stream));
    auto from = by_class[c].begin();
    for (std::size_t w = 0; w < workers; ++w) {
      const auto to = from + static_cast<std::ptrdiff_t>(counts[w]);
      parts[w].insert(parts[w].end(), from, to);
      from = to;
    }
  }
  fill_empty(parts);
  return parts;
}

/// The finaliser of SplitMix64: every bit of the input changes about half of those of the output.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// The number-th of the well-mixed numbers that belong to a key.
std::uint64_t keyed(std::uint64_t key, std::uint64_t number) {
  return mixed(key + (number + 1) * 0x9e3779b97f4a7c15U);
}

/// A pseudo-random order of [0, n), computed element by element. A Feistel network permutes the
/// pairs (high, low) of a grid as nearly square as possible that just holds n cells; following its
/// cycles until a cell is below n makes of it a permutation of [0, n). The grid has fewer than
/// sqrt(n) + 1 cells too many (a power of two would have up to n): a second step is rare, and so is
/// a mispredicted branch, which would cost more than the step.
class KeyedPermutation {
 public:
  KeyedPermutation(std::uint64_t key, std::uint64_t pass, std::size_t n)
      : n_(n),
        lows_(static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(n))))),
        highs_(static_cast<std::uint32_t>((n - 1) / lows_ + 1)),
        rounds_(n < 1024 ? most_rounds : 4) {
    for (std::size_t r = 0; r < rounds_; ++r) round_keys_[r] = keyed(key, pass * most_rounds + r);
  }

  /// The element in a place below n.
  std::uint64_t operator()(std::uint64_t place) const {
    do {
      // 32-bit division is faster; the grid of a set that Sample can index has at most 2^32 cells.
      std::uint32_t low = static_cast<std::uint32_t>(place) % lows_;
      std::uint32_t high = static_cast<std::uint32_t>(place) / lows_;
      for (std::size_t r = 0; r < rounds_; r += 2) {
        low = shifted(low, lows_, high, round_keys_[r]);
        high = shifted(high, highs_, low, round_keys_[r + 1]);
      }
      place = std::uint64_t{high} * lows_ + low;
    } while (place >= n_);
    return place;
  }

 private:
  // Four rounds mix well, except where a half has only a few values.
  static constexpr std::size_t most_rounds = 8;

  /// `half` plus a pseudo-random number that depends on the other half, modulo `modulus`.
  static std::uint32_t shifted(std::uint32_t half, std::uint32_t modulus, std::uint32_t other,
                               std::uint64_t round_key) {
    std::uint64_t x = (other + round_key) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 32)) * 0x94d049bb133111ebU;
    const auto sum = static_cast<std::uint32_t>(half + ((x >> 32) * modulus >> 32));
    return std::min(sum, sum - modulus);  // the latter is huge where there is nothing to take off
  }

  std::uint64_t n_;
  std::uint32_t lows_;
  std::uint32_t highs_;
  std::size_t rounds_;
  std::array<std::uint64_t, most_rounds> round_keys_;
};

/// Uniform in [0, n) from 64 random bits: the upper half of their product with n.
std::uint64_t below(std::uint64_t n, std::uint64_t bits) {
  return ((bits >> 32) * n + ((bits & 0xffffffffU) * n >> 32)) >> 32;
}

std::uint64_t order_key(std::uint64_t seed, std::size_t rank) {
  RandomStream stream(seed, Purpose::data_order, static_cast<std::uint32_t>(rank));
  const std::uint64_t upper = stream();
  return upper << 32 | stream();
}

}  // namespace

Partition::Partition(const PartitionSpec& spec, std::span<const std::uint16_t> labels,
                     std::size_t classes, std::size_t workers, std::uint64_t seed,
                     const Place& place)
    : samples_(labels.size()) {
  if (spec.kind == PartitionSpec::Kind::iid) return;
  if (workers > samples_)
    throw InputError(place, "must leave every worker a sample, but there are " +
                                std::to_string(workers) + " workers and " +
                                std::to_string(samples_) + " training samples");
  switch (spec.kind) {
    case PartitionSpec::Kind::iid:
      break;
    case PartitionSpec::Kind::shards:
      parts_ = cut(random_order(samples_, RandomStream(seed, Purpose::partition)), workers);
      break;
    case PartitionSpec::Kind::dirichlet:
      parts_ = deal_by_class(spec.alpha, labels, classes, workers, seed);
      break;
    case PartitionSpec::Kind::by_label:
      parts_ = cut_by_label(labels, workers);
      break;
  }
}

Partition::Partition(std::size_t samples, std::span<const double> shares, std::uint64_t seed)
    : samples_(samples) {
  const std::vector<Sample> order = random_order(samples, RandomStream(seed, Purpose::partition));
  auto from = order.begin();
  for (const std::size_t count : apportioned(samples, shares)) {
    const auto to = from + static_cast<std::ptrdiff_t>(count);
    parts_.emplace_back(from, to);
    from = to;
  }
  fill_empty(parts_);
}

std::size_t Partition::size(std::size_t rank) const {
  return parts_.empty() ? samples_ : parts_[rank].size();
}

Sample Partition::at(std::size_t rank, std::size_t index) const {
  return parts_.empty() ? static_cast<Sample>(index) : parts_[rank][index];
}

Sampler::Sampler(const Partition& partition, DataSpec::Order order, std::uint64_t seed,
                 std::size_t rank)
    : partition_(&partition), rank_(rank), order_(order), key_(order_key(seed, rank)) {}

void Sampler::draw(std::span<Sample> out) {
  const std::size_t n = partition_->size(rank_);
  if (order_ == DataSpec::Order::independent) {
    for (Sample& sample : out) sample = partition_->at(rank_, below(n, keyed(key_, drawn_++)));
    return;
  }
  while (!out.empty()) {
    const std::uint64_t first = drawn_ % n;
    const std::size_t count = std::min<std::size_t>(out.size(), n - first);
    const KeyedPermutation permutation(key_, drawn_ / n, n);
    for (std::size_t i = 0; i < count; ++i) out[i] = partition_->at(rank_, permutation(first + i));
    drawn_ += count;
    out = out.subspan(count);
  }
}

}  // namespace motley
