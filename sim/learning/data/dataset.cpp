#include "sim/learning/data/dataset.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>

#include <boost/random/uniform_int_distribution.hpp>

#include "sim/base/machine_memory.hpp"
#include "sim/learning/data/csv_files.hpp"
#include "sim/learning/data/idx_files.hpp"
#include "sim/learning/data/synthetic.hpp"

namespace motley {
namespace {

namespace fs = std::filesystem;

/// How many samples the scenario uses of those there are.
std::size_t used(const std::optional<std::size_t>& wanted, std::size_t available,
                 const Place& place) {
  if (!wanted) return available;
  if (*wanted == 0) throw InputError(place, "must be at least 1", *wanted);
  if (*wanted > available)
    throw InputError(
        place, "must be at most " + std::to_string(available) + " (all the samples there are)",
        *wanted);
  return *wanted;
}

std::string share(std::size_t taken, std::size_t available) {
  const std::string all = std::to_string(available);
  return taken == available ? all : std::to_string(taken) + " of " + all;
}

std::string described(const std::string& what, const Dataset& data, std::size_t train_available,
                      std::size_t test_available) {
  return what + ", " + share(data.train.size(), train_available) + " for training, " +
         share(data.test.size(), test_available) + " for testing";
}

fs::path from_scenario(const std::string& path, const Place& place) {
  return fs::path(place.file).parent_path() / path;
}

Dataset load_idx(const std::string& name, const fs::path& folder, const DataSpec& spec,
                 const Place& place, const Place& path_place) {
  const IdxPart train(folder, "train", path_place);
  const IdxPart test(folder, "t10k", path_place);
  if (train.features() != test.features())
    throw InputError(path_place, folder.string() + ": the training images have " +
                                     std::to_string(train.features()) +
                                     " pixels and the test images " +
                                     std::to_string(test.features()));
  const std::size_t train_used = used(spec.train, train.size(), place / "train");
  const std::size_t test_used = used(spec.test, test.size(), place / "test");
  Dataset data;
  data.classes = std::max(train.classes(), test.classes());
  data.train = train.first(train_used);
  data.test = test.first(test_used);
  data.description = described(name, data, train.size(), test.size());
  return data;
}

Dataset load_fashion_mnist(const DataSpec& spec, const Place& place) {
  const char* elsewhere = std::getenv("MOTLEY_FASHION_MNIST");
  const fs::path folder = elsewhere ? elsewhere : "/usr/share/datasets/fashion-mnist";
  if (!has_idx_files(folder))
    throw InputError(
        place, "Fashion-MNIST is not installed: apt-get install dataset-fashion-mnist (looked in " +
                   folder.string() + ")");
  return load_idx("Fashion-MNIST", folder, spec, place, place);
}

Dataset load_csv(const DataSpec& spec, std::uint64_t seed, const Place& place) {
  const fs::path train_file = from_scenario(spec.path, place);
  const fs::path test_file =
      spec.test_path.empty() ? fs::path() : from_scenario(spec.test_path, place);
  const CsvData csv = read_csv(train_file, test_file, spec.label, seed, place);
  const std::size_t train_used = used(spec.train, csv.train.size(), place / "train");
  const std::size_t test_used = used(spec.test, csv.test.size(), place / "test");
  Dataset data = standardised(csv, train_used, test_used);
  data.description = described(spec.path, data, csv.train.size(), csv.test.size());
  return data;
}

Dataset load_synthetic(const DataSpec& spec, std::uint64_t seed, const Place& place) {
  constexpr std::size_t as_many_as_wanted = std::numeric_limits<Sample>::max();
  const std::size_t train = used(spec.train.value_or(10000), as_many_as_wanted, place / "train");
  const std::size_t test = used(spec.test.value_or(2000), as_many_as_wanted, place / "test");
  const double samples = static_cast<double>(train) + static_cast<double>(test);
  check_fits_memory(sizeof(float) * samples * static_cast<double>(spec.features) +
                        sizeof(double) * static_cast<double>(spec.features * spec.classes),
                    "this much data", place);
  Dataset data =
      make_synthetic({spec.features, spec.classes, spec.separation}, train, test, seed, place);
  std::ostringstream what;
  what << "synthetic, " << spec.classes << " Gaussian classes of " << spec.features << " features, "
       << spec.separation << " standard deviations apart";
  data.description = described(what.str(), data, train, test);
  return data;
}

}  // namespace

Dataset load_dataset(const DataSpec& spec, std::uint64_t seed, const Place& place) {
  switch (spec.kind) {
    case DataSpec::Kind::fashion_mnist:
      return load_fashion_mnist(spec, place);
    case DataSpec::Kind::idx:
      return load_idx("IDX files of " + spec.path, from_scenario(spec.path, place), spec, place,
                      place / "path");
    case DataSpec::Kind::csv:
      return load_csv(spec, seed, place);
    case DataSpec::Kind::synthetic:
      return load_synthetic(spec, seed, place);
  }
  throw std::logic_error("unknown kind of data");
}

std::vector<Sample> random_order(std::size_t count, RandomStream stream) {
  std::vector<Sample> order(count);
  std::iota(order.begin(), order.end(), Sample{0});
  for (std::size_t left = count; left > 1; --left) {
    boost::random::uniform_int_distribution<std::size_t> any(0, left - 1);
    std::swap(order[left - 1], order[any(stream)]);
  }
  return order;
}

}  // namespace motley
