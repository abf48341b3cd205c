#include "sim/scenario/networks/known_network.hpp"

namespace motley {

const std::vector<KnownNetwork>& known_networks() {
  static const std::vector<KnownNetwork> all = {resnet50_network(), vgg16_network(),
                                                alexnet_network(),  inception_bn_network(),
                                                resnet20_network(), bert_base_network()};
  return all;
}

}  // namespace motley
