#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/catalog.hpp"
#include "sim/learning/models/time_only.hpp"

namespace motley {
namespace {

struct None final : ModelSpec {
  std::size_t samples = 0;

  static Fields<None> fields() {
    Fields<None> f;
    f.add({.name = "samples",
           .doc = "how many samples make an epoch",
           .fallback = 10000,
           .minimum = 2},
          &None::samples);
    return f;
  }

  std::unique_ptr<Problem> make(const Dataset*, std::uint64_t) const override {
    return std::make_unique<TimeOnly>(samples);
  }
  std::string why_no_data() const override { return "nothing is learnt without a model"; }
  bool learns() const override { return false; }
  bool has_accuracy() const override { return false; }
};

}  // namespace

ModelKind no_model() {
  return describe_kind<ModelSpec, None>("none", "nothing is learnt: only times");
}

}  // namespace motley
