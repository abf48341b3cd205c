#pragma once

#include <memory>
#include <vector>

#include "sim/learning/data/data_spec.hpp"
#include "sim/learning/models/model_spec.hpp"
#include "sim/scenario/scenario.hpp"

namespace motley {

/// What a scenario learns, and from what: its "model" and "data", as their kinds read them.
struct LearningSpec {
  std::unique_ptr<const ModelSpec> model;
  std::unique_ptr<const DataSpec> data;  ///< none with a model that takes none

  /// How workers draw samples, whether these come from data or are made by the model.
  SampleOrder order() const { return data ? data->order : model->order(); }
  /// What is done to training images.
  std::vector<AugmentationStep> augment() const {
    return data && data->augment ? *data->augment : std::vector<AugmentationStep>{};
  }
};

/// Reads both sections, writes their defaults into `loaded.full`, and checks what the rest of the
/// scenario asks of them. Throws InputError.
LearningSpec read_learning(LoadedScenario& loaded);

/// Every key of a scenario, those of every kind of data and model too.
std::vector<FieldInfo> scenario_keys();

}  // namespace motley
