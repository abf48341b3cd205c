// Algorithms that coincide give the same bits, and results depend on nothing but the scenario.
#include <algorithm>
#include <filesystem>

#include "sim/base/json.hpp"
#include "sim/learning/data/sampler.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

TEST_CASE("async with one worker is a plain SGD loop, bit for bit") {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "only"}, {"speed", "1Gf"}}};
  scenario = with_algorithm(scenario, {{"name", "async"}});
  const RunResult result = simulate(scenario);

  const Experiment experiment = experiment_of(scenario);
  const Problem& problem = experiment.problem();
  const auto workspace = problem.make_workspace();
  Sampler sampler(experiment.partition(), SampleOrder::shuffled, 3, 0);
  std::vector<float> x(problem.dimension());
  std::vector<float> g(problem.dimension());
  std::vector<Sample> samples(8);
  problem.initial_model(3, x);
  const auto test_loss = [&] { return problem.evaluate(x, 0, 200, *workspace).loss / 200; };
  REQUIRE(result.curve.size() == 41);
  CHECK(result.curve[0].test_loss == test_loss());
  for (std::size_t update = 1; update <= 40; ++update) {
    sampler.draw(samples);
    problem.gradient(x, samples, g, *workspace);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= 0.05F * g[i];
    CAPTURE(update);
    CHECK(result.curve[update].test_loss == test_loss());
  }
}

TEST_CASE("sync and allreduce take the same path, bit for bit") {
  const Json scenario = learning_scenario();
  const RunResult sync = simulate(with_algorithm(scenario, {{"name", "sync"}, {"momentum", 0.5}}));
  const RunResult ring =
      simulate(with_algorithm(scenario, {{"name", "allreduce"}, {"momentum", 0.5}}));
  CHECK(losses(sync) == losses(ring));
}

TEST_CASE("stale with an infinite bound is async, bit for bit") {
  const Json scenario = learning_scenario();
  RunResult async = simulate(with_algorithm(scenario, {{"name", "async"}}));
  RunResult stale = simulate(with_algorithm(scenario, {{"name", "stale"}, {"staleness", "inf"}}));
  async.run = stale.run;
  async.algorithm = stale.algorithm;
  CHECK(text_of(async) == text_of(stale));
}

TEST_CASE("local with one step is allreduce to rounding") {
  const Json scenario = learning_scenario();
  const RunResult ring = simulate(with_algorithm(scenario, {{"name", "allreduce"}}));
  const RunResult local =
      simulate(with_algorithm(scenario, {{"name", "local"}, {"local_steps", 1}}));
  REQUIRE(ring.curve.size() == local.curve.size());
  for (std::size_t i = 0; i < ring.curve.size(); ++i) {
    CHECK(*local.curve[i].test_loss == Approx(*ring.curve[i].test_loss).epsilon(1e-5));
    CHECK(local.curve[i].time_s == ring.curve[i].time_s);
  }
}

TEST_CASE("local averages the same models around the ring and through the server") {
  const Json scenario = learning_scenario();
  const Json ring = {{"name", "local"}, {"local_steps", 3}};
  const Json server = {{"name", "local"}, {"local_steps", 3}, {"average", "server"}};
  CHECK(losses(simulate(with_algorithm(scenario, ring))) ==
        losses(simulate(with_algorithm(scenario, server))));
}

TEST_CASE("softsync with n = W is async, and with n = 1 on equal workers takes sync's path") {
  Json scenario = learning_scenario();
  const RunResult async = simulate(with_algorithm(scenario, {{"name", "async"}}));
  const RunResult n_w = simulate(with_algorithm(scenario, {{"name", "async"}, {"softsync", 4}}));
  CHECK(losses(async) == losses(n_w));

  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 4}, {"speed", "1Gf"}}};
  scenario["cluster"]["server"]["link"] = {{"bandwidth", "100GBps"}, {"latency", "1ms"}};
  scenario["stop"]["updates"] = 1;
  const RunResult sync = simulate(with_algorithm(scenario, {{"name", "sync"}}));
  const RunResult n_1 = simulate(with_algorithm(scenario, {{"name", "async"}, {"softsync", 1}}));
  CHECK(losses(sync) == losses(n_1));
}

TEST_CASE("every algorithm gives the same bytes for every number of threads") {
  for (const Json& algorithm : every_algorithm()) {
    Json scenario = with_algorithm(learning_scenario(), algorithm);
    scenario["stop"]["updates"] = 12;
    CAPTURE(algorithm.dump());
    const RunResult once = simulate(scenario);
    CHECK(once.status == RunStatus::ok);
    for (const unsigned threads : {1U, 2U, 3U, 8U}) {
      CAPTURE(threads);
      CHECK(text_of(simulate(scenario, 0, threads)) == text_of(once));
    }
  }
}

