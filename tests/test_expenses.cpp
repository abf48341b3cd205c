// Energy and cost: against closed forms, and against SimGrid's host energy plugin.
#include <random>
#include <simgrid/plugins/energy.h>

#include <simgrid/s4u.hpp>

#include "sim/base/json.hpp"
#include "sim/engine/platform/engine_setup.hpp"
#include "sim/engine/platform/simgrid_generation.hpp"
#include "sim/results/tables/run_tables.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

// Of timing_scenario().
constexpr double S = 8e6;
constexpr double b = 1e8;
constexpr double alone = 2e-3 + S / b;
const Json wide_link = {{"bandwidth", "10GBps"}, {"latency", "1ms"}};

Approx to_rounding(double expected) {
  return Approx(expected).margin(0).epsilon(1e-12);
}

std::string watts(double number) {
  return Json(number).dump() + "W";
}

Json power(double busy_W, double idle_W, double off_W = 0) {
  return {{"busy", watts(busy_W)}, {"idle", watts(idle_W)}, {"off", watts(off_W)}};
}

Json worker(const std::string& name, const std::string& speed) {
  return {{"name", name}, {"speed", speed}};
}

TEST_CASE("two workers and a server draw busy watts while they compute and idle watts else") {
  Json scenario = timing_scenario();
  Json fast = worker("fast", "4Gf");
  Json slow = worker("slow", "1Gf");
  fast["power"] = power(400, 60);
  slow["power"] = power(70, 10);
  fast["price_per_hour"] = 3;
  slow["price_per_hour"] = 0.5;
  scenario["cluster"]["workers"] = {fast, slow};
  scenario["cluster"]["server"] = {
      {"speed", "1Tf"}, {"link", wide_link}, {"power", power(200, 100)}, {"price_per_hour", 1}};
  scenario["cost"]["flops_per_update"] = "0.5Tf";
  // 20 times: model, the slow one's second, gradient, half a second of the server.
  const double T = 20 * (alone + 1 + alone + 0.5);
  const double hosts_J = 400 * 20 * 0.25 + 60 * (T - 20 * 0.25) +  //
                         70 * 20 + 10 * (T - 20) +                 //
                         200 * 10 + 100 * (T - 10);
  const RunResult result = simulate(scenario);
  REQUIRE(result.virtual_s == Approx(T).epsilon(1e-12));
  CHECK(*result.energy_J == to_rounding(hosts_J));
  CHECK(*result.cost == to_rounding(4.5 * T / 3600));
  CHECK(*result.curve.front().energy_J == 0);
  CHECK(*result.curve.back().energy_J == *result.energy_J);

  SECTION("links draw in proportion to what they carry") {
    // The workers', not the server's: 20 models down and 20 gradients up, each direction half.
    scenario["cluster"]["link"]["power"] = {{"busy", "10W"}, {"idle", "4W"}};
    const double links_J = 2 * (4 * T + (10 - 4) / 2.0 * (20 + 20) * S / b);
    CHECK(*simulate(scenario).energy_J == to_rounding(hosts_J + links_J));
  }
  SECTION("a power of one class alone is counted, and a price of another") {
    scenario["cluster"]["workers"][0].erase("power");
    scenario["cluster"]["server"].erase("power");
    scenario["cluster"]["workers"][1].erase("price_per_hour");
    const RunResult part = simulate(scenario);
    CHECK(*part.energy_J == to_rounding(70 * 20 + 10 * (T - 20)));
    CHECK(*part.cost == to_rounding(4 * T / 3600));
  }
  SECTION("without either nothing is told, and the run is the same") {
    for (const char* key : {"power", "price_per_hour"}) {
      scenario["cluster"]["server"].erase(key);
      for (Json& of_class : scenario["cluster"]["workers"]) of_class.erase(key);
    }
    const RunResult plain = simulate(scenario);
    CHECK(!plain.energy_J);
    CHECK(!plain.cost);
    CHECK(!plain.curve.back().energy_J);
    RunResult without = result;
    without.energy_J = without.cost = std::nullopt;
    for (CurvePoint& point : without.curve) point.energy_J = point.cost = std::nullopt;
    CHECK(same_run(plain, without));
  }
}

