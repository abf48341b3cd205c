#include "sim/learning/data/catalog.hpp"

namespace motley {

const std::vector<DataKind>& data_catalog() {
  static const std::vector<DataKind> catalog = {
      fashion_mnist_data(), cifar10_data(), cifar100_data(),
      idx_data(),           csv_data(),     synthetic_data(),
  };
  return catalog;
}

}  // namespace motley
