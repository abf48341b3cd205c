#pragma once

#include <optional>

namespace motley {

/// The model as tested at one moment.
struct Evaluation {
  std::optional<double> loss;  ///< empty when nothing is learnt
  std::optional<double> accuracy;
  /// How far the workers' own models are from this one, their mean: the root of the mean square of
  /// the distances. Empty where there is one global model.
  std::optional<double> consensus = {};
};

/// Whether somebody holds the model.
enum class EvaluatedModel {
  real,
  oracle,  ///< nobody: what a merge of the workers' own models would give if it were made now, at no cost
  mean  ///< not yet: the mean of models that are never merged, which exists when somebody has averaged them
};

}  // namespace motley
