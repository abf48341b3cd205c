// How long gradients take where that depends on the batch, and batches that differ between classes.
#include <algorithm>

#include "sim/base/json.hpp"
#include "sim/study/described_experiment.hpp"
#include "sim/study/whatif/timing_rerun.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace motley {
namespace {

Approx close(double expected) {
  return Approx(expected).margin(0).epsilon(1e-9);
}

/// One worker of this class, whose updates are those of plain SGD.
Json one_worker(Json of_class, int batch) {
  Json scenario = timing_scenario();
  of_class["name"] = "w";
  scenario["cluster"]["workers"] = {of_class};
  scenario["defaults"]["batch_size"] = batch;
  return scenario;
}

double seconds_per_gradient(const RunResult& result) {
  REQUIRE(result.status == RunStatus::ok);
  return result.workers[0].compute_s / static_cast<double>(result.workers[0].gradients);
}

double measured_step_s(const char* samples_per_s, int batch) {
  return seconds_per_gradient(
      simulate(one_worker({{"samples_per_s", Json::parse(samples_per_s)}}, batch)));
}

std::string complaint_about(const Json& scenario) {
  try {
    experiment_of(scenario);
  } catch (const InputError& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);  // without the file
  }
  return "";
}

std::vector<double> decided_batches(const RunResult& result) {
  std::vector<double> batches(result.workers.size());
  for (const Decision& decision : result.decisions) batches[decision.rank] = decision.value;
  return batches;
}

TEST_CASE("a batch takes the time that was measured, and in between that of the straight line") {
  const char* measured = R"({"1": 40, "8": 220, "32": 410, "128": 480})";
  const double t8 = 8.0 / 220;
  const double t32 = 32.0 / 410;
  CHECK(measured_step_s(measured, 1) == close(1.0 / 40));
  CHECK(measured_step_s(measured, 8) == close(t8));
  CHECK(measured_step_s(measured, 14) == close(t8 + (t32 - t8) * 6 / 24));
  CHECK(measured_step_s(measured, 32) == close(t32));
  CHECK(measured_step_s(measured, 128) == close(128.0 / 480));
  CHECK(measured_step_s(measured, 1000) == close(1000.0 / 480));  // the throughput of the largest
}

TEST_CASE("below the smallest batch the line goes on unless it would meet zero") {
  const double t8 = 8.0 / 220;
  const double t32 = 32.0 / 410;
  CHECK(measured_step_s(R"({"32": 410, "8": 220})", 2) == close(t8 - (t32 - t8) * 6 / 24));
  // 8 samples in 0.08 s and 16 in 1.6 s: the line is below zero before an empty batch.
  CHECK(measured_step_s(R"({"8": 100, "16": 10})", 4) == close(4.0 / 100));
  CHECK(measured_step_s(R"({"8": 100})", 4) == close(4.0 / 100));
}

TEST_CASE("one measurement is the same as a number, to the bit") {
  const RunResult number = simulate(one_worker({{"samples_per_s", 37.5}}, 3));
  const RunResult table = simulate(one_worker({{"samples_per_s", {{"8", 37.5}}}}, 3));
  CHECK(same_run(number, table));
}

TEST_CASE("step_overhead is added to every gradient") {
  const Json host = {{"speed", "1Gf"}, {"step_overhead", "250ms"}};
  CHECK(seconds_per_gradient(simulate(one_worker(host, 3))) == close(3.25));
  // Local steps are gradients, too.
  Json local = one_worker(host, 3);
  local["algorithms"] = {{{"name", "local"}, {"local_steps", 4}}};
  CHECK(seconds_per_gradient(simulate(local)) == close(3.25));
}

TEST_CASE("layers that travel alone share the time of the whole gradient") {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"samples_per_s", {{"4", 100}, {"16", 200}}}}};
  scenario["algorithms"] = {{{"name", "sync"}, {"overlap", "layers"}}};
  const double t4 = 4.0 / 100;
  const double t16 = 16.0 / 200;
  CHECK(seconds_per_gradient(simulate(scenario)) == close(t4 + (t16 - t4) * 4 / 12));
}

