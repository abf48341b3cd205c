#include "sim/scenario/architectures/image_architecture.hpp"

namespace motley {

KnownArchitecture alexnet_architecture() {
  ImageArchitecture net({3, 227});
  net.convolve("conv1", {.channels = 96, .kernel = 11, .stride = 4});
  net.pool(3, 2);
  net.convolve("conv2", {.channels = 256, .kernel = 5, .padding = 2, .groups = 2});
  net.pool(3, 2);
  net.convolve("conv3", {.channels = 384, .kernel = 3, .padding = 1});
  net.convolve("conv4", {.channels = 384, .kernel = 3, .padding = 1, .groups = 2});
  net.convolve("conv5", {.channels = 256, .kernel = 3, .padding = 1, .groups = 2});
  net.pool(3, 2);
  net.dense("fc6", 4096);
  net.dense("fc7", 4096);
  net.dense("fc8", 1000);
  return {"alexnet", "Krizhevsky et al. 2012, NIPS 25", "an image of 227 x 227 pixels",
          "two towers as in the paper: convolutions 2, 4 and 5 are in two groups (one tower of the "
          "same widths has 62.4 M parameters)",
          net.layers()};
}

}  // namespace motley
