#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/scenario/scenario.hpp"

namespace motley {

/// Decides when a run is over: its budget is used up, it has reached the target, or it diverged.
class StopRule {
 public:
  enum class Status { running, finished, diverged };

  StopRule(const StopSpec& stop, std::size_t samples_per_epoch);

  /// Share of the run done, from 0 to 1, by whichever limit is nearest.
  double progress(double now, std::uint64_t updates, std::uint64_t samples) const;
  /// Ends the run when nothing of its budget is left.
  void check_budget(double now, std::uint64_t updates, std::uint64_t samples);
  /// Returns whether the loss is finite; otherwise the run has diverged. `which` names the loss.
  bool check_finite(double loss, const std::string& which, std::uint64_t updates);
  /// Returns whether the test loss is within bounds of the first one it was told.
  bool check_growth(double test_loss, std::uint64_t updates);
  /// Ends the run if it is to end at the target.
  void target_reached();

  Status status() const { return status_; }
  bool stopped() const { return status_ != Status::running; }
  /// Why the run diverged.
  const std::string& reason() const { return reason_; }
  /// The virtual time the run is given, if that is limited.
  std::optional<double> time_budget_s() const { return stop_.time_s; }

 private:
  void diverge(const std::string& what, std::uint64_t updates);

  StopSpec stop_;
  std::size_t samples_per_epoch_;
  std::optional<double> initial_loss_;
  Status status_ = Status::running;
  std::string reason_;
};

}  // namespace motley
