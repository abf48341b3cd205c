#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/catalog.hpp"
#include "sim/learning/models/dense_network.hpp"
#include "sim/learning/models/weight_decay.hpp"

namespace motley {
namespace {

/// Softmax regression: no hidden layers.
struct Softmax final : ModelSpec {
  double weight_decay = 0;

  static Fields<Softmax> fields() {
    return Fields<Softmax>().add(weight_decay_field(), &Softmax::weight_decay);
  }

  std::unique_ptr<Problem> make(const Dataset* data, std::uint64_t) const override {
    return dense_network(*data, {}, weight_decay);
  }
};

}  // namespace

ModelKind softmax_model() {
  return describe_kind<ModelSpec, Softmax>("softmax", "regression");
}

}  // namespace motley
