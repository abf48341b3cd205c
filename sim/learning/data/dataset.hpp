#pragma once

#include <cstdint>
#include <optional>
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

/// How a sample's features make an image: channel by channel, each row by row from the top.
struct ImageShape {
  std::size_t channels = 0, height = 0, width = 0;

  std::size_t size() const { return channels * height * width; }
  bool operator==(const ImageShape&) const = default;
};

struct Dataset {
  std::string description;  ///< "Fashion-MNIST, 20000 of 60000 for training, ..." for the summary
  std::size_t classes = 0;
  std::optional<ImageShape> shape;  ///< absent where features are no image
  Samples train;
  Samples test;
  /// Whose each training sample is, counted from 0; empty unless the partition is by a column.
  std::vector<std::uint32_t> owners = {};
  std::size_t owner_count = 0;
  bool has_numbers_for_labels = false;  ///< in a file in which a label may be anything

  std::size_t features() const { return static_cast<std::size_t>(train.features.rows()); }
};

}  // namespace motley
