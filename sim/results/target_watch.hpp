#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/results/evaluation.hpp"
#include "sim/scenario/scenario.hpp"

namespace motley {

/// When the target was reached, by a model that really existed then.
///
/// Between the last evaluation that misses the target and the first that meets it, accuracy (or
/// loss) is taken to change linearly with the number of the update. The update at which that line
/// meets the target, rounded up, is the one that reached it, and the time is when that update was
/// finished. To know it, the times of the updates since the last evaluation are kept: all of them up
/// to most_kept, beyond that every second, fourth, ... one. Then the time is that of the next update
/// kept, too late by at most a 1/(most_kept/2) part of the updates in between.
class TargetWatch {
 public:
  static constexpr std::size_t most_kept = 4096;

  explicit TargetWatch(std::optional<TargetSpec> target) : target_(target) {}

  /// An update of a model that exists was finished.
  void update_finished(double now, std::uint64_t update);
  /// The model that update number `update` made, as it was tested.
  void evaluated(double now, std::uint64_t update, const Evaluation& evaluation);

  // Of a mean of models, which does not exist before somebody has averaged them.

  /// The same of such a mean: whether it is the first to meet the target, so that it is to be averaged.
  bool mean_evaluated(double now, std::uint64_t update, const Evaluation& evaluation);
  /// That took so long: the target is reached so much later than the mean met it.
  void averaged(double took_s);
  /// A model was lost before the average was there: the next mean that meets the target counts, from now
  /// on.
  void average_lost(double now);

  std::optional<double> time_s() const { return time_s_; }
  /// The part of it that averaging took; empty where nothing had to be averaged.
  std::optional<double> averaging_s() const { return averaging_s_; }

 private:
  struct Update {
    std::uint64_t number = 0;
    double time_s = 0;
  };

  /// How far the value is beyond the target; reached from 0 on.
  double beyond(double value) const;
  /// When this evaluation shows that the target was met; empty when it does not.
  std::optional<double> met_by(double now, std::uint64_t update, const Evaluation& evaluation);
  /// When the line between two evaluations meets the target.
  double crossing(double now, std::uint64_t update, double value) const;

  std::optional<TargetSpec> target_;
  std::vector<Update> since_;  // the last evaluation
  std::uint64_t stride_ = 1;   // every how many updates are kept
  std::uint64_t seen_ = 0;     // updates since the last evaluation
  std::optional<double> last_value_;
  std::uint64_t last_update_ = 0;
  std::optional<double> met_at_s_;  // by a mean, which is being averaged
  double not_before_s_ = 0;         // when the last average was lost
  std::optional<double> time_s_;
  std::optional<double> averaging_s_;
};

}  // namespace motley
