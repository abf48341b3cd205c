#include "sim/learning/learning_spec.hpp"

#include <algorithm>

#include "sim/learning/data/catalog.hpp"
#include "sim/learning/models/catalog.hpp"

namespace motley {
namespace {

void check_together(const LearningSpec& spec, const LoadedScenario& loaded) {
  const ModelSpec& model = *spec.model;
  const Scenario& s = loaded.scenario;
  const Place root{loaded.file, ""};
  const std::string why_no_data = model.why_no_data();
  if (!why_no_data.empty() && s.data) {
    throw InputError(root / "data", why_no_data + ": remove this key");
  }
  if (why_no_data.empty() && !s.data) {
    throw InputError(root, "needs \"data\": what is learnt from");
  }
  if (!spec.augment().empty() && !model.takes_images()) {
    const std::string kind = loaded.full["model"]["kind"];
    throw InputError(
        root / "data" / "augment",
        "the " + kind + " model knows no images: remove this key, or choose cnn or resnet");
  }
  const std::vector<AugmentationStep> steps = spec.augment();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (std::count(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(i), steps[i]) == 0) {
      continue;
    }
    throw InputError(root / "data" / "augment" / i, "is named twice, and happens once: remove one",
                     loaded.full["data"]["augment"][i]);
  }
  if (!model.learns() && s.target) {
    throw InputError(root / "target", "nothing is learnt without a model: remove this key");
  }
  if (!model.learns() && s.tune) {
    throw InputError(root / "tune", "nothing is learnt without a model: remove this key");
  }
  if (!model.learns() && !s.cost.profile &&
      (!s.cost.flops_per_sample || !s.cost.model_size_bytes)) {
    throw InputError(root / "cost",
                     "needs \"flops_per_sample\" and \"model_size\", or \"profile\": there is no "
                     "model to take them from");
  }
  if (!model.has_accuracy() && s.target && s.target->accuracy) {
    const std::string kind = loaded.full["model"]["kind"];
    throw InputError(root / "target" / "accuracy",
                     "the " + kind + " model has no accuracy: give \"loss\"");
  }
}

/// The keys of a catalogue, found once and again when a plug-in has brought more.
struct KnownKeys {
  std::size_t kinds = 0;
  std::vector<FieldInfo> keys;
};

template <class Catalog>
const std::vector<FieldInfo>& known_keys(KnownKeys& known, const Catalog& catalog) {
  if (known.kinds != catalog.size()) known = {catalog.size(), keys_of(catalog)};
  return known.keys;
}

const std::vector<FieldInfo>& data_keys() {
  static KnownKeys known;
  return known_keys(known, data_catalog());
}

const std::vector<FieldInfo>& model_keys() {
  static KnownKeys known;
  return known_keys(known, model_catalog());
}

}  // namespace

LearningSpec read_learning(LoadedScenario& loaded) {
  const Place root{loaded.file, ""};
  LearningSpec spec;
  if (loaded.scenario.data) {
    spec.data = read_by_kind(data_catalog(), data_keys(), loaded.full["data"], root / "data");
  }
  spec.model = read_by_kind(model_catalog(), model_keys(), loaded.full["model"], root / "model");
  check_together(spec, loaded);
  return spec;
}

std::vector<FieldInfo> scenario_keys() {
  std::vector<FieldInfo> keys = Scenario::fields().infos();
  for (FieldInfo& key : keys) {
    if (key.name == "data") key.children = data_keys();
    if (key.name == "model") key.children = model_keys();
  }
  return keys;
}

}  // namespace motley
