#include "sim/scenario/architectures/image_architecture.hpp"

namespace motley {

KnownArchitecture resnet50_architecture() {
  ImageArchitecture net({3, 224});
  net.convolve("conv1",
               {.channels = 64, .kernel = 7, .stride = 2, .padding = 3, .is_normalised = true});
  net.pool(3, 2, 1);
  struct Stage {
    std::size_t width;
    std::size_t blocks;
    std::size_t stride;
  };
  std::size_t number = 2;
  for (const Stage& stage : {Stage{64, 3, 1}, {128, 4, 2}, {256, 6, 2}, {512, 3, 2}}) {
    for (std::size_t b = 0; b < stage.blocks; ++b) {
      const std::string name = "conv" + std::to_string(number) + "_" + std::to_string(b + 1);
      const std::size_t stride = b == 0 ? stage.stride : 1;
      const ImageArchitecture::Shape before = net.shape();
      net.convolve(name + "_a", {.channels = stage.width, .kernel = 1, .is_normalised = true});
      net.convolve(name + "_b", {.channels = stage.width,
                                 .kernel = 3,
                                 .stride = stride,
                                 .padding = 1,
                                 .is_normalised = true});
      net.convolve(name + "_c", {.channels = 4 * stage.width, .kernel = 1, .is_normalised = true});
      if (b > 0) continue;
      net.go_on_from(before);
      net.convolve(
          name + "_shortcut",
          {.channels = 4 * stage.width, .kernel = 1, .stride = stride, .is_normalised = true});
    }
    ++number;
  }
  net.pool_all();
  net.dense("fc", 1000);
  return {"resnet50", "He et al. 2016, arXiv 1512.03385", "an image of 224 x 224 pixels",
          "a block's stride is in its 3x3 convolution, as usual today (in the paper in the 1x1 "
          "before it: 3.9 G multiply-adds)",
          net.layers()};
}

}  // namespace motley
