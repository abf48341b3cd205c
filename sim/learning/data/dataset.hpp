#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "sim/base/random.hpp"
#include "sim/learning/data/sample.hpp"
#include "sim/scenario/scenario.hpp"

namespace motley {

/// Labelled samples, one column each, so that a sample is contiguous in memory.
struct Samples {
  Eigen::MatrixXf features;           ///< features x samples
  std::vector<std::uint16_t> labels;  ///< one per column, below Dataset::classes

  std::size_t size() const { return labels.size(); }
};

struct Dataset {
  std::string description;  ///< "Fashion-MNIST, 20000 of 60000 for training, ..." for the summary
  std::size_t classes = 0;
  Samples train;
  Samples test;

  std::size_t features() const { return static_cast<std::size_t>(train.features.rows()); }
};

/// Loads or makes the data a scenario asks for, the same for the same (spec, seed). `place` is that
/// of the data section, for InputErrors: a missing file names the package to install. Relative
/// paths are taken from the scenario file's folder.
Dataset load_dataset(const DataSpec& spec, std::uint64_t seed, const Place& place);

/// 0 ... count-1 in a random order, the same on every platform (std::shuffle's is not).
std::vector<Sample> random_order(std::size_t count, RandomStream stream);

}  // namespace motley
