#pragma once

#include <memory>
#include <string>

#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/model_spec.hpp"
#include "sim/learning/models/neural_network.hpp"

namespace motley {

/// A model of images: what its kinds have in common.
struct ImageModel : ModelSpec {
  double weight_decay = 0;

  /// Remembers where it stands in the scenario, for what only the data can show to be wrong.
  void check(const Place& place) { place_ = place; }
  std::unique_ptr<Problem> make(const Dataset* data, std::uint64_t seed) const override;
  bool takes_images() const override { return true; }

 protected:
  /// The layers for such images, without the last one, which makes logits. InputError at `place`,
  /// the model's.
  virtual NetworkLayers layers_for(const ImageShape& image, const Place& place) const = 0;

 private:
  Place place_;
};

/// "28 x 28".
std::string image_size(const ImageShape& shape);

}  // namespace motley