TEST_CASE("noise multiplies the whole time of a step") {
  const Json noise = {{"law", "lognormal"}, {"sigma", 0.5}};
  const Json plain = {{"speed", "1Gf"}, {"noise", noise}};
  const Json overhead = {{"speed", "1Gf"}, {"step_overhead", "500ms"}, {"noise", noise}};
  CHECK(seconds_per_gradient(simulate(one_worker(overhead, 2))) ==
        close(seconds_per_gradient(simulate(one_worker(plain, 2))) * 2.5 / 2));
}

TEST_CASE("what-if halves measured times with the speed, and leaves an overhead as it is") {
  const auto seconds_with = [](const Json& scenario, const std::string& name) {
    const Experiment experiment = experiment_of(scenario);
    for (const Change& change : changes_for(experiment, true)) {
      if (change.name != name) continue;
      const ChildOutcome outcome = run_in_child([&] {
        return Json(timing_rerun(experiment, experiment.runs()[0], change, 1).virtual_s);
      });
      if (!outcome.result) throw std::runtime_error(outcome.complaint());
      return outcome.result->get<double>();
    }
    throw std::runtime_error("no change " + name);
  };
  const double messages = 2 * (2e-3 + 8e6 / 1e8);
  // A batch of 4 takes 4/10 s, and half of it; 4 s and an overhead of 1 s take 2 + 1 s.
  const Json measured = one_worker({{"samples_per_s", {{"4", 10}, {"8", 16}}}}, 4);
  CHECK(seconds_with(measured, "as_is") == close(messages + 0.4));
  CHECK(seconds_with(measured, "compute_x2") == close(messages + 0.2));
  const Json overhead = one_worker({{"speed", "1Gf"}, {"step_overhead", "1s"}}, 4);
  CHECK(seconds_with(overhead, "as_is") == close(messages + 5));
  CHECK(seconds_with(overhead, "compute_x2") == close(messages + 3));
  // A class that is left out needs no batch, though it has one. A batch of 2 takes 2 s.
  Json two = one_worker({{"speed", "1Gf"}}, 1);
  two["cluster"]["workers"].push_back({{"name", "slow"}, {"speed", "0.1Gf"}});
  two["defaults"]["batch_size"] = {{"w", 2}, {"slow", 1}};
  CHECK(seconds_with(two, "without:slow") == close(messages + 2));
}

TEST_CASE("what-if asks of the slower part of a class that spreads its speeds") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "node"},
                                     {"count", 4},
                                     {"speed", "4Gf"},
                                     {"spread", {{"law", "ratio"}, {"ratio", 4}}}}};
  scenario["algorithms"] = {{{"name", "sync"}}};
  const Experiment experiment = experiment_of(scenario);
  const std::size_t slow =
      static_cast<std::size_t>(std::ranges::count(worker_speeds(experiment.cluster()), 1e9));
  REQUIRE(slow > 0);
  std::vector<std::string> names;
  for (const Change& change : changes_for(experiment, true)) {
    names.push_back(change.name);
    if (!change.apply) continue;
    ChangedCluster changed{experiment.cluster(), 0, 0};
    change.apply(changed);
    const std::vector<double> speeds = worker_speeds(changed.plan);
    if (change.name == "speed_x2:node/slower") {
      CHECK(std::ranges::count(speeds, 2e9) == static_cast<std::ptrdiff_t>(slow));
      CHECK(std::ranges::count(speeds, 4e9) == static_cast<std::ptrdiff_t>(4 - slow));
    }
    if (change.name == "without:node/slower") {
      CHECK(speeds == std::vector<double>(4 - slow, 4e9));
    }
  }
  CHECK(std::ranges::count(names, "speed_x2:node/slower") == 1);
  CHECK(std::ranges::count(names, "without:node/slower") == 1);
  CHECK(std::ranges::count(names, "speed_x2:node") == 0);  // it is compute_x2
}

