#include "sim/scenario/architectures/image_architecture.hpp"

namespace motley {
namespace {

/// Channels of an inception module's branches, which see the same maps.
struct Inception {
  std::string name;
  std::size_t single = 0;  ///< 1x1; 0: none, and the module halves its maps
  std::size_t reduce = 0;  ///< 1x1 before 3x3
  std::size_t triple = 0;  ///< 3x3
  std::size_t double_reduce = 0;
  std::size_t double_triple = 0;  ///< of both 3x3, one after the other
  std::size_t projected = 0;      ///< 1x1 after pooling; 0: what is pooled passes through
};

void add(ImageArchitecture& net, const Inception& of) {
  const ImageArchitecture::Shape before = net.shape();
  const std::size_t stride = of.single == 0 ? 2 : 1;
  std::size_t channels = 0;
  const auto convolve = [&](const char* what, std::size_t width, std::size_t kernel,
                            std::size_t step) {
    net.convolve(of.name + what, {.channels = width,
                                  .kernel = kernel,
                                  .stride = step,
                                  .padding = kernel / 2,
                                  .is_normalised = true});
  };
  if (of.single > 0) {
    convolve("_1x1", of.single, 1, 1);
    channels += of.single;
    net.go_on_from(before);
  }
  convolve("_3x3_reduce", of.reduce, 1, 1);
  convolve("_3x3", of.triple, 3, stride);
  channels += of.triple;
  net.go_on_from(before);
  convolve("_double_reduce", of.double_reduce, 1, 1);
  convolve("_double_a", of.double_triple, 3, 1);
  convolve("_double_b", of.double_triple, 3, stride);
  channels += of.double_triple;
  const std::size_t side = net.shape().side;
  if (of.projected > 0) {
    net.go_on_from(before);
    convolve("_projected", of.projected, 1, 1);
  }
  channels += of.projected > 0 ? of.projected : before.channels;
  net.go_on_from({channels, side});
}

}  // namespace

KnownArchitecture inception_bn_architecture() {
  ImageArchitecture net({3, 224});
  net.convolve("conv1",
               {.channels = 64, .kernel = 7, .stride = 2, .padding = 3, .is_normalised = true});
  net.pool(3, 2, 1);
  net.convolve("conv2_reduce", {.channels = 64, .kernel = 1, .is_normalised = true});
  net.convolve("conv2", {.channels = 192, .kernel = 3, .padding = 1, .is_normalised = true});
  net.pool(3, 2, 1);
  for (const Inception& module : {Inception{"3a", 64, 64, 64, 64, 96, 32},
                                  {"3b", 64, 64, 96, 64, 96, 64},
                                  {"3c", 0, 128, 160, 64, 96, 0},
                                  {"4a", 224, 64, 96, 96, 128, 128},
                                  {"4b", 192, 96, 128, 96, 128, 128},
                                  {"4c", 160, 128, 160, 128, 160, 128},
                                  {"4d", 96, 128, 192, 160, 192, 128},
                                  {"4e", 0, 128, 192, 192, 256, 0},
                                  {"5a", 352, 192, 320, 160, 224, 128},
                                  {"5b", 352, 192, 320, 192, 224, 128}}) {
    add(net, module);
  }
  net.pool_all();
  net.dense("fc", 1000);
  return {"inception_bn", "Ioffe and Szegedy 2015, arXiv 1502.03167",
          "an image of 224 x 224 pixels",
          "the projections of 4c and 4d have 128 channels, as in the released models (96 in the "
          "paper's table)",
          net.layers()};
}

}  // namespace motley
