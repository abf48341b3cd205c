#include "sim/bench/bench_figures.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <malloc.h>
#include <memory>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include <quickstart_scenario.hpp>

#include "sim/base/cpu_clock.hpp"
#include "sim/base/json.hpp"
#include "sim/base/json_file.hpp"
#include "sim/bench/bench_runs.hpp"
#include "sim/bench/bench_sgemm.hpp"
#include "sim/learning/data/sampler.hpp"
#include "sim/learning/models/layers/convolution_kernel.hpp"

namespace motley {
namespace {

using Clock = std::chrono::steady_clock;

const Json mlp = {{"kind", "mlp"}, {"hidden", {128}}};
const Json softmax = {{"kind", "softmax"}};
const Json cnn = {{"kind", "cnn"},
                  {"layers",
                   {{{"conv", 16}, {"kernel", 5}},
                    {{"pool", 2}},
                    {{"conv", 32}, {"kernel", 5}},
                    {{"pool", 2}},
                    {{"dense", 128}}}}};
const Json resnet20 = {{"kind", "resnet"}, {"depth", 20}};

std::uint64_t scaled(double steps, const BenchEffort& effort) {
  return static_cast<std::uint64_t>(std::max(200.0, steps * effort.work));
}

std::string short_number(double number) {
  std::ostringstream text;
  text.precision(3);
  text << number;
  return text.str();
}

/// The same with images of this shape.
Json with_images(Json scenario, const std::vector<std::size_t>& shape) {
  scenario["data"]["features"] = shape[0] * shape[1] * shape[2];
  scenario["data"]["shape"] = shape;
  scenario["data"]["train"] = 1000;  // making them takes a while
  return scenario;
}

Figure step_overhead(const std::string& name, const std::string& reach, const Json& scenario,
                     const BenchEffort& effort) {
  const Experiment experiment = bench_experiment(scenario);
  const std::uint64_t updates = scenario["stop"]["updates"];
  std::vector<double> ratios;
  // Twice as often as the rest: the difference is small beside what neighbours on the machine do.
  for (int i = 0; i < 2 * effort.repeats + 1; ++i) {
    const double bare = cost_of_bare_loop(experiment, updates, 1).cpu_s;
    ratios.push_back(cost_of_run(experiment, 1).steady_cpu_s / bare);
  }
  return {name, median(ratios), "", reach,
          "async, 16 workers, batch 32, 1 thread: time of a run / of the same gradients and "
          "updates, versions kept per worker, in a bare loop"};
}

/// What takes so much wall time on so many threads.
using TimeOnThreads = std::function<double(unsigned threads)>;

TimeOnThreads run_of(const Json& scenario) {
  return [experiment = std::make_shared<Experiment>(bench_experiment(scenario))](unsigned threads) {
    return cost_of_run(*experiment, threads).steady_s;
  };
}

/// The mathematics of the scenario's asynchronous SGD with nothing simulated.
TimeOnThreads bare_loop_of(const Json& scenario, bool exchange) {
  return [experiment = std::make_shared<Experiment>(bench_experiment(scenario)),
          updates = scenario["stop"]["updates"].get<std::uint64_t>(), exchange](unsigned threads) {
    return cost_of_bare_loop(*experiment, updates, threads, exchange).wall_s;
  };
}

/// Medians of the gains by a second thread; all are measured in turn, again and again.
std::vector<double> thread_speedups(const std::vector<TimeOnThreads>& times,
                                    const BenchEffort& effort) {
  std::vector<std::vector<double>> ratios(times.size());
  for (int i = 0; i < effort.repeats; ++i) {
    for (std::size_t j = 0; j < times.size(); ++j) {
      const double one = times[j](1);
      ratios[j].push_back(one / times[j](2));
    }
  }
  std::vector<double> medians;
  for (const std::vector<double>& column : ratios) medians.push_back(median(column));
  return medians;
}

/// Two classes of equal workers, as in most scenarios: many go in step.
Json two_classes(Json scenario) {
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"count", 8}, {"speed", "4Tf"}},
                                    {{"name", "slow"}, {"count", 8}, {"speed", "1Tf"}}};
  return scenario;
}

Json quickstart_with(const Json& algorithm, const BenchEffort& effort) {
  Json scenario = parse_json(quickstart_scenario, {"quickstart", ""});
  scenario["algorithms"] = Json::array({algorithm});
  if (effort.work < 1) scenario["stop"] = {{"time", "30s"}};
  return scenario;
}

double us_per_step(const Experiment& experiment, double steps_per_update) {
  const RunCost cost = cost_of_run(experiment, 1);
  return 1e6 * cost.steady_cpu_s / (cost.steady_updates * steps_per_update);
}

