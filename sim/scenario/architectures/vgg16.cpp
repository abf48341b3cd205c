#include "sim/scenario/architectures/image_architecture.hpp"

namespace motley {

KnownArchitecture vgg16_architecture() {
  ImageArchitecture net({3, 224});
  struct Stage {
    std::size_t channels;
    std::size_t convolutions;
  };
  std::size_t number = 1;
  for (const Stage& stage : {Stage{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}) {
    for (std::size_t c = 0; c < stage.convolutions; ++c) {
      net.convolve("conv" + std::to_string(number) + "_" + std::to_string(c + 1),
                   {.channels = stage.channels, .kernel = 3, .padding = 1});
    }
    net.pool(2, 2);
    ++number;
  }
  net.dense("fc6", 4096);
  net.dense("fc7", 4096);
  net.dense("fc8", 1000);
  return {"vgg16", "Simonyan and Zisserman 2015, arXiv 1409.1556", "an image of 224 x 224 pixels",
          "configuration D, without normalisation", net.layers()};
}

}  // namespace motley
