// Ringmaster against loops of the test's own: the same bits, and the same counts.
#include <random>

#include "sim/base/json.hpp"
#include "sim/learning/data/sampler.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace motley {
namespace {

TEST_CASE("ringmaster without a bound is async, bit for bit") {
  for (const bool stop : {false, true}) {
    CHECK(same_run(run_of({{"name", "ringmaster"}, {"delay_bound", "inf"}, {"stop", stop}}),
                   run_of({{"name", "async"}})));
  }
}

/// Ringmaster as a loop over the ends of gradients, in order of time, where messages take none. With a
/// bound of 1 and no stops it is sequential SGD by whoever arrives.
std::vector<double> ringmaster_losses(const Json& scenario, const std::vector<double>& tau,
                                      std::size_t bound, bool stop, std::size_t updates) {
  const Experiment experiment = experiment_of(scenario);
  const Problem& problem = experiment.problem();
  const auto workspace = problem.make_workspace();
  const std::size_t test = problem.test_size();
  std::vector<float> x(problem.dimension());
  problem.initial_model(3, x);
  struct Node {
    Sampler sampler;
    std::vector<Sample> batch;
    std::vector<float> at;
    double start;
    std::size_t version;
  };
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < tau.size(); ++i) {
    nodes.push_back(
        {Sampler(experiment.partition(), SampleOrder::shuffled, 3, static_cast<std::uint32_t>(i)),
         std::vector<Sample>(8), x, 0, 0});
    nodes.back().sampler.draw(nodes.back().batch);
  }
  std::vector<float> g(x.size());
  std::vector<double> found;
  while (found.size() < updates) {
    std::size_t i = 0;
    for (std::size_t j = 1; j < tau.size(); ++j) {
      if (nodes[j].start + tau[j] < nodes[i].start + tau[i]) i = j;
    }
    Node& node = nodes[i];
    const double now = node.start + tau[i];
    if (found.size() - node.version < bound) {
      problem.gradient(node.at, node.batch, g, *workspace);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] -= 0.05F * g[k];
      found.push_back(problem.evaluate(x, 0, test, *workspace).loss / static_cast<double>(test));
    }
    node.sampler.draw(node.batch);
    for (std::size_t j = 0; j < tau.size(); ++j) {
      if (j != i && !(stop && found.size() - nodes[j].version >= bound)) continue;
      nodes[j].at = x;  // one that is stopped begins anew with the samples it had
      nodes[j].start = now;
      nodes[j].version = found.size();
    }
  }
  return found;
}

TEST_CASE("ringmaster takes the path of a loop over arrivals, bit for bit") {
  Json scenario = free_messages(learning_scenario());
  scenario["cluster"]["workers"] = Json::array();
  std::vector<double> tau;
  for (const char* speed : {"1", "1.37", "1.71", "2.93"}) {
    scenario["cluster"]["workers"].push_back(
        {{"name", "w" + std::to_string(tau.size()) + "x"}, {"speed", std::string(speed) + "Gf"}});
    tau.push_back(8 * 0.01 / std::stod(speed));
  }
  for (const std::size_t bound : {1, 2, 4}) {
    for (const bool stop : {false, true}) {
      CAPTURE(bound, stop);
      const RunResult result =
          run_of({{"name", "ringmaster"}, {"delay_bound", bound}, {"stop", stop}}, scenario);
      std::vector<double> found = losses(result);
      found.erase(found.begin());  // of the initial model
      CHECK(found == ringmaster_losses(scenario, tau, bound, stop, 40));
      CHECK(result.max_staleness < bound);
    }
  }
}

/// Counts of Ringmaster where messages take no time: an independent simulation with a queue of ends.
struct Counted {
  std::size_t applied = 0;
  std::vector<std::size_t> finished;  // gradients of each worker, applied or dropped
  std::vector<double> discarded_s;
};

Counted count_ringmaster(const std::vector<double>& tau, std::size_t bound, bool stop,
                         std::size_t updates) {
  Counted counted;
  counted.finished.assign(tau.size(), 0);
  counted.discarded_s.assign(tau.size(), 0);
  std::vector<double> start(tau.size(), 0);
  std::vector<std::size_t> version(tau.size(), 0);
  while (counted.applied < updates) {
    std::size_t i = 0;
    for (std::size_t j = 1; j < tau.size(); ++j) {
      if (start[j] + tau[j] < start[i] + tau[i]) i = j;
    }
    const double now = start[i] + tau[i];
    ++counted.finished[i];
    if (counted.applied - version[i] < bound)
      ++counted.applied;
    else
      counted.discarded_s[i] += tau[i];
    start[i] = now;
    version[i] = counted.applied;
    for (std::size_t j = 0; stop && j < tau.size(); ++j) {
      if (counted.applied - version[j] < bound) continue;
      if (counted.applied < updates) counted.discarded_s[j] += now - start[j];
      start[j] = now;
      version[j] = counted.applied;
    }
  }
  return counted;
}

TEST_CASE("ringmaster applies and drops as an independent count does") {
  std::mt19937 random(7);
  for (std::size_t trial = 0; trial < 12; ++trial) {
    const bool stop = trial % 2 == 0;
    const std::size_t bound = 1 + trial / 2;
    std::vector<double> tau;
    Json scenario = free_messages(timing_scenario());
    scenario["model"] = {{"kind", "none"}, {"samples", 1000}};
    scenario["stop"] = {{"updates", 60}};
    for (std::size_t i = 0; i < 5; ++i) {
      const double speed = std::uniform_real_distribution<double>(1, 20)(random);
      tau.push_back(1 / speed);
      scenario["cluster"]["workers"].push_back(
          {{"name", "w" + std::to_string(i) + "x"}, {"speed", std::to_string(speed) + "Gf"}});
      tau.back() = 1 / std::stod(std::to_string(speed));
    }
    const RunResult result =
        run_of({{"name", "ringmaster"}, {"delay_bound", bound}, {"stop", stop}, {"batch_size", 1}},
               scenario);
    const Counted counted = count_ringmaster(tau, bound, stop, 60);
    CAPTURE(trial);
    CHECK(result.updates == counted.applied);
    CHECK(result.max_staleness < bound);
    for (std::size_t i = 0; i < tau.size(); ++i) {
      CAPTURE(i);
      CHECK(result.workers[i].gradients == counted.finished[i]);
      CHECK(result.workers[i].discarded_s == Approx(counted.discarded_s[i]).margin(1e-6));
    }
  }
}

TEST_CASE("ringmaster and fedbuff refuse several servers") {
  Json scenario = learning_scenario();
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = {{{"speed", "1Tf"}, {"count", 2}}};
  const Json ringmaster = {{"name", "ringmaster"}, {"delay_bound", 2}};
  CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, ringmaster)),
                    Catch::Contains("ringmaster needs a single server"));
  CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, {{"name", "fedbuff"}})),
                    Catch::Contains("fedbuff needs a single server"));
}

}  // namespace
}  // namespace motley