/// Medians of interleaved measurements of several clusters, and of the last one's over the first's.
std::vector<double> interleaved_us(const std::vector<Json>& scenarios,
                                   const std::vector<double>& steps_per_update,
                                   const BenchEffort& effort) {
  std::vector<Experiment> experiments;
  for (const Json& scenario : scenarios) experiments.push_back(bench_experiment(scenario));
  std::vector<std::vector<double>> values(scenarios.size() + 1);
  for (int i = 0; i < effort.repeats; ++i) {
    for (std::size_t j = 0; j < experiments.size(); ++j) {
      values[j].push_back(us_per_step(experiments[j], steps_per_update[j]));
    }
    values.back().push_back(values[experiments.size() - 1].back() / values[0].back());
  }
  std::vector<double> medians;
  for (const std::vector<double>& column : values) medians.push_back(median(column));
  return medians;
}

/// The port shared fairly by everybody.
Json saturated(std::size_t workers, std::uint64_t updates) {
  Json scenario = time_only_scenario(workers, "async", updates);
  scenario["cluster"]["link"]["bandwidth"] = "1Gbps";
  scenario["cost"] = {{"flops_per_sample", "1Mf"}, {"model_size", "10MB"}};
  return scenario;
}

/// Served in order of arrival, 16 at a time.
Json saturated_in_turn(std::size_t workers, std::uint64_t updates) {
  Json scenario = saturated(workers, updates);
  scenario["approximate"]["port_flows"] = 16;
  return scenario;
}

Json unsaturated(std::size_t workers, std::uint64_t updates) {
  Json scenario = time_only_scenario(workers, "async", updates);
  scenario["cost"] = {{"flops_per_sample", "10Gf"}, {"model_size", "1kB"}};
  return scenario;
}

/// The model split over 16 servers: a step is 16 pushes and 16 pulls.
Json sixteen_servers(std::size_t workers, std::uint64_t updates) {
  Json scenario = unsaturated(workers, updates);
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = Json::array({{{"count", 16}, {"speed", "1Tf"}}});
  scenario["approximate"]["port_flows"] = 16;  // all ask for the model at the start
  return scenario;
}

}  // namespace

std::vector<Figure> step_overhead_figures(const BenchEffort& effort) {
  return {step_overhead("step_overhead_mlp", "<= 1.10",
                        bench_scenario(mlp, "async", scaled(3000, effort)), effort),
          step_overhead("step_overhead_softmax", "<= 1.50",
                        bench_scenario(softmax, "async", scaled(12000, effort)), effort),
          step_overhead("step_overhead_cnn", "<= 1.05",
                        with_images(bench_scenario(cnn, "async", scaled(200, effort)), {1, 28, 28}),
                        effort)};
}

std::vector<Figure> thread_figures(const BenchEffort& effort) {
  const std::uint64_t steps = scaled(3000, effort);
  const Json async = bench_scenario(mlp, "async", steps);
  const std::vector<double> gains = thread_speedups(
      {run_of(async), run_of(bench_scenario(mlp, "allreduce", steps / 16)),
       run_of(two_classes(async)), bare_loop_of(async, true), bare_loop_of(async, false)},
      effort);
  std::vector<Figure> figures = {
      {"thread_speedup", std::min(gains[0], gains[1]), "", ">= 1.80",
       "1 thread / 2 threads, mlp, batch 32, 16 workers of different speeds: the smaller of "
       "async " +
           short_number(gains[0]) + " and allreduce (fluid ring) " + short_number(gains[1])},
      {"thread_speedup_classes", gains[2], "", ">= 1.80",
       "the same for async with 8 equal workers and 8 equal ones of a quarter of their speed"},
      {"bare_thread_speedup", gains[3], "", "",
       "the gradients and updates of async in a bare loop with the same thread pool"},
      {"unshared_thread_speedup", gains[4], "", "",
       "that loop when each thread has a model and a gradient of its own: what the cores could do "
       "if no vector went from one to the other"}};

  const std::vector<Json> algorithms = {
      {{"name", "sync"}, {"step_size", 0.2}},
      {{"name", "stale"}, {"step_size", 0.05}, {"staleness", 3}},
      {{"name", "grouping"}, {"step_size", 0.2}},
      {{"name", "local"}, {"step_size", 0.2}, {"local_steps", 8}}};
  std::vector<TimeOnThreads> runs;
  for (const Json& algorithm : algorithms)
    runs.push_back(run_of(quickstart_with(algorithm, effort)));
  const std::vector<double> quickstart = thread_speedups(runs, effort);
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    figures.push_back({"thread_speedup_" + algorithms[i]["name"].get<std::string>(), quickstart[i],
                       "", "", "1 thread / 2 threads, quickstart's scenario with this algorithm"});
  }
  return figures;
}

