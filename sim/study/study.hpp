#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/results/run_store.hpp"
#include "sim/scenario/sweep.hpp"
#include "sim/study/experiment.hpp"
#include "sim/study/memory_need.hpp"

namespace motley {

/// All runs that a scenario asks for: every algorithm at every point of its sweep, in every
/// replica. Replica r has the scenario's seed + r, so that all algorithms meet the same data order,
/// initial model and slow-downs in it.
class Study {
 public:
  /// Checks every point. Throws InputError for any mistake; nothing has been written then.
  Study(const std::string& file, const std::vector<Override>& overrides);

  const std::string& file() const { return file_; }
  const std::string& name() const { return name_; }
  /// The scenario with every default filled in, the algorithms' too; but what stands beside a swept
  /// value stays as it was written, since its defaults may depend on that value.
  const Json& full() const { return full_; }
  /// The runs in the order of the results: by point, then replica, then algorithm. Runs that
  /// differ in nothing but their names have the same hash and are done once.
  const RunTable& table() const { return table_; }
  std::size_t size() const { return table_.runs.size(); }
  /// How much work a run is expected to be, in flops; only its proportions matter.
  double cost(std::size_t run) const { return places_[run].cost; }
  std::string describe() const;
  /// Of the run that needs most.
  const MemoryNeed& memory_need() const { return memory_need_; }

  /// The experiment a run belongs to, valid until another one is asked for.
  const Experiment& experiment(std::size_t run) const;
  const RunPlan& plan(std::size_t run) const;
  /// All that decides the result of a run: what its hash is made of.
  Json description(std::size_t run) const;

 private:
  struct RunOrigin {
    std::size_t point;
    std::uint64_t replica;
    std::size_t algorithm;
    double cost;
  };

  std::unique_ptr<Experiment> load(std::size_t point, std::uint64_t replica) const;
  void plan_runs();
  void fill_in(const Experiment& first);

  std::string file_;
  Json written_;  // with the overrides, before any default is filled in
  std::string name_;
  Json full_;
  std::vector<Axis> axes_;
  std::vector<std::vector<Json>> points_;
  std::vector<std::string> point_names_;
  RunTable table_;
  std::vector<RunOrigin> places_;
  std::string first_described_;
  std::uint64_t replicas_ = 1;
  std::size_t algorithms_ = 0;
  MemoryNeed memory_need_;

  // Loading an experiment is quick once its data is there, and a large cluster is large.
  mutable SharedDatasets datasets_;
  mutable std::unique_ptr<Experiment> loaded_;
  mutable std::pair<std::size_t, std::uint64_t> loaded_is_;
};

}  // namespace motley
