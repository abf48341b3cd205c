#include <algorithm>

#include "sim/learning/models/catalog.hpp"

namespace motley {
namespace {

/// Nothing is learnt: for studies of times alone. A few parameters, so that models and gradients
/// exist and can be split over servers.
class TimeOnly final : public Problem {
 public:
  explicit TimeOnly(std::size_t samples) : samples_(samples) {}

  std::size_t dimension() const override { return 64; }
  /// One. What it costs is the scenario's to say.
  std::vector<Layer> layers() const override { return {{dimension(), 0, 0}}; }
  std::size_t train_size() const override { return samples_; }
  std::size_t test_size() const override { return 1; }
  bool has_accuracy() const override { return false; }
  bool is_real() const override { return false; }
  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  void initial_model(std::uint64_t, std::span<float> x) const override {
    std::fill(x.begin(), x.end(), 0.0F);
  }
  double gradient(std::span<const float>, std::span<const Sample>, std::span<float> g,
                  Workspace&) const override {
    std::fill(g.begin(), g.end(), 0.0F);
    return 0;
  }
  EvaluationSum evaluate(std::span<const float>, std::size_t, std::size_t,
                         Workspace&) const override {
    return {};
  }

 private:
  std::size_t samples_;
};

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
