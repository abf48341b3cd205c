#include "sim/learning/data/data_spec.hpp"

#include "sim/base/json.hpp"
#include "sim/learning/data/dataset.hpp"

namespace motley {
namespace {

std::string share(std::size_t taken, std::size_t available) {
  const std::string all = std::to_string(available);
  return taken == available ? all : std::to_string(taken) + " of " + all;
}

}  // namespace

Fields<DataSpec> DataSpec::fields() {
  Fields<DataSpec> f;
  f.add({.name = "train",
         .doc = "training samples used; when absent all, of synthetic data 10000",
         .minimum = 1},
        &DataSpec::train);
  f.add({.name = "test",
         .doc = "test samples used; when absent all, of synthetic data 2000",
         .minimum = 1},
        &DataSpec::test);
  f.add(sample_order_field(), &DataSpec::order);
  f.add({.name = "partition",
         .doc = "which worker may draw which samples",
         .fallback = Json::object()},
        &DataSpec::partition);
  f.add(augmentation_field(), &DataSpec::augment);
  return f;
}

std::size_t used(const std::optional<std::size_t>& wanted, std::size_t available,
                 const Place& place) {
  if (!wanted) return available;
  if (*wanted > available)
    throw InputError(
        place, "must be at most " + std::to_string(available) + " (all the samples there are)",
        *wanted);
  return *wanted;
}

std::string described(const std::string& what, const Dataset& data, std::size_t train_available,
                      std::size_t test_available) {
  return what + ", " + share(data.train.size(), train_available) + " for training, " +
         share(data.test.size(), test_available) + " for testing";
}

std::filesystem::path from_scenario(const std::string& path, const Place& place) {
  return std::filesystem::path(place.file).parent_path() / path;
}

}  // namespace motley
