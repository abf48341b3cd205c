#pragma once

#include <functional>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/study/experiment.hpp"

namespace motley {

/// A scenario given as JSON, with nothing in a file.
Experiment bench_experiment(const Json& scenario);

/// 16 uneven workers and a server, batch 32, samples of 784 features in 10 classes, no evaluation
/// but the first and last.
Json bench_scenario(const Json& model, const std::string& algorithm, std::uint64_t updates);
/// Nothing is learnt: `workers` uneven workers.
Json time_only_scenario(std::size_t workers, const std::string& algorithm, std::uint64_t updates);

/// What a run in a process of its own took.
struct RunCost {
  double wall_s = 0;    ///< all of it
  double steady_s = 0;  ///< its last four fifths, by updates
  double steady_cpu_s = 0;
  double steady_updates = 0;
  double evaluation_s = 0;
  double peak_rss_mb = 0;
};
RunCost cost_of_run(const Experiment& experiment, unsigned threads);

/// The same gradients and updates as asynchronous SGD with W workers in a bare loop: no simulation,
/// only the gradients of the next few workers handed to a thread pool. Without `exchange`, each
/// thread reads a model and writes a gradient of its own, so that nothing goes from core to core;
/// the result then means nothing. In a process of its own.
struct LoopCost {
  double wall_s = 0;
  double cpu_s = 0;
};
LoopCost cost_of_bare_loop(const Experiment& experiment, std::uint64_t updates, unsigned threads,
                           bool exchange = true);

double median(std::vector<double> values);

}  // namespace motley