TEST_CASE("a server that the algorithm does not need is off and costs nothing") {
  Json scenario = timing_scenario();
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  Json host = worker("w", "1Gf");
  host["power"] = power(50, 5);
  host["price_per_hour"] = 2;
  scenario["cluster"]["workers"] = {host};
  scenario["cluster"]["server"] = {
      {"speed", "1Tf"}, {"power", power(200, 100, 7)}, {"price_per_hour", 1}};
  scenario["cluster"]["link"]["power"] = power(9, 3, 2);  // of both hosts' links
  const RunResult result = simulate(scenario);  // one worker alone: 20 gradients of a second
  REQUIRE(result.virtual_s == Approx(20).epsilon(1e-12));
  CHECK(*result.energy_J == to_rounding((50 + 7 + 3 + 2) * 20));
  CHECK(*result.cost == to_rounding(2 * 20.0 / 3600));
}

/// Worker i computes i + 1 gradients and leaves.
struct Leaving : Algorithm {
  bool needs_server() const override { return false; }
  void worker(Worker& me) const override {
    for (std::size_t i = 0; i <= me.rank(); ++i) me.gradient(me.initial_model(), 1);
  }
};

TEST_CASE("a worker that has left is off and costs nothing") {
  Json scenario = timing_scenario();
  Json host = worker("w", "1Gf");
  host["count"] = 3;
  host["power"] = power(50, 5, 1);
  host["price_per_hour"] = 3600;
  scenario["cluster"]["workers"] = {host};
  scenario["cluster"].erase("server");
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  const RunResult result = simulate_with<Leaving>(scenario);
  REQUIRE(result.virtual_s == Approx(3).epsilon(1e-12));
  CHECK(*result.energy_J == to_rounding(50 * (1 + 2 + 3) + 1 * (2 + 1)));
  CHECK(*result.cost == to_rounding(1 + 2 + 3));
}

TEST_CASE("work that is thrown away draws power as well") {
  Json scenario = learning_scenario();
  for (Json& of_class : scenario["cluster"]["workers"]) of_class["power"] = power(3, 0);
  const RunResult result =
      run_of({{"name", "backup"}, {"backup", 1}, {"late", "cancel"}}, scenario);
  CHECK(result.discarded_s() > 0);
  CHECK(*result.energy_J == Approx(3 * (result.compute_s() + result.discarded_s())).epsilon(1e-9));
}

TEST_CASE("energy and cost to the target are those at its time") {
  Json scenario = learning_scenario();
  scenario["target"] = {{"accuracy", 0.6}};
  scenario["evaluate"]["every"] = 3;
  for (Json& of_class : scenario["cluster"]["workers"]) {
    of_class["power"] = power(10, 10);  // the same at any moment: energy is power times time
    of_class["price_per_hour"] = 9;
  }
  const RunResult result = run_of({{"name", "async"}}, scenario);
  REQUIRE(result.time_to_target_s);
  REQUIRE(*result.time_to_target_s < result.virtual_s);
  CHECK(*result.energy_to_target_J() == Approx(40 * *result.time_to_target_s).epsilon(1e-9));
  CHECK(*result.cost_to_target() == Approx(36 * *result.time_to_target_s / 3600).epsilon(1e-9));
  scenario["target"]["accuracy"] = 1;
  scenario["stop"]["updates"] = 2;
  const RunResult never = run_of({{"name", "async"}}, scenario);
  CHECK(!never.energy_to_target_J());
  CHECK(!never.cost_to_target());
}

TEST_CASE("the columns of energy and cost are there when they are given") {
  RunResult run;
  const auto has = [](const std::string& header, const std::string& column) {
    return header.find(column) != std::string::npos;
  };
  CHECK(extras_of({run}).empty());
  CHECK(!has(runs_table().header({}, {}), "energy"));
  run.energy_J = 1.5;
  CHECK(extras_of({RunResult(), run}) == Extras{"energy"});
  const std::string header = runs_table().header({}, {"energy"});
  CHECK(has(header, "energy_J,energy_to_target_J"));
  CHECK(!has(header, "cost"));
  const std::string line = runs_table().line(run, {"energy"});
  CHECK(std::ranges::count(header, ',') == std::ranges::count(line, ','));
  CHECK(line.ends_with("1.5,\n"));
}

/// A host as SimGrid has it.
struct Device {
  std::string name;
  double speed_flops = 0;
  double busy_W = 0;
  double idle_W = 0;
};