namespace {

/// What a gradient of batch 32 takes, and how near it comes to the rate of the large matrix product.
std::vector<Figure> gradient_figures(const std::string& name, const std::string& what,
                                     const Json& scenario, int calls, const BenchEffort& effort) {
  const Experiment experiment = bench_experiment(scenario);
  const Problem& problem = experiment.problem();
  const auto workspace = problem.make_workspace();
  Sampler sampler(experiment.partition(), SampleOrder::shuffled, 1, 0);
  std::vector<Sample> samples(32);
  std::vector<float> x(problem.dimension());
  std::vector<float> g(problem.dimension());
  problem.initial_model(1, x);
  std::vector<double> ratios;
  std::vector<double> times;
  std::string library;
  for (int i = 0; i < 4 * effort.repeats; ++i) {
    const SgemmRate sgemm = best_large_sgemm();
    library = sgemm.library;
    double best = INFINITY;
    for (int call = 0; call < calls; ++call) {
      sampler.draw(samples);
      const double start = cpu_seconds();
      problem.gradient(x, samples, g, *workspace);
      best = std::min(best, cpu_seconds() - start);
    }
    ratios.push_back(32 * problem.flops_per_sample() / sgemm.flops_per_s / best);
    times.push_back(1e3 * best);
  }
  return {{"kernel_efficiency_" + name, median(ratios), "", ">= 0.70",
           what + ", batch 32: time of the step's flops at the rate of " + library +
               "'s 768^3 product / time of the gradient, best of each round"},
          {"gradient_ms_" + name, median(times), "ms", "", "that time of the gradient"}};
}

/// What a thread needs to compute gradients of a ResNet-20.
Figure resnet_memory() {
  const auto peak = [](const Json& model) {
    const Json scenario = with_images(bench_scenario(model, "async", 4), {3, 32, 32});
    return cost_of_run(bench_experiment(scenario), 1).peak_rss_mb;
  };
  return {"memory_resnet20_mb", peak(resnet20) - peak(softmax), "MB", "",
          "peak memory of async with ResNet-20, 3x32x32, batch 32, 1 thread, beyond that with "
          "softmax: activations of a block, and models and gradients under way"};
}

}  // namespace

std::vector<Figure> kernel_figures(const BenchEffort& effort) {
  const std::string code = ", convolutions by " + convolution_code();
  std::vector<Figure> figures;
  const auto add = [&](const std::string& name, const std::string& what, const Json& scenario,
                       int calls) {
    for (Figure& figure : gradient_figures(name, what, scenario, calls, effort)) {
      figures.push_back(std::move(figure));
    }
  };
  add("mlp", "784-128-10", bench_scenario(mlp, "async", 1), 50);
  add("cnn", "1x28x28, conv 16 and 32 of 5x5 with pool 2, dense 128" + code,
      with_images(bench_scenario(cnn, "async", 1), {1, 28, 28}), 10);
  add("resnet20", "3x32x32, ResNet-20 with group normalisation" + code,
      with_images(bench_scenario(resnet20, "async", 1), {3, 32, 32}), 3);
  return figures;
}

std::vector<Figure> scale_figures(const BenchEffort& effort) {
  const BenchEffort few{std::min(effort.repeats, 3), effort.work};
  const std::uint64_t steps = scaled(150000, effort);
  const std::vector<double> async =
      interleaved_us({unsaturated(16, steps), unsaturated(1000, steps), unsaturated(10000, steps)},
                     {1, 1, 1}, few);
  const std::vector<double> contended =
      interleaved_us({saturated_in_turn(16, steps), saturated_in_turn(10000, steps)}, {1, 1}, few);
  const std::vector<double> exact =
      interleaved_us({saturated(16, steps), saturated(10000, steps)}, {1, 1}, few);
  const std::vector<double> servers = interleaved_us(
      {sixteen_servers(16, steps / 8), sixteen_servers(10000, steps / 8)}, {1, 1}, few);
  const std::uint64_t rounds = std::max<std::uint64_t>(10, steps / 16 / 2);
  const std::vector<double> ring = interleaved_us(
      {time_only_scenario(16, "allreduce", rounds), time_only_scenario(10000, "allreduce", 10)},
      {16, 10000}, few);
  const std::string how = "time-only async, compute + push + pull, no port saturated";
  return {{"sim_us_per_step_16", async[0], "us", "", how},
          {"sim_us_per_step_1000", async[1], "us", "", how},
          {"sim_us_per_step_10000", async[2], "us", "", how},
          {"sim_growth", async[3], "", "<= 2", "sim_us_per_step_10000 / sim_us_per_step_16"},
          {"sim_contended_us_16", contended[0], "us", "",
           "the same, server's port saturated, port_flows 16"},
          {"sim_contended_us_10000", contended[1], "us", "",
           "the same, server's port saturated, port_flows 16"},
          {"sim_contended_growth", contended[2], "", "<= 5", "10,000 workers / 16 workers"},
          {"sim_contended_exact_us_16", exact[0], "us", "",
           "the same, shared fairly by all that are under way"},
          {"sim_contended_exact_us_10000", exact[1], "us", "",
           "the same, shared fairly by all that are under way"},
          {"sim_contended_exact_growth", exact[2], "", "<= 3", "10,000 workers / 16 workers"},
          {"sim_16_servers_us_16", servers[0], "us", "",
           "16 servers: 16 pushes and 16 pulls per step, port_flows 16"},
          {"sim_16_servers_us_10000", servers[1], "us", "",
           "16 servers: 16 pushes and 16 pulls per step, port_flows 16"},
          {"sim_16_servers_growth", servers[2], "", "", "10,000 workers / 16 workers"},
          {"ring_us_16", ring[0], "us", "",
           "time-only allreduce, fluid ring, per worker and iteration"},
          {"ring_us_10000", ring[1], "us", "",
           "time-only allreduce, fluid ring, per worker and iteration"},
          {"ring_growth", ring[2], "", "<= 2", "10,000 workers / 16 workers"}};
}

