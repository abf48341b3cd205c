#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/learning/data/augmentation.hpp"
#include "sim/learning/data/partition.hpp"
#include "sim/learning/data/sample_order.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

struct Dataset;

/// The data a scenario asks for: the keys that all kinds take, and what each kind does with its own.
struct DataSpec {
  std::optional<std::size_t> train;  ///< samples used; absent: all there are
  std::optional<std::size_t> test;
  SampleOrder order = SampleOrder::shuffled;
  PartitionSpec partition;
  std::optional<std::vector<AugmentationStep>> augment;  ///< of images

  static Fields<DataSpec> fields();
  virtual ~DataSpec() = default;

  /// Loads or makes it, the same for the same seed. `place` is that of the data section, for
  /// InputErrors: a missing file names the package to install. Relative paths are taken from the
  /// scenario file's folder.
  virtual Dataset load(std::uint64_t seed, const Place& place) const = 0;
  /// Whether another seed gives other samples.
  virtual bool depends_on_seed() const { return false; }
  /// The keys that say where files are, which does not matter to a run: their contents do.
  virtual std::vector<std::string> file_keys() const { return {}; }
};

/// How many samples a scenario uses of those there are; InputError at `place`.
std::size_t used(const std::optional<std::size_t>& wanted, std::size_t available,
                 const Place& place);

/// For Dataset::description: "Fashion-MNIST, 20000 of 60000 for training, ...".
std::string described(const std::string& what, const Dataset& data, std::size_t train_available,
                      std::size_t test_available);

/// A path that is relative to the scenario file.
std::filesystem::path from_scenario(const std::string& path, const Place& place);

}  // namespace motley
