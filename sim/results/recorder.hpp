#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/results/evaluation.hpp"
#include "sim/results/evaluation_schedule.hpp"
#include "sim/results/expenses.hpp"
#include "sim/results/run_result.hpp"
#include "sim/results/stop_rule.hpp"
#include "sim/results/target_watch.hpp"
#include "sim/results/worker_account.hpp"
#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// Keeps everything a run reports. It is told the time; it cannot ask.
class Recorder {
 public:
  Recorder(const Scenario& scenario, const ClusterPlan& cluster, std::size_t samples_per_epoch);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// From now on; before anything happens.
  void keep_timeline(const TraceWindow& window, const ClusterPlan& cluster);
  /// Null when none is kept.
  Timeline* timeline() { return timeline_.get(); }

  WorkerAccount& worker(std::size_t rank) { return workers_[rank]; }
  const std::vector<WorkerAccount>& workers() const { return workers_; }

  /// A gradient of `samples` samples is there, with their mean loss if something is learnt. A loss
  /// that is not finite ends the run as diverged.
  void gradient_computed(std::size_t rank, std::uint64_t samples, std::optional<double> loss);
  /// A choice the algorithm made about a worker, for decisions.csv.
  void decided(double now, std::size_t rank, const std::string& quantity, double value);
  void bytes_delivered(double bytes) { bytes_ += bytes; }
  /// From now on; before anything happens.
  void expect_failures() { lost_updates_ = 0; }
  /// So many updates are undone.
  void updates_lost(std::uint64_t count) { *lost_updates_ += count; }
  Expenses& expenses() { return expenses_; }

  /// Counts one update: of the global model, or of a worker's own, of which there is no more than
  /// the oracle of a merge. Returns whether the model is now due for evaluation; the caller then
  /// calls evaluated(), and may do so when it is not due.
  bool update_finished(double now, EvaluatedModel kind);
  /// A point of the curve. Not for the same update twice. An oracle does not reach the target, and a
  /// mean only when it is averaged: true when it is time to do that.
  bool evaluated(double now, const Evaluation& evaluation, EvaluatedModel kind);
  /// The mean that met the target has been averaged, which took so long.
  void target_averaged(double took_s);
  /// It could not be.
  void target_average_lost(double now) { target_.average_lost(now); }
  /// Ends the account: settles every worker, and repeats the last evaluation at the end time if the
  /// model has not changed since.
  void close(double now);

  const StopRule& stop() const { return stop_; }
  std::uint64_t updates() const { return updates_; }
  /// Whether the model changed after its last evaluation.
  bool has_unevaluated_update() const {
    return curve_.empty() || curve_.back().updates != updates_;
  }
  /// Share of the run done, from 0 to 1.
  double progress(double now) const { return stop_.progress(now, updates_, samples_); }
  const std::vector<CurvePoint>& curve() const { return curve_; }

  /// Of which workers a choice was made.
  std::set<std::size_t> decided_about() const;
  /// Fills in all that the recorder knows; `listed`: the ranks of the result's workers, ascending. To
  /// others nothing has happened.
  void write_to(RunResult& result, double virtual_s, std::span<const std::size_t> listed) const;

 private:
  double epochs() const {
    return static_cast<double>(samples_) / static_cast<double>(samples_per_epoch_);
  }

  void note_spent(CurvePoint& point) const;

  StopRule stop_;
  EvaluationSchedule schedule_;
  TargetWatch target_;
  std::size_t samples_per_epoch_;

  std::vector<WorkerAccount> workers_;
  Expenses expenses_;
  std::unique_ptr<Timeline> timeline_;
  std::map<std::string, StalenessHistogram> staleness_;  // by class
  std::vector<CurvePoint> curve_;
  std::vector<Decision> decisions_;
  std::uint64_t updates_ = 0;
  std::uint64_t gradients_ = 0;
  std::uint64_t samples_ = 0;
  double bytes_ = 0;
  std::optional<std::uint64_t> lost_updates_;
  double loss_sum_ = 0;  // of the gradients since the last point
  std::uint64_t loss_count_ = 0;
};

}  // namespace motley