TEST_CASE("every algorithm gives the same bytes in replicas, whatever is done at once") {
  const Workplace place;
  Json scenario = on_nodes(learning_scenario(), 2, 2);
  scenario["cluster"]["workers"][0]["spread"] = {{"law", "ratio"}, {"ratio", 3}};
  scenario["stop"]["updates"] = 6;
  scenario["replicas"] = 2;
  scenario["algorithms"] = every_algorithm(Nodes::there);
  place.write("s.json", scenario.dump());
  const auto results = [&](const std::vector<std::string>& how) {
    std::vector<std::string> arguments = {"--no-whatif", "--fresh"};
    arguments.insert(arguments.end(), how.begin(), how.end());
    REQUIRE(place.run(arguments).exit_code == 0);
    return place.result("curves.csv") + place.result("workers.csv") + place.result("decisions.csv");
  };
  const std::string one_by_one = results({"--jobs", "1", "--threads", "1"});
  CHECK(lines_of(one_by_one).size() > 2 * scenario["algorithms"].size());
  CHECK(results({"--jobs", "3", "--threads", "2"}) == one_by_one);
}

TEST_CASE("every algorithm runs on several servers, or says that it does not") {
  for (const Json& algorithm : every_algorithm(Nodes::there)) {
    Json scenario = with_algorithm(
        algorithm["name"] == "daso" ? on_nodes(learning_scenario(), 2, 2) : learning_scenario(),
        algorithm);
    scenario["stop"]["updates"] = 12;
    scenario["cluster"].erase("server");
    scenario["cluster"]["servers"] = {{{"speed", "1Tf"}, {"count", 3}}};
    CAPTURE(algorithm.dump());
    try {
      const RunResult result = simulate(scenario);
      CHECK(result.status == RunStatus::ok);
      CHECK(result.updates >= 1);
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find("needs a single server") != std::string::npos);
    }
  }
}

TEST_CASE("every file in algorithms/ is one algorithm, of the name of the file") {
  std::vector<std::string> files;
  const std::filesystem::path folder = std::filesystem::path(MOTLEY_SOURCE_DIR) / "algorithms";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".cpp") files.push_back(entry.path().stem());
  }
  std::vector<std::string> names;
  for (const AlgorithmInfo& info : algorithm_catalog()) names.push_back(info.name);
  CHECK(names.front() == "sync");  // listed by their places, not by the alphabet
  std::sort(files.begin(), files.end());
  std::sort(names.begin(), names.end());
  CHECK(names == files);
}

TEST_CASE("another seed gives another curve") {
  Json scenario = learning_scenario();
  const RunResult one = simulate(scenario);
  scenario["seed"] = 4;
  CHECK(losses(one) != losses(simulate(scenario)));
}

TEST_CASE("a worker class added at the end changes no other worker's data order") {
  // Alone on its link, each worker of async computes at the initial model first: the first update
  // of the fast worker is the same whoever else there is.
  Json scenario = learning_scenario();
  scenario["cluster"]["server"]["link"] = {{"bandwidth", "100GBps"}, {"latency", "1ms"}};
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"speed", "3Gf"}}};
  scenario["stop"]["updates"] = 3;
  scenario = with_algorithm(scenario, {{"name", "async"}});
  const RunResult alone = simulate(scenario);
  scenario["cluster"]["workers"].push_back({{"name", "slow"}, {"count", 2}, {"speed", "0.1Gf"}});
  const RunResult together = simulate(scenario);
  CHECK(losses(alone) == losses(together));
}

TEST_CASE("staleness is counted from the version read") {
  // Four equal workers in lock step: after the first round, each gradient was computed at the
  // version its worker got when it was answered, and the three others have been applied since.
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 4}, {"speed", "1Gf"}}};
  scenario["stop"]["updates"] = 400;
  const RunResult async = simulate(with_algorithm(scenario, {{"name", "async"}}));
  CHECK(async.max_staleness == 3);
  // The first round's staleness is 0, 1, 2, 3; every later one's 3.
  CHECK(async.mean_staleness == Approx((0 + 1 + 2 + 3 + 396 * 3) / 400.0));
  const RunResult sync = simulate(with_algorithm(scenario, {{"name", "sync"}}));
  CHECK(sync.max_staleness == 0);
}

}  // namespace
}  // namespace motley
