#pragma once

#include <memory>
#include <vector>

#include "sim/learning/data/data_spec.hpp"
#include "sim/scenario/kinds.hpp"

namespace motley {

using DataKind = Kind<DataSpec>;

/// Every kind of data there is, in the order in which it is listed.
const std::vector<DataKind>& data_catalog();
/// One that a plug-in brings.
void add_data_kind(DataKind kind);

// One per file in this folder, or two.
DataKind fashion_mnist_data();
DataKind cifar10_data();
DataKind cifar100_data();
DataKind idx_data();
DataKind csv_data();
DataKind synthetic_data();

}  // namespace motley
