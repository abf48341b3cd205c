#pragma once

#include <optional>

namespace motley {

/// The model as tested at one moment.
struct Evaluation {
  std::optional<double> loss;  ///< empty when nothing is learnt
  std::optional<double> accuracy;
};

/// Whether somebody holds the model, or it is only what a merge of the workers' own models would
/// give if it were made now, at no cost.
enum class ModelKind { real, oracle };

}  // namespace motley
