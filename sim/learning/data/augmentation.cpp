#include "sim/learning/data/augmentation.hpp"

#include <algorithm>

#include <boost/random/uniform_int_distribution.hpp>

#include "sim/base/random.hpp"
#include "sim/learning/data/dataset.hpp"

namespace motley {
namespace {

constexpr int farthest_crop = 4;

}  // namespace

FieldInfo augmentation_field() {
  return {.name = "augment",
          .doc =
              "how training images are changed each time they are drawn: flip (every second one, "
              "left to right), crop (moved by up to 4 pixels each way, zeros come in); when "
              "absent not at all",
          .choices = {"flip", "crop"}};
}

Variation variation_of(const std::vector<AugmentationStep>& steps, std::uint64_t seed,
                       std::size_t rank, std::uint64_t number) {
  RandomStream random(seed, Purpose::augmentation, static_cast<std::uint32_t>(rank),
                      static_cast<std::uint32_t>(number));
  // Always drawn in this order: one step does not change what the other does.
  const bool flipped = random() % 2 == 1;
  boost::random::uniform_int_distribution<int> distance(-farthest_crop, farthest_crop);
  const int down = distance(random);
  const int right = distance(random);
  Variation variation;
  for (const AugmentationStep step : steps) {
    if (step == AugmentationStep::flip) variation.flipped = flipped;
    if (step == AugmentationStep::crop) {
      variation.down = down;
      variation.right = right;
    }
  }
  return variation;
}

void vary(const float* image, const ImageShape& shape, const Variation& variation, float* to) {
  const auto height = static_cast<int>(shape.height);
  const auto width = static_cast<int>(shape.width);
  const int begin = std::clamp(variation.right, 0, width);
  const int end = std::clamp(width + variation.right, 0, width);
  for (std::size_t channel = 0; channel < shape.channels; ++channel) {
    for (int y = 0; y < height; ++y, to += width) {
      std::fill_n(to, width, 0.0F);
      const int row = y - variation.down;
      if (row < 0 || row >= height) continue;
      const float* from = image + static_cast<std::ptrdiff_t>(row) * width;
      for (int x = begin; x < end; ++x) {
        const int column = x - variation.right;
        to[x] = from[variation.flipped ? width - 1 - column : column];
      }
    }
    image += shape.height * shape.width;
  }
}

}  // namespace motley
