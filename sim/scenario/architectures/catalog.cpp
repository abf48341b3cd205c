#include "sim/scenario/architectures/known_architecture.hpp"

namespace motley {

const std::vector<KnownArchitecture>& known_architectures() {
  static const std::vector<KnownArchitecture> all = {
      resnet50_architecture(),     vgg16_architecture(),    alexnet_architecture(),
      inception_bn_architecture(), resnet20_architecture(), bert_base_architecture()};
  return all;
}

}  // namespace motley
