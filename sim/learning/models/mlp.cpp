#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/catalog.hpp"
#include "sim/learning/models/dense_network.hpp"
#include "sim/learning/models/weight_decay.hpp"

namespace motley {
namespace {

struct Mlp final : ModelSpec {
  std::vector<std::size_t> hidden;
  double weight_decay = 0;

  static Fields<Mlp> fields() {
    Fields<Mlp> f;
    f.add({.name = "hidden",
           .doc = "sizes of the hidden layers, input side first",
           .minimum = 1,
           .maximum = 1e6},
          &Mlp::hidden);
    f.add(weight_decay_field(), &Mlp::weight_decay);
    return f;
  }

  void check(const Place& place) const {
    if (hidden.empty())
      throw InputError(place / "hidden", "must list at least one size (or choose softmax)");
  }
  std::unique_ptr<Problem> make(const Dataset* data, std::uint64_t) const override {
    return dense_network(*data, hidden, weight_decay);
  }
};

}  // namespace

ModelKind mlp_model() {
  return describe_kind<ModelSpec, Mlp>("mlp", "fully connected layers with ReLU");
}

}  // namespace motley