TEST_CASE("heterogeneity is also said at the batches, and falling times are warned of") {
  Json scenario = timing_scenario();
  // 1 s and 4 s for a sample; with an overhead of 2 s a batch of one takes 3 s and 6 s.
  scenario["cluster"]["workers"] = {{{"name", "a"}, {"speed", "4Gf"}, {"step_overhead", "2s"}},
                                    {{"name", "b"}, {"speed", "1Gf"}, {"step_overhead", "2s"}}};
  scenario["cost"]["flops_per_sample"] = "4Gf";
  scenario["defaults"]["batch_size"] = 1;
  scenario["algorithms"] = {{{"name", "sync"}}};
  const std::string told = described_experiment(experiment_of(scenario));
  CAPTURE(told);
  CHECK(told.find("\nheterogeneity: speed ratio 4, ") != std::string::npos);
  CHECK(told.find(
            ", of the largest batches\nheterogeneity with the batches of sync: speed ratio 2, ") !=
        std::string::npos);
  CHECK(told.find("warning") == std::string::npos);
  scenario["cluster"]["workers"] = {
      {{"name", "a"}, {"samples_per_s", {{"1", 10}, {"8", 40}, {"16", 160}}}}};  // 0.1, 0.2, 0.1 s
  CHECK(described_experiment(experiment_of(scenario))
            .find("\nwarning: /cluster/workers/0/samples_per_s: a batch of 16 takes less time than "
                  "one of "
                  "8: is that what was measured?") != std::string::npos);
}

TEST_CASE("static allocation takes the speeds at the batches that it leads to") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"speed", "1Gf"}, {"step_overhead", "6s"}},
                                    {{"name", "slow"}, {"speed", "0.5Gf"}}};
  scenario["defaults"]["batch_size"] = 15;
  scenario["algorithms"] = {{{"name", "allocation"}, {"mode", "static"}}};
  // 6 + b = 2 (30 - b) at b = 18: both take 24 s.
  const RunResult result = simulate(scenario);
  CHECK(decided_batches(result) == std::vector<double>{18, 12});
  CHECK(result.workers[0].compute_s == close(result.workers[1].compute_s));
}

TEST_CASE("biased_local takes steps in proportion to their number per second") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"speed", "4Gf"}},
                                    {{"name", "slow"}, {"speed", "1Gf"}}};
  scenario["defaults"]["batch_size"] = {{"fast", 2}, {"slow", 1}};
  scenario["algorithms"] = {
      {{"name", "biased_local"}, {"local_steps", 8}, {"bias_sampling", false}}};
  // A step of the fast one takes 1/2 s and one of the slow one 1 s.
  CHECK(decided_batches(simulate(scenario)) == std::vector<double>{8, 4});
}

TEST_CASE("a batch above max_batch is an error where it is written") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "a100"}, {"speed", "4Gf"}, {"max_batch", 64}},
                                    {{"name", "t4"}, {"speed", "1Gf"}, {"max_batch", 16}}};
  scenario["defaults"]["batch_size"] = 32;
  CHECK(complaint_about(scenario) ==
        "/defaults/batch_size: must be at most 16, the max_batch of class t4, got 32");
  scenario["algorithms"][0]["batch_size"] = 65;
  CHECK(complaint_about(scenario) ==
        "/algorithms/0/batch_size: must be at most 64, the max_batch of class a100, got 65");
  scenario["algorithms"][0]["batch_size"] = {{"a100", 64}, {"t4", 17}};
  CHECK(complaint_about(scenario) ==
        "/algorithms/0/batch_size/t4: must be at most 16, the max_batch of class t4, got 17");
  scenario["algorithms"][0]["batch_size"] = {{"a100", 64}, {"t4", 16}};
  CHECK(complaint_about(scenario).empty());
}

TEST_CASE("allocation never goes above max_batch: the others take what is left") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "a"}, {"speed", "6Gf"}, {"max_batch", 20}},
                                    {{"name", "b"}, {"speed", "2Gf"}},
                                    {{"name", "c"}, {"speed", "1Gf"}}};
  scenario["defaults"]["batch_size"] = 15;
  // 45 by 6:2:1 is 30:10:5; the first is cut to 20, and the 25 left are 2:1, 16.67 and 8.33.
  for (const Json mode : {"static", "adaptive"}) {
    scenario["algorithms"] = {{{"name", "allocation"}, {"mode", mode}}};
    if (mode == "adaptive") scenario["algorithms"][0]["period"] = 1;
    CAPTURE(mode);
    CHECK(decided_batches(simulate(scenario)) == std::vector<double>{20, 17, 8});
  }
}

struct Greedy : Algorithm {
  void worker(Worker& me) const override { me.gradient(me.initial_model(), 9); }
  bool needs_server() const override { return false; }
};

TEST_CASE("an algorithm that computes a larger batch than fits fails and says so") {
  Json scenario = one_worker({{"speed", "1Gf"}, {"max_batch", 8}}, 1);
  std::string complaint;
  try {
    simulate_with<Greedy>(scenario);
  } catch (const std::runtime_error& error) {
    complaint = error.what();
  }
  CHECK(complaint.find("w-0 was to compute a batch of 9 samples, and its max_batch is 8") !=
        std::string::npos);
}

