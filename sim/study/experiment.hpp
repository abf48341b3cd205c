#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/catalog.hpp"
#include "sim/base/json.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/learning/data/shared_datasets.hpp"
#include "sim/learning/learning_spec.hpp"
#include "sim/results/trace_files.hpp"
#include "sim/study/shared_platforms.hpp"

namespace motley {

/// One run to do: an algorithm with all its parameters.
struct RunPlan {
  std::string label;  ///< what tables and plots call the algorithm
  std::string algorithm;
  Json parameters;
  Place place;
  double gradients_per_update = 1;  ///< approximately
  std::size_t workers_at_work = 0;  ///< at some moment, about; the others cost next to nothing
  BatchSizes batches;
  std::string caution;          ///< of the algorithm; often empty
  std::vector<TuneGrid> grids;  ///< parameters to be tuned, which have the first values here
};

/// One point of a scenario's sweep, or a scenario without one, ready to run: checked to the last
/// parameter, its data loaded.
class Experiment {
 public:
  /// Throws InputError for any mistake in the scenario; nothing has been written then.
  Experiment(LoadedScenario loaded, SharedDatasets& datasets, SharedPlatforms& platforms);
  Experiment(const std::string& file, const std::vector<Override>& overrides);

  const Scenario& scenario() const { return loaded_.scenario; }
  /// The scenario with every default filled in, the algorithms' too.
  const Json& full() const { return loaded_.full; }
  const std::vector<RunPlan>& runs() const { return runs_; }
  /// The same run with other values for some parameters. InputError when they cannot be.
  RunPlan with_values(std::size_t run, const Json& values) const;
  /// Label of the algorithm that the others are compared with.
  std::string baseline() const { return scenario().baseline.value_or(runs_.front().label); }
  const ClusterPlan& cluster() const { return cluster_; }
  const Problem& problem() const { return *problem_; }
  /// Null when the model takes none.
  const Dataset* data() const { return data_.get(); }
  double flops_per_sample() const { return flops_per_sample_; }
  std::uint64_t message_bytes() const { return message_bytes_; }
  /// Whether the data has classes, and how many: accuracy at chance is 1 over that.
  std::size_t classes() const;
  /// All that decides the result of a run and nothing else: no names, no other algorithms, no
  /// comments; files by their contents.
  Json description_of(const RunPlan& plan) const;
  /// What another seed can make wrong: the speeds that are drawn. InputError.
  void check_seed(std::uint64_t seed) const;
  /// Whether the workers' speeds are drawn, so that they differ from seed to seed.
  bool draws_speeds() const;

  /// Does one run. In a process of its own. The name is that of its traces.
  RunResult run(const RunPlan& plan, unsigned threads,
                const std::function<void(const Progress&)>& on_progress,
                const std::string& run_name = "", const TraceRequest& trace = {}) const;
  /// The same with an algorithm that need not be in the catalogue.
  RunResult run(Algorithm& algorithm, unsigned threads,
                const std::function<void(const Progress&)>& on_progress,
                const std::string& run_name = "", const TraceRequest& trace = {}) const;
  /// All that such a run is made of, in virtual time or for real. What is given and this must outlive it.
  SimulationSetup setup(unsigned threads, const std::function<void(const Progress&)>& on_progress,
                        const std::string& run_name, const TraceRequest& trace) const;
  std::unique_ptr<Algorithm> algorithm_of(const RunPlan& plan) const;
  /// What the reader of a result should know, from it and from what was run.
  std::vector<RunWarning> warnings_of(const RunPlan& plan, const RunResult& result) const;
  const RunFacts& facts() const { return facts_; }
  /// Made when it is first asked for: what is only planned needs none.
  const Partition& partition() const;
  /// How workers draw from it.
  SampleOrder order() const { return learning_.order(); }

 private:
  void plan_cluster_of_classes();
  void plan_what_changes(SharedPlatforms& platforms);
  void check_speeds(const ClusterPlan& cluster) const;
  void plan_runs();
  /// Fills in the parameters that are not given, and checks all.
  void complete(RunPlan& plan) const;
  /// What one should know who trusts its results here; often nothing.
  std::string caution_of(const Algorithm& algorithm) const;

  LoadedScenario loaded_;
  LearningSpec learning_;
  std::shared_ptr<const Dataset> data_;
  std::string data_digest_;      ///< of files
  std::string platform_digest_;  ///< of a platform file
  std::string trace_digest_;     ///< of a trace of speeds
  std::unique_ptr<Problem> problem_;
  mutable std::unique_ptr<const Partition> partition_;
  ClusterPlan cluster_;
  double flops_per_sample_ = 0;
  std::uint64_t message_bytes_ = 0;
  RunFacts facts_;
  Json described_;  ///< what description_of() says of all runs alike
  std::vector<RunPlan> runs_;
};

}  // namespace motley
