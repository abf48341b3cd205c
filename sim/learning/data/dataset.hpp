#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "sim/base/random.hpp"
#include "sim/learning/data/sample.hpp"

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

/// 0 ... count-1 in a random order, the same on every platform (std::shuffle's is not).
std::vector<Sample> random_order(std::size_t count, RandomStream stream);

}  // namespace motley
