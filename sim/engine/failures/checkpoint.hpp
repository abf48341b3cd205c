#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "sim/vocabulary/model.hpp"

namespace motley {

/// A model as it was at the last multiple of an interval. Saving takes no time.
class Checkpoint {
 public:
  /// `every_s`: empty when nothing is ever saved but the initial model.
  void begin(const Model& initial, const std::optional<double>& every_s) {
    saved_ = initial;
    every_s_ = every_s;
  }
  /// To be called before the model changes, and before it is needed: it has been `model`, of so many
  /// updates, since the last call.
  void pass(double now, const Model& model, std::uint64_t updates) {
    if (!every_s_) return;
    if (std::floor(now / *every_s_) > std::floor(since_ / *every_s_)) {
      saved_ = model;
      updates_ = updates;
    }
    since_ = now;
  }
  const Model& saved() const { return saved_; }
  std::uint64_t updates() const { return updates_; }

 private:
  Model saved_;
  std::optional<double> every_s_;
  std::uint64_t updates_ = 0;
  double since_ = 0;
};

}  // namespace motley
