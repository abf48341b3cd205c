#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"
#include "sim/base/strict_json.hpp"
#include "sim/results/evaluation.hpp"
#include "sim/results/run_status.hpp"
#include "sim/scenario/spread.hpp"

/// What one run leaves behind: the rows of the CSV files, in SI units.
namespace motley {

struct CurvePoint {
  double time_s = 0;
  std::uint64_t updates = 0;
  std::uint64_t samples = 0;
  double epochs = 0;
  double bytes = 0;
  std::optional<double> train_loss;  ///< mean over the mini-batches computed since the last point
  std::optional<double> test_loss;   ///< empty when nothing is learnt
  std::optional<double> test_accuracy;
  EvaluatedModel kind = EvaluatedModel::real;
  std::optional<double> energy_J = {};   ///< so far; empty when no power is given
  std::optional<double> cost = {};       ///< so far; empty when no price is given
  std::optional<double> consensus = {};  ///< see Evaluation
};

struct WorkerResult {
  std::string name;
  std::string class_name;
  double speed_flops = 0;
  double compute_s = 0;
  double transfer_s = 0;
  double wait_s = 0;
  double discarded_s = 0;
  std::uint64_t gradients = 0;
  std::uint64_t samples = 0;
  double mean_staleness = 0;
  std::uint64_t max_staleness = 0;
  std::uint64_t data_samples = 0;  ///< of the training set, from which it draws
  double down_s = 0;
  double lost_s = 0;  ///< the part of discarded_s that failures ended
  std::uint64_t failures = 0;
  /// How many workers of which each is like this: see idle_parts.hpp.
  std::uint64_t count = 1;
};

/// Something an algorithm chose for a worker: a batch size, a number of steps, a group.
struct Decision {
  double time_s = 0;
  std::size_t rank = 0;
  std::string quantity;
  double value = 0;
};

struct LinkResult {
  std::string name;
  double bandwidth_Bps = 0;
  double bytes = 0;
  double busy_s = 0;            ///< during which at least one message flowed through it
  std::string group = {};       ///< all links of its kind, such as gpu-*_up; empty: it is alone
  double background_bytes = 0;  ///< of others, not in `bytes`
  std::uint64_t count = 1;      ///< how many links of which each is like this
};

/// How many gradients of a class's workers were applied with this staleness.
struct StalenessCount {
  std::string class_name;
  std::uint64_t staleness = 0;
  std::uint64_t count = 0;
};

/// Something about a run that its reader should know before trusting it.
struct RunWarning {
  std::string kind;  ///< one word, for programs: see run_warnings.hpp
  std::string text;  ///< one line, for people
};

/// Which run it is of those of a plan.
struct RunIdentity {
  std::string run;  ///< unique among them
  std::string algorithm;
  std::uint64_t replica = 0;
  std::uint64_t seed = 0;
  /// The values of the sweep's axes; not stored with the run, the plan knows them.
  std::vector<Json> point;
  /// Whether its tuned parameters are at the edge of their grid; empty when nothing was tuned. Not
  /// handed over either.
  std::optional<bool> tuned_at_edge;
  /// Which part of the grid was tried; empty when nothing was tuned. Not handed over either.
  std::optional<double> tuned_share_of_grid = {};
};

struct RunResult : RunIdentity {
  RunStatus status = RunStatus::ok;
  std::string reason;  ///< why it failed or diverged
  double virtual_s = 0;
  std::uint64_t updates = 0;
  std::uint64_t gradients = 0;
  std::uint64_t samples = 0;
  double epochs = 0;
  double bytes = 0;
  std::optional<double> final_test_accuracy;
  std::optional<double> best_test_accuracy;
  std::optional<double> final_test_loss;
  std::optional<double> time_to_target_s;
  /// The part of it in which the workers' models, which nobody merges, were averaged; else empty.
  std::optional<double> averaging_s = {};
  std::optional<double> energy_J;  ///< empty when the scenario gives no power
  std::optional<double> cost;      ///< empty when it gives no price
  /// Updates undone when a model was taken from a checkpoint; empty when nothing can fail.
  std::optional<std::uint64_t> lost_updates = {};
  double mean_staleness = 0;
  std::uint64_t max_staleness = 0;
  double wall_s = 0;
  double peak_rss_mb = 0;
  double evaluation_wall_s = 0;  ///< part of wall_s; not in the CSV files
  std::vector<CurvePoint> curve;
  std::vector<WorkerResult> workers;
  std::vector<LinkResult> links;
  std::vector<StalenessCount> staleness;  ///< by class, then staleness
  std::vector<Decision> decisions;
  std::vector<RunWarning> warnings;
  /// The virtual time the run was given; not in the CSV files.
  std::optional<double> time_budget_s;
  /// Of all workers, where not all are listed one by one.
  std::optional<Heterogeneity> uneven = {};

  /// When the update that reached the target was finished: time_to_target_s less averaging_s.
  std::optional<double> target_crossed_s() const;
  /// On the straight line between the evaluations around it; empty when it was not reached.
  std::optional<double> energy_to_target_J() const;
  std::optional<double> cost_to_target() const;
  std::uint64_t worker_count() const;
  double compute_s() const;
  double transfer_s() const;
  double wait_s() const;
  double discarded_s() const;
  double down_s() const;
  double lost_s() const;
  std::uint64_t failures() const;
  /// How uneven the cluster was; empty when the run failed before its workers were known.
  std::optional<Heterogeneity> cluster_heterogeneity() const;
};

/// The value at a time, on the straight line between the points of the curve around it.
double at_time(const std::vector<CurvePoint>& curve, double time_s,
               double (*value)(const CurvePoint&));

/// How a child process hands its result to the parent, and how it is stored; exact both ways.
/// InputError when it is not what to_json() makes.
Json to_json(const RunResult& result);
RunResult run_result_from_json(const StrictJson& json);

}  // namespace motley
