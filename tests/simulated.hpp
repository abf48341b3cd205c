#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include "sim/base/child_process.hpp"
#include "sim/base/json.hpp"
#include "sim/study/experiment.hpp"

/// Runs scenarios given as JSON, each simulation in a process of its own.
namespace motley {

/// A scenario in a temporary file, loaded.
inline Experiment experiment_of(const Json& scenario) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("motley_test_" + std::to_string(getpid()) + ".json");
  std::ofstream(file) << scenario.dump();
  Experiment experiment(file.string(), {});
  std::filesystem::remove(file);
  return experiment;
}

inline RunResult result_of(const ChildOutcome& outcome) {
  if (!outcome.result) throw std::runtime_error(outcome.complaint());
  return run_result_from_json(*outcome.result);
}

/// The run of the scenario's index-th algorithm.
inline RunResult simulate(const Json& scenario, std::size_t index = 0, unsigned threads = 1) {
  const Experiment experiment = experiment_of(scenario);
  return result_of(run_in_child(
      [&] { return to_json(experiment.run(experiment.runs().at(index), threads, {})); }));
}

/// The run of an algorithm of the test's own; the scenario must still name one.
template <class A>
RunResult simulate_with(const Json& scenario) {
  const Experiment experiment = experiment_of(scenario);
  return result_of(run_in_child([&] {
    A algorithm;
    return to_json(experiment.run(algorithm, 1, {}));
  }));
}

/// A noiseless quadratic on a cluster to be filled in: one sample takes 1 Gf, a message 8 MB; every
/// update is a point of the curve. With a 1 Gf/s host a gradient of batch b takes b seconds.
inline Json timing_scenario() {
  return Json::parse(R"({
    "name": "timing",
    "model": {"kind": "quadratic", "dimension": 4, "noise": 0},
    "cluster": {"workers": [], "server": {"speed": "1Tf"},
                "link": {"bandwidth": "100MBps", "latency": "1ms"}},
    "cost": {"flops_per_sample": "1Gf", "model_size": "8MB"},
    "stop": {"updates": 20},
    "evaluate": {"every": 1},
    "defaults": {"batch_size": 1, "step_size": 0.1},
    "algorithms": [{"name": "sync"}]
  })");
}

/// Fashion-MNIST's place is taken by Gaussian classes, so that nothing need be installed.
inline Json learning_scenario() {
  return Json::parse(R"({
    "name": "learning",
    "seed": 3,
    "data": {"kind": "synthetic", "train": 600, "test": 200, "features": 12, "classes": 4},
    "model": {"kind": "mlp", "hidden": [8]},
    "cluster": {"workers": [{"name": "fast", "count": 2, "speed": "3Gf"},
                            {"name": "slow", "count": 2, "speed": "1Gf"}],
                "server": {"speed": "1Tf"},
                "link": {"bandwidth": "100MBps", "latency": "1ms"}},
    "cost": {"flops_per_sample": "10Mf", "model_size": "1MB"},
    "stop": {"updates": 40},
    "evaluate": {"every": 1},
    "defaults": {"batch_size": 8, "step_size": 0.05},
    "algorithms": [{"name": "sync"}]
  })");
}

}  // namespace motley
