#include "sim/scenario/architectures/image_architecture.hpp"

namespace motley {

KnownArchitecture resnet20_architecture() {
  constexpr std::size_t blocks = 3;  // of each stage: 6 * 3 + 2 layers
  ImageArchitecture net({3, 32});
  net.convolve("conv1", {.channels = 16, .kernel = 3, .padding = 1, .is_normalised = true});
  std::size_t number = 2;
  for (const std::size_t channels : {16, 32, 64}) {
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::string name = "conv" + std::to_string(number) + "_" + std::to_string(b + 1);
      net.convolve(name + "_a", {.channels = channels,
                                 .kernel = 3,
                                 .stride = b == 0 && channels > 16 ? std::size_t{2} : 1,
                                 .padding = 1,
                                 .is_normalised = true});
      net.convolve(name + "_b",
                   {.channels = channels, .kernel = 3, .padding = 1, .is_normalised = true});
    }
    ++number;
  }
  net.pool_all();
  net.dense("fc", 10);
  return {"resnet20", "He et al. 2016, arXiv 1512.03385", "an image of 32 x 32 pixels, 10 classes",
          "of CIFAR-10; its shortcuts have no parameters", net.layers()};
}

}  // namespace motley
