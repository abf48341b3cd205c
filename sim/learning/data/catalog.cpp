#include "sim/learning/data/catalog.hpp"

#include <utility>

namespace motley {

namespace {

std::vector<DataKind>& all_data_kinds() {
  static std::vector<DataKind> catalog = {
      fashion_mnist_data(), cifar10_data(), cifar100_data(),
      idx_data(),           csv_data(),     synthetic_data(),
  };
  return catalog;
}

}  // namespace

const std::vector<DataKind>& data_catalog() {
  return all_data_kinds();
}

void add_data_kind(DataKind kind) {
  all_data_kinds().push_back(std::move(kind));
}

}  // namespace motley
