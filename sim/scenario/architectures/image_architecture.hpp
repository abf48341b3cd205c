#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/scenario/architectures/known_architecture.hpp"

namespace motley {

/// Lists the layers of a model for images, from the data on: knows the shape that each leaves behind.
class ImageArchitecture {
 public:
  /// Of square maps.
  struct Shape {
    std::size_t channels = 0;
    std::size_t side = 0;
  };
  struct Convolution {
    std::size_t channels = 0;
    std::size_t kernel = 0;
    std::size_t stride = 1;
    std::size_t padding = 0;
    std::size_t groups = 1;
    bool is_normalised = false;  ///< a scale and a shift for each channel instead of a bias
  };

  explicit ImageArchitecture(Shape data) : shape_(data) {}

  void convolve(const std::string& name, const Convolution& how);
  void pool(std::size_t kernel, std::size_t stride, std::size_t padding = 0);
  /// A mean over each whole map.
  void pool_all() { shape_.side = 1; }
  /// With a bias; takes all that is there.
  void dense(const std::string& name, std::size_t outputs);

  Shape shape() const { return shape_; }
  /// Goes on from another shape: with another branch, or where branches meet.
  void go_on_from(Shape shape) { shape_ = shape; }

  std::vector<KnownLayer> layers() const { return layers_; }

 private:
  Shape shape_;
  std::vector<KnownLayer> layers_;
};

}  // namespace motley