std::vector<Figure> memory_figures(const BenchEffort& effort) {
  const std::uint64_t updates = scaled(1000, effort);
  const auto peak = [&](std::size_t workers) {
    Json scenario = bench_scenario(mlp, "async", updates);
    scenario["cluster"]["workers"] = time_only_scenario(workers, "async", 1)["cluster"]["workers"];
    scenario["cost"]["model_size"] = "1kB";  // else gradients under way would be counted too
    return cost_of_run(bench_experiment(scenario), 1).peak_rss_mb;
  };
  const double kb = 1024 * (peak(10000) - peak(1000)) / 9000;
  // A hundred of them are at work in ten rounds, so that nearly all have never been.
  const auto peak_of_population = [&](std::size_t workers) {
    Json scenario = time_only_scenario(workers, "scaffold", 10);
    scenario["algorithms"][0]["participation"] = {{"count", 10}};
    return cost_of_run(bench_experiment(scenario), 1).peak_rss_mb;
  };
  malloc_trim(0);  // what this process has kept of earlier figures would count
  const double small_mb = peak_of_population(100000);
  const double large_mb = peak_of_population(1000000);
  const double idle_b = 1024 * 1024 * (large_mb - small_mb) / 900000;
  return {
      resnet_memory(),
      {"memory_per_idle_worker_b", idle_b, "B", "<= 1000",
       "growth of peak memory, 100,000 -> 1,000,000 workers, scaffold, time-only, ten of them in "
       "each of ten rounds"},
      {"memory_per_worker_kb", kb, "kB", "<= 32",
       "growth of peak memory, 1,000 -> 10,000 workers, async, mlp, the same number of updates (" +
           std::to_string(updates) +
           "); beyond that, each different model version in use costs its own size"}};
}

std::vector<Figure> evaluation_figures(const BenchEffort& effort) {
  double evaluation = 0;
  double wall = 0;
  std::string each;
  const Json algorithms = parse_json(quickstart_scenario, {"quickstart", ""})["algorithms"];
  for (const Json& algorithm : algorithms) {
    const RunCost cost = cost_of_run(bench_experiment(quickstart_with(algorithm, effort)), 1);
    evaluation += cost.evaluation_s;
    wall += cost.wall_s;
    each += (each.empty() ? "" : ", ") + algorithm["name"].get<std::string>() + " " +
            short_number(cost.evaluation_s / cost.wall_s);
  }
  return {{"evaluation_share", evaluation / wall, "", "<= 0.10",
           "of the wall time of all runs of quickstart, 1 thread (" + each + ")"}};
}

std::vector<Figure> startup_figures(const BenchEffort& effort) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("motley_bench_startup_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  Json scenario = bench_scenario(softmax, "sync", 1);
  scenario["data"] = {{"kind", "synthetic"}, {"train", 1000}, {"test", 100}};
  const std::string file = (folder / "one_update.json").string();
  std::ofstream(file) << scenario.dump();
  const std::string out = (folder / "out").string();
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<double> times;
  for (int i = 0; i < 2 * effort.repeats + 1; ++i) {
    const Clock::time_point start = Clock::now();
    const pid_t child = fork();
    if (child == 0) {
      if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(127);
      execl(self.c_str(), self.c_str(), "run", file.c_str(), "--quiet", "--no-whatif", "--out",
            out.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const std::chrono::duration<double> passed = Clock::now() - start;
    if (status != 0) throw std::runtime_error("bench: motley run failed");
    times.push_back(1e3 * passed.count());
  }
  std::filesystem::remove_all(folder);
  return {{"startup_ms", median(times), "ms", "<= 150",
           "motley run --no-whatif on a one-update synthetic scenario, from start to exit"}};
}

}  // namespace motley
