#include "sim/learning/data/partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include <boost/random/gamma_distribution.hpp>
#include <boost/random/uniform_01.hpp>

#include "sim/base/apportion.hpp"
#include "sim/base/random.hpp"
#include "sim/base/text.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/data/random_order.hpp"

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

}  // namespace

Fields<PartitionSpec> PartitionSpec::fields() {
  Fields<PartitionSpec> f;
  f.add(
      {.name = "kind",
       .doc =
           "what each worker draws from: iid (every worker from the whole set), shards (equal "
           "random parts), dirichlet (uneven label shares), by_label (parts sorted by label), "
           "by_column (of csv: the rows of one user, or of every W-th of more users than workers)",
       .fallback = "iid",
       .choices = {"iid", "shards", "dirichlet", "by_label", "by_column"}},
      &PartitionSpec::kind);
  f.add({.name = "alpha",
         .doc = "concentration of the Dirichlet law; small values give uneven label shares",
         .minimum = 0,
         .above_minimum = true,
         .kinds = {"dirichlet"}},
        &PartitionSpec::alpha);
  f.add({.name = "column",
         .doc = "the column that names the owner of a row, such as user; it is then no feature. "
                "Its values, in numeric order if all are numbers and in alphabetic order "
                "otherwise, go to the workers in turn",
         .kinds = {"by_column"}},
        &PartitionSpec::column);
  return f;
}

void Partition::check(const PartitionSpec& spec, std::size_t samples, std::size_t workers,
                      const Place& place, std::size_t owners) {
  if (spec.kind == PartitionSpec::Kind::by_column && owners == 0) {
    throw InputError(place / "kind", "by_column needs data with columns: \"kind\": \"csv\"");
  }
  if (spec.kind == PartitionSpec::Kind::by_column && owners < workers) {
    throw InputError(place / "column", "'" + shortened(spec.column) + "' has " +
                                           std::to_string(owners) +
                                           " different values in the training samples, fewer than "
                                           "the " +
                                           std::to_string(workers) + " workers");
  }
  if (spec.kind == PartitionSpec::Kind::iid || workers <= samples) return;
  throw InputError(place, "must leave every worker a sample, but there are " +
                              std::to_string(workers) + " workers and " + std::to_string(samples) +
                              " training samples");
}

Partition::Partition(const PartitionSpec& spec, std::span<const std::uint16_t> labels,
                     std::size_t classes, std::size_t workers, std::uint64_t seed,
                     std::span<const std::uint32_t> owners)
    : samples_(labels.size()) {
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
    case PartitionSpec::Kind::by_column:
      parts_.resize(workers);
      for (std::size_t s = 0; s < samples_; ++s) {
        parts_[owners[s] % workers].push_back(static_cast<Sample>(s));
      }
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

}  // namespace motley
