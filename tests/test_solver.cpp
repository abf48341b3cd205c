// What is worked out without SimGrid takes the times that SimGrid gives it.
#include <cmath>

#include "sim/base/random.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace motley {
namespace {

/// The same scenario, all of it in SimGrid.
RunResult in_simgrid(Json scenario) {
  scenario["solver"] = "simgrid";
  return simulate(scenario);
}

void check_same_times(const RunResult& here, const RunResult& there) {
  REQUIRE(here.status == RunStatus::ok);
  REQUIRE(there.status == RunStatus::ok);
  CHECK(here.virtual_s == Approx(there.virtual_s).epsilon(1e-9));
  CHECK(here.gradients == there.gradients);
  CHECK(here.bytes == there.bytes);
  REQUIRE(here.curve.size() == there.curve.size());
  for (std::size_t i = 0; i < here.curve.size(); ++i) {
    CAPTURE(i);
    CHECK(here.curve[i].time_s == Approx(there.curve[i].time_s).epsilon(1e-9));
  }
  for (std::size_t i = 0; i < here.workers.size(); ++i) {
    CAPTURE(i);
    CHECK(here.workers[i].compute_s == Approx(there.workers[i].compute_s).margin(1e-7));
    CHECK(here.workers[i].transfer_s == Approx(there.workers[i].transfer_s).margin(1e-7));
  }
  for (std::size_t i = 0; i < here.links.size(); ++i) {
    CHECK(here.links[i].name == there.links[i].name);
    CHECK(here.links[i].bytes == there.links[i].bytes);
    CHECK(here.links[i].busy_s == Approx(there.links[i].busy_s).margin(1e-7));
  }
}

/// So many workers, each with a speed and a link of its own; messages come and go at random moments and
/// meet at the servers' ports.
Json random_cluster(std::uint64_t seed, std::size_t workers, std::size_t servers) {
  RandomStream random(seed, "random cluster", 0);
  const auto between = [&random](double low, double high) {
    return low * std::pow(high / low, random() / 4294967296.0);
  };
  const auto link = [&](double low, double high) {
    const auto rate = [&] {
      return std::to_string(std::llround(1e6 * between(low, high))) + "Bps";
    };
    const std::string up = rate();
    return Json{{"bandwidth", {{"up", up}, {"down", rate()}}},
                {"latency", std::to_string(std::llround(between(10, 2000))) + "us"}};
  };
  Json scenario = timing_scenario();
  scenario["seed"] = seed;
  scenario["model"] = {{"kind", "none"}};
  scenario["cost"] = {{"flops_per_sample", "1Gf"}, {"model_size", "20MB"}};
  scenario["stop"]["updates"] = 120;
  for (std::size_t i = 0; i < workers; ++i) {
    scenario["cluster"]["workers"].push_back(
        {{"name", "w" + std::to_string(i) + "x"},
         {"speed", std::to_string(std::llround(between(1, 5) * 1e9)) + "f"},
         {"noise", {{"law", "lognormal"}, {"sigma", 0.3}}},
         {"link", link(3, 300)}});
  }
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = Json::array();
  for (std::size_t i = 0; i < servers; ++i) {
    scenario["cluster"]["servers"].push_back({{"speed", "1Tf"}, {"link", link(50, 200)}});
  }
  return scenario;
}

TEST_CASE("every algorithm takes the same times when SimGrid does everything") {
  for (const Json& algorithm : every_algorithm()) {
    // Those that draw workers, count or drop gradients at the server take no more than one.
    Json scenario = random_cluster(11, 6, 2);
    if (!takes_several_servers(with_algorithm(scenario, algorithm))) {
      scenario = random_cluster(11, 6, 1);
    }
    scenario["stop"]["updates"] = 40;
    for (const char* ring : {"messages", "fluid"}) {
      CAPTURE(algorithm.dump(), ring);
      scenario["approximate"]["ring"] = ring;
      scenario["algorithms"] = Json::array({algorithm});
      check_same_times(simulate(scenario), in_simgrid(scenario));
    }
  }
}

TEST_CASE("every algorithm learns the same bits when SimGrid does everything") {
  // No two events fall on the same moment but those that are one event for both: the first models,
  // rounds of a ring. Where others did, a rounding might decide which comes first.
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = random_cluster(12, 5, 1)["cluster"]["workers"];
  for (const Json& algorithm : every_algorithm()) {
    CAPTURE(algorithm.dump());
    const RunResult here = simulate(with_algorithm(scenario, algorithm));
    const RunResult there = in_simgrid(with_algorithm(scenario, algorithm));
    check_same_times(here, there);
    CHECK(losses(here) == losses(there));
  }
}

TEST_CASE("a saturated port shared by many different links takes SimGrid's times") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const std::size_t servers = seed % 3 == 0 ? 3 : 1;
    Json scenario = random_cluster(seed, 10 + 5 * (seed % 4), servers);
    // Several messages of a worker under way to one port, gradients by parts, workers among themselves.
    for (const Json& algorithm :
         {Json{{"name", "async"}}, Json{{"name", "stale"}, {"staleness", 4}},
          Json{{"name", "async"}, {"overlap", "layers"}}, Json{{"name", "ad_psgd"}}}) {
      CAPTURE(algorithm.dump());
      scenario["algorithms"] = Json::array({algorithm});
      check_same_times(simulate(scenario), in_simgrid(scenario));
    }
  }
}

TEST_CASE("first come, first served at a port takes SimGrid's times") {
  Json scenario = random_cluster(5, 20, 1);
  scenario["approximate"]["port_flows"] = 3;
  scenario["algorithms"] = {{{"name", "async"}}};
  check_same_times(simulate(scenario), in_simgrid(scenario));
}

}  // namespace
}  // namespace motley
