#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace motley {

/// A layer of a published model, as its architecture says.
struct KnownLayer {
  std::string name;
  std::uint64_t parameters = 0;
  std::uint64_t multiply_adds = 0;  ///< of its products, forward, for one sample
  /// Whether its backward step makes the gradient of its inputs too: not where these are the data.
  bool has_input_gradient = true;

  // 2 flops per multiply-add; activations, normalisations and pooling are left out.
  double forward_flops() const { return 2 * static_cast<double>(multiply_adds); }
  double backward_flops() const { return (has_input_gradient ? 2 : 1) * forward_flops(); }
  /// In single precision.
  std::uint64_t bytes() const { return 4 * parameters; }
};

/// A published architecture whose costs can be modelled while a small model is trained. A layer is a product
/// (a convolution, a dense layer, a block of attention) with the normalisation after it; they stand in
/// the order in which they are computed, those of parallel branches one after another.
struct KnownArchitecture {
  std::string name;
  std::string source;  ///< who published it
  std::string sample;  ///< what one sample is
  std::string choice;  ///< which of its variants this is
  std::vector<KnownLayer> layers;
};

/// All there are, in the order in which they are listed.
const std::vector<KnownArchitecture>& known_architectures();

// One per file in this folder.
KnownArchitecture resnet50_architecture();
KnownArchitecture vgg16_architecture();
KnownArchitecture alexnet_architecture();
KnownArchitecture inception_bn_architecture();
KnownArchitecture resnet20_architecture();
KnownArchitecture bert_base_architecture();

}  // namespace motley
