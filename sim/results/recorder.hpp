#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/results/run_result.hpp"
#include "sim/results/worker_account.hpp"
#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// The model as tested at one moment.
struct Evaluation {
  std::optional<double> loss;  ///< empty when nothing is learnt
  std::optional<double> accuracy;
};

/// Keeps everything a run reports and decides when it ends. It is told the time; it cannot ask.
class Recorder {
 public:
  enum class Status { running, finished, diverged };

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

  /// Counts one update of the global model. Returns whether the model is now due for evaluation;
  /// the caller then calls evaluated().
  bool update_finished(double now);
  /// A point of the curve. Not for the same update twice.
  void evaluated(double now, const Evaluation& evaluation);
  /// Ends the account: settles every worker, and repeats the last evaluation at the end time if the
  /// model has not changed since.
  void close(double now);

  Status status() const { return status_; }
  bool stopped() const { return status_ != Status::running; }
  const std::string& reason() const { return reason_; }
  std::uint64_t updates() const { return updates_; }
  /// Whether the model changed after its last evaluation.
  bool has_unevaluated_update() const {
    return curve_.empty() || curve_.back().updates != updates_;
  }
  /// Share of the run done, from 0 to 1, by whichever stop rule is nearest.
  double progress(double now) const;
  const std::vector<CurvePoint>& curve() const { return curve_; }

  /// Fills in all that the recorder knows.
  void write_to(RunResult& result, double virtual_s) const;

 private:
  bool reached(const Evaluation& evaluation) const;
  bool is_due(double now);
  void check_stop(double now);
  void diverge(const std::string& why);

  StopSpec stop_;
  std::optional<TargetSpec> target_;
  double evaluations_per_run_ = 0;               // automatic
  std::optional<double> evaluate_every_s_;       // or by virtual time
  std::optional<std::uint64_t> evaluate_every_;  // or by updates
  double due_ = 0;                               // whole number of intervals already evaluated
  std::size_t samples_per_epoch_;
  Status status_ = Status::running;
  std::string reason_;

  std::vector<WorkerAccount> workers_;
  std::unique_ptr<Timeline> timeline_;
  std::map<std::string, StalenessHistogram> staleness_;  // by class
  std::vector<CurvePoint> curve_;
  std::vector<Decision> decisions_;
  std::uint64_t updates_ = 0;
  std::uint64_t gradients_ = 0;
  std::uint64_t samples_ = 0;
  double bytes_ = 0;
  double loss_sum_ = 0;  // of the gradients since the last point
  std::uint64_t loss_count_ = 0;
  std::optional<double> time_to_target_s_;
};

}  // namespace motley