TEST_CASE("mistakes in throughputs and batches by class are told at their place") {
  Json scenario = one_worker({{"samples_per_s", {{"8", 100}}}, {"speed", "1Gf"}}, 1);
  CHECK(complaint_about(scenario) ==
        "/cluster/workers/0: needs exactly one of \"speed\" and \"samples_per_s\"");
  scenario = one_worker({{"samples_per_s", {{"eight", 100}}}}, 1);
  CHECK(complaint_about(scenario) ==
        "/cluster/workers/0/samples_per_s/eight: must be a batch size, a whole number of at least "
        "1 in quotes, got \"eight\"");
  scenario = one_worker({{"samples_per_s", {{"8", 0}}}}, 1);
  CHECK(complaint_about(scenario) ==
        "/cluster/workers/0/samples_per_s/8: must be a number above 0, got 0");
  scenario = one_worker({{"samples_per_s", 100}, {"step_overhead", "1ms"}}, 1);
  CHECK(complaint_about(scenario) ==
        "/cluster/workers/0/step_overhead: goes with \"speed\": what was measured as samples_per_s "
        "has it already");
  scenario = one_worker({{"speed", "1Gf"}}, 1);
  scenario["defaults"]["batch_size"] = {{"w", 1}, {"ww", 2}};
  CHECK(complaint_about(scenario) ==
        "/defaults/batch_size/ww: there is no such class of workers (did you mean 'w'?), there "
        "are: w");
  scenario["cluster"]["workers"].push_back({{"name", "v"}, {"speed", "1Gf"}});
  scenario["defaults"]["batch_size"] = {{"w", 1}};
  CHECK(complaint_about(scenario) == "/defaults/batch_size: has no number for class v");
}

TEST_CASE("equal batches by class are the plain number, to the bit, for every algorithm") {
  Json plain = learning_scenario();
  Json by_class = learning_scenario();
  by_class["defaults"]["batch_size"] = {{"fast", 8}, {"slow", 8}};
  for (const Json& algorithm : every_algorithm()) {
    CAPTURE(algorithm);
    CHECK(same_run(run_of(algorithm, plain), run_of(algorithm, by_class)));
  }
}

TEST_CASE("every algorithm runs with batches that differ by class, and counts their samples") {
  Json scenario = learning_scenario();
  scenario["defaults"]["batch_size"] = {{"fast", 12}, {"slow", 5}};
  for (const Json& algorithm : every_algorithm()) {
    if (algorithm["name"] == "allocation") continue;  // it goes on to choose others
    CAPTURE(algorithm);
    const RunResult result = run_of(algorithm, scenario);
    for (const WorkerResult& worker : result.workers) {
      CHECK(worker.samples == worker.gradients * (worker.class_name == "fast" ? 12 : 5));
    }
  }
}

TEST_CASE("synchronous gradients are averaged over samples: uneven batches are allocation's") {
  Json scenario = learning_scenario();
  const Json allocation = {
      {"name", "allocation"}, {"mode", "static"}, {"ratios", {3, 3, 1, 1}}, {"data_shares", false}};
  const RunResult reference = run_of(allocation, scenario);  // 32 samples: 12, 12, 4, 4
  scenario["defaults"]["batch_size"] = {{"fast", 12}, {"slow", 4}};
  CHECK(losses(run_of({{"name", "allreduce"}}, scenario)) == losses(reference));
  const Json wait_for_all = {{"name", "backup"}, {"backup", 0}};
  const Json one_group = {{"name", "grouping"}, {"groups", 1}};
  const Json warm_up = {{"name", "od_sgd"}, {"warm_up", 1000}};
  for (const Json& algorithm : {Json{{"name", "sync"}}, wait_for_all, one_group, warm_up}) {
    CAPTURE(algorithm);
    const RunResult result = run_of(algorithm, scenario);
    REQUIRE(result.curve.size() == reference.curve.size());
    for (std::size_t i = 0; i < result.curve.size(); ++i) {
      CHECK(*result.curve[i].test_loss == Approx(*reference.curve[i].test_loss).epsilon(1e-5));
    }
  }
}

}  // namespace
}  // namespace motley
