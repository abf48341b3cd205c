#include "sim/bench/bench_runs.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "sim/base/child_process.hpp"
#include "sim/base/cpu_clock.hpp"
#include "sim/base/json.hpp"
#include "sim/base/thread_pool.hpp"
#include "sim/learning/data/sampler.hpp"

namespace motley {
namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

Json result_or_throw(const ChildOutcome& outcome) {
  if (!outcome.result) throw std::runtime_error("bench: " + outcome.complaint());
  return *outcome.result;
}

/// Speeds from 1 to 4, all different, so that workers do not go in step.
Json uneven_workers(std::size_t count) {
  Json speeds = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    speeds.push_back(1 + 3 * static_cast<double>(i) / static_cast<double>(count));
  }
  return {{{"name", "w"},
           {"count", count},
           {"speed", "4Tf"},
           {"spread", {{"law", "list"}, {"speeds", std::move(speeds)}}}}};
}

}  // namespace

Experiment bench_experiment(const Json& scenario) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("motley_bench_" + std::to_string(getpid()) + ".json");
  std::ofstream(file) << scenario.dump();
  Experiment experiment(file.string(), {});
  std::filesystem::remove(file);
  return experiment;
}

Json bench_scenario(const Json& model, const std::string& algorithm, std::uint64_t updates) {
  return {{"name", "bench"},
          {"data", {{"kind", "synthetic"}, {"features", 784}, {"train", 10000}, {"test", 500}}},
          {"model", model},
          {"cluster",
           {{"workers", uneven_workers(16)},
            {"server", {{"speed", "1Tf"}}},
            {"link", {{"bandwidth", "100Gbps"}, {"latency", "50us"}}}}},
          {"cost", {{"flops_per_sample", "10Gf"}, {"model_size", "10MB"}}},
          {"approximate", {{"ring", "fluid"}}},
          {"stop", {{"updates", updates}}},
          {"evaluate", {{"every", updates}}},
          {"algorithms", {{{"name", algorithm}, {"batch_size", 32}, {"step_size", 0.001}}}}};
}

Json time_only_scenario(std::size_t workers, const std::string& algorithm, std::uint64_t updates) {
  Json scenario = bench_scenario({{"kind", "none"}}, algorithm, updates);
  scenario.erase("data");
  scenario["cluster"]["workers"] = uneven_workers(workers);
  scenario["evaluate"]["every"] = std::max<std::uint64_t>(1, updates / 5);
  return scenario;
}

RunCost cost_of_run(const Experiment& experiment, unsigned threads) {
  const Json json = result_or_throw(run_in_child([&]() -> Json {
    struct Point {
      Clock::time_point time;
      double cpu_s;
      std::uint64_t updates;
    };
    std::vector<Point> points;
    const RunResult result =
        experiment.run(experiment.runs().front(), threads, [&](const Progress& p) {
          points.push_back({Clock::now(), cpu_seconds(), p.updates});
        });
    if (result.status != RunStatus::ok) throw std::runtime_error(result.reason);
    // Points are at 0 updates and then at every fifth, unless there is only one more.
    const std::size_t from = points.size() > 2 ? 1 : 0;
    const Point& first = points[from];
    const Point& last = points.back();
    return {result.wall_s,
            seconds(last.time - first.time),
            last.cpu_s - first.cpu_s,
            last.updates - first.updates,
            result.evaluation_wall_s,
            result.peak_rss_mb};
  }));
  return {json[0], json[1], json[2], json[3], json[4], json[5]};
}

LoopCost cost_of_bare_loop(const Experiment& experiment, std::uint64_t updates, unsigned threads,
                           bool exchange) {
  const Json json = result_or_throw(run_in_child([&]() -> Json {
    const Problem& problem = experiment.problem();
    const Json& parameters = experiment.runs().front().parameters;
    const std::size_t batch = parameters["batch_size"];
    ThreadPool pool(threads);
    flush_denormals();
    struct OfThread {
      std::unique_ptr<Workspace> workspace;
      std::vector<float> x, g;
    };
    std::vector<OfThread> of_thread;
    for (unsigned i = 0; i < threads; ++i) {
      const std::vector<float> zero(problem.dimension());
      of_thread.push_back({problem.make_workspace(), zero, zero});
    }
    SgdSpec spec;
    spec.step_size = parameters["step_size"];
    UpdateRule rule(spec, 1);
    Parameters x(problem.dimension());
    problem.initial_model(1, x.overwritable());

    struct BareWorker {
      Parameters at;  // the version it computes at
      Parameters g;
      std::vector<Sample> samples;
      std::span<float> g_values;
      Sampler sampler;
      ThreadPool::Task task;
    };
    std::vector<std::unique_ptr<BareWorker>> workers;
    for (std::size_t i = 0; i < experiment.cluster().workers.size(); ++i) {
      const auto compute = [&problem, &workers, &of_thread, exchange, i](unsigned thread) {
        const BareWorker& worker = *workers[i];
        OfThread& own = of_thread[thread];
        if (exchange)
          problem.gradient(worker.at.values(), worker.samples, worker.g_values, *own.workspace);
        else
          problem.gradient(own.x, worker.samples, own.g, *own.workspace);
      };
      workers.push_back(std::unique_ptr<BareWorker>(
          new BareWorker{x,
                         {},
                         std::vector<Sample>(batch),
                         {},
                         Sampler(experiment.partition(), SampleOrder::shuffled, 1, i),
                         ThreadPool::Task(compute)}));
    }
    const auto start_gradient = [&](std::uint64_t k) {
      BareWorker& worker = *workers[k % workers.size()];
      worker.sampler.draw(worker.samples);
      worker.g = Parameters(problem.dimension());
      worker.g_values = worker.g.overwritable();
      pool.submit(worker.task);
    };
    const std::uint64_t most_ahead = threads > 1 ? 4 * threads : 1;
    std::uint64_t started = 0;

    const Clock::time_point start = Clock::now();
    const double cpu_start = cpu_seconds();
    for (std::uint64_t k = 0; k < updates; ++k) {
      while (started < std::min(updates, k + most_ahead)) start_gradient(started++);
      BareWorker& worker = *workers[k % workers.size()];
      pool.finish(worker.task);
      worker.at = Parameters();
      rule.step(x, worker.g, pool);
      worker.g = Parameters();
      worker.at = x;
    }
    return {seconds(Clock::now() - start), cpu_seconds() - cpu_start};
  }));
  return {json[0], json[1]};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace motley