/// Synchronous SGD written for SimGrid alone: the joules of all hosts after so many updates, by its
/// host energy plugin. The last device is the server.
double simgrid_energy(const std::vector<Device>& devices, int updates, double update_flops) {
  const ChildOutcome outcome = run_in_child([&] {
    sg_host_energy_plugin_init();
    const EngineSetup setup(Scenario::Network::fluid, devices.size());
    s4u::NetZone* zone = generation::add_star_zone("cluster");
    std::vector<s4u::Host*> hosts;
    for (const Device& device : devices) {
      s4u::Host* host = generation::add_host(*zone, device.name, device.speed_flops);
      // Idle, one core nearly idle, all (one) cores busy.
      host->set_property("wattage_per_state", Json(device.idle_W).dump() + ":" +
                                                  Json(device.busy_W).dump() + ":" +
                                                  Json(device.busy_W).dump());
      const bool is_server = hosts.size() + 1 == devices.size();
      for (const bool up : {true, false}) {
        s4u::Link* link =
            generation::add_link(*zone, device.name + (up ? "_up" : "_down"), is_server ? 1e10 : b);
        generation::add_route(*zone, up ? host : nullptr, up ? nullptr : host, link);
      }
      host->seal();
      hosts.push_back(host);
    }
    zone->seal();
    const std::size_t workers = devices.size() - 1;
    double joules = 0;
    int payload = 0;
    const auto box = [](const char* what, std::size_t worker) {
      return s4u::Mailbox::by_name(what + std::to_string(worker));
    };
    for (std::size_t w = 0; w < workers; ++w) {
      generation::add_actor("worker", hosts[w], [&, w] {
        for (;;) {
          box("model", w)->get<int>();
          s4u::this_actor::execute(1e9);
          box("gradient", w)->put(&payload, static_cast<std::uint64_t>(S));
        }
      })->daemonize();
    }
    generation::add_actor("server", hosts.back(), [&] {
      for (int update = 0; update < updates; ++update) {
        std::vector<s4u::CommPtr> messages;
        std::vector<int*> received(workers);
        for (std::size_t w = 0; w < workers; ++w) {
          messages.push_back(box("model", w)->put_async(&payload, static_cast<std::uint64_t>(S)));
          messages.push_back(box("gradient", w)->get_async<int>(&received[w]));
        }
        for (const s4u::CommPtr& message : messages) message->wait();
        s4u::this_actor::execute(update_flops);
      }
      for (const s4u::Host* host : hosts) joules += sg_host_get_consumed_energy(host);
    });
    setup.engine().run();
    return Json(joules);
  });
  if (!outcome.result) throw std::runtime_error(outcome.complaint());
  return outcome.result->get<double>();
}

TEST_CASE("energy is that of SimGrid's host energy plugin") {
  std::mt19937 random(5);  // its numbers are the same everywhere, those of distributions are not
  const auto between = [&random](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  for (int attempt = 0; attempt < 3; ++attempt) {
    CAPTURE(attempt);
    Json scenario = timing_scenario();
    std::vector<Device> devices;
    for (int w = 0; w < 3 + attempt; ++w) {
      const std::string name(1, static_cast<char>('a' + w));
      devices.push_back({name, between(0.3e9, 5e9), between(50, 400), between(5, 50)});
      Json host = worker(name, Json(devices.back().speed_flops).dump() + "f");
      host["power"] = power(devices.back().busy_W, devices.back().idle_W);
      scenario["cluster"]["workers"].push_back(host);
    }
    devices.push_back({"server", 1e12, 210, 90});
    scenario["cluster"]["server"] = {
        {"speed", "1Tf"}, {"link", wide_link}, {"power", power(210, 90)}};
    // No latencies: with 1 ms a link, SimGrid 3.32 alone let four of five such messages flow faster
    // than their own links. Why is not known; the times here are then not those of a closed form.
    scenario["cluster"]["link"]["latency"] = "0s";
    scenario["cluster"]["server"]["link"]["latency"] = "0s";
    scenario["cost"]["flops_per_update"] = "0.3Tf";
    CHECK(*simulate(scenario).energy_J ==
          Approx(simgrid_energy(devices, 20, 0.3e12)).epsilon(1e-9));
  }
}

}  // namespace
}  // namespace motley
