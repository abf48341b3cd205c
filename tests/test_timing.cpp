// Virtual times against closed forms, to 1e-9. In every scenario here a sample takes 1 Gf, a
// message is S = 8 MB, a link b = 100 MB/s with 1 ms, so that alone on its way a message takes 2 ms
// + 80 ms.
#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

constexpr double S = 8e6;
constexpr double b = 1e8;
constexpr double path_latency = 2e-3;
constexpr double alone = path_latency + S / b;

Approx to_the_digit(double expected) {
  return Approx(expected).margin(1e-9).epsilon(0);
}

Json worker(const std::string& name, int count, const std::string& speed) {
  return {{"name", name}, {"count", count}, {"speed", speed}};
}

/// A server whose link is never the bottleneck.
const Json wide_server = {{"speed", "1Tf"},
                          {"link", {{"bandwidth", "100GBps"}, {"latency", "1ms"}}}};

void check_update_times(const RunResult& result, const std::vector<double>& expected) {
  REQUIRE(result.status == RunStatus::ok);
  REQUIRE(result.curve.size() >= expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(result.curve[i + 1].time_s == to_the_digit(expected[i]));
  }
}

std::vector<double> multiples(double step, int count) {
  std::vector<double> times;
  for (int i = 1; i <= count; ++i) times.push_back(step * i);
  return times;
}

TEST_CASE("sync without contention takes pull + slowest gradient + push") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {worker("fast", 2, "4Gf"), worker("slow", 2, "1Gf")};
  scenario["cluster"]["server"] = wide_server;
  // Each worker's own link is the bottleneck of its messages; the slow one's gradient takes 1 s.
  check_update_times(simulate(scenario), multiples(alone + 1 + alone, 20));
}

TEST_CASE("sync with W equal workers sends W messages through the server's port at a time") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {worker("w", 5, "1Gf")};
  const double crowded = path_latency + 5 * S / b;
  check_update_times(simulate(scenario), multiples(crowded + 1 + crowded, 20));
}

TEST_CASE("messages of different latency share a port in equal parts") {
  Json scenario = timing_scenario();
  scenario["stop"]["updates"] = 1;
  Json near = worker("near", 1, "1Gf");
  Json far = worker("far", 1, "1Gf");
  far["link"] = {{"bandwidth", "100MBps"}, {"latency", "21ms"}};
  scenario["cluster"]["workers"] = {near, far};
  // Broadcast: the near model flows alone for 20 ms (2 MB), then both share; the near one has 6 MB
  // left at half the bandwidth. Then the far one goes on alone. Whoever is later decides with its
  // push.
  const double near_got = 2e-3 + 0.020 + 6e6 / (b / 2);
  const double far_got = near_got + 2e6 / b;
  // Pushes: near departs 1 s after near_got and flows 2 ms later; far 1 s after far_got (20 ms
  // later), flowing 22 ms later, when 40 ms * b = 4 MB of the near push are through.
  const double far_flows = far_got + 1 + 0.022;
  const double near_left = S - (far_flows - (near_got + 1 + 0.002)) * b;
  const double near_done = far_flows + near_left / (b / 2);
  const double far_left = S - (near_done - far_flows) * (b / 2);
  check_update_times(simulate(scenario), {near_done + far_left / b});
}

TEST_CASE("a slow message does not hold up a fast one sent after it") {
  Json scenario = timing_scenario();
  scenario["stop"] = {{"updates", 2}};
  scenario["algorithms"] = {{{"name", "async"}}};
  Json narrow = worker("narrow", 1, "100Gf");
  narrow["link"] = {{"bandwidth", "4MBps"}, {"latency", "1ms"}};  // 2 s and 2 ms a message
  scenario["cluster"]["workers"] = {narrow, worker("broad", 1, "0.4Gf")};
  scenario["cluster"]["server"] = wide_server;
  // The narrow one's push leaves at 2.012 s and is under way until 4.014 s. The broad one's leaves
  // at 2.582 s, after it, and arrives at 2.664 s, before it.
  const double slow_way = path_latency + 2;
  const RunResult result = simulate(scenario);
  check_update_times(result, {2 * alone + 2.5, 2 * slow_way + 0.01});
}

TEST_CASE("async workers that share nothing go on at their own pace") {
  Json scenario = timing_scenario();
  scenario["stop"] = {{"time", "10s"}};
  scenario["algorithms"] = {{{"name", "async"}}};
  scenario["cluster"]["workers"] = {worker("a", 1, "2Gf"), worker("b", 1, "1Gf"),
                                    worker("c", 1, "0.3Gf")};
  scenario["cluster"]["server"] = wide_server;
  const RunResult result = simulate(scenario);
  std::vector<double> expected;
  std::vector<std::uint64_t> counts;
  for (const double tau : {0.5, 1.0, 1 / 0.3}) {
    const double cycle = alone + tau + alone;
    counts.push_back(0);
    for (double t = cycle; t <= 10; t += cycle) {
      expected.push_back(t);
      ++counts.back();
    }
  }
  std::sort(expected.begin(), expected.end());
  CHECK(result.updates == expected.size());
  check_update_times(result, expected);
  CHECK(result.virtual_s == 10);
}

TEST_CASE("allreduce takes the slowest gradient + 2(W-1)(path latency + S/(W b))") {
  Json scenario = timing_scenario();
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  scenario["cluster"]["workers"] = {worker("fast", 2, "4Gf"), worker("slow", 1, "1Gf"),
                                    worker("middle", 1, "2Gf")};
  const double ring = 2 * 3 * (path_latency + S / (4 * b));
  check_update_times(simulate(scenario), multiples(1 + ring, 20));
}

TEST_CASE("allreduce of one worker communicates nothing") {
  Json scenario = timing_scenario();
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  scenario["cluster"]["workers"] = {worker("only", 1, "1Gf")};
  const RunResult result = simulate(scenario);
  check_update_times(result, multiples(1, 20));
  CHECK(result.bytes == 0);
}

TEST_CASE("pieces of a message that does not divide evenly add up to the message") {
  Json scenario = timing_scenario();
  scenario["stop"]["updates"] = 1;
  scenario["cost"]["model_size"] = "1000001B";
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  scenario["cluster"]["workers"] = {worker("w", 3, "1Gf")};
  // Every worker passes on W-1 of the W pieces twice; together (W-1) messages twice.
  CHECK(simulate(scenario).bytes == 2 * 2 * 1000001);
}

TEST_CASE("stale lets a fast worker lead by exactly its bound") {
  Json scenario = timing_scenario();
  scenario["stop"] = {{"time", "35s"}};
  scenario["cost"]["model_size"] = "1B";
  scenario["cluster"]["link"] = {{"bandwidth", "1000GBps"}, {"latency", "0s"}};
  scenario["algorithms"] = {{{"name", "stale"}, {"staleness", 3}}};
  scenario["cluster"]["workers"] = {worker("fast", 1, "1Gf"), worker("slow", 1, "0.1Gf")};
  const RunResult result = simulate(scenario);
  // Messages take 1e-12 s. The fast one starts a gradient only while it is at most 3 ahead: it
  // finishes at 1, 2, 3 and 4 s (started 3 ahead), then one gradient after each of the slow one's
  // at 10, 20, 30.
  check_update_times(result, {1, 2, 3, 4, 10, 11, 20, 21, 30, 31});
  CHECK(result.updates == 10);
  CHECK(result.workers[0].gradients == 7);
  CHECK(result.workers[1].gradients == 3);
}

TEST_CASE("stale with a bound of 0 starts nobody before all are through") {
  Json scenario = timing_scenario();
  scenario["stop"] = {{"time", "35s"}};
  scenario["cost"]["model_size"] = "1B";
  scenario["cluster"]["link"] = {{"bandwidth", "1000GBps"}, {"latency", "0s"}};
  scenario["algorithms"] = {{{"name", "stale"}, {"staleness", 0}}};
  scenario["cluster"]["workers"] = {worker("fast", 1, "1Gf"), worker("slow", 1, "0.1Gf")};
  check_update_times(simulate(scenario), {1, 10, 11, 20, 21, 30, 31});
}

TEST_CASE("local takes H of the slowest's gradients and one ring") {
  Json scenario = timing_scenario();
  scenario["algorithms"] = {{{"name", "local"}, {"local_steps", 4}}};
  scenario["cluster"]["workers"] = {worker("fast", 1, "4Gf"), worker("slow", 1, "1Gf")};
  const double ring = 2 * (path_latency + S / (2 * b));
  check_update_times(simulate(scenario), multiples(4 + ring, 20));
}

TEST_CASE("local through the server takes H gradients, a push and a pull") {
  Json scenario = timing_scenario();
  scenario["algorithms"] = {{{"name", "local"}, {"local_steps", 4}, {"average", "server"}}};
  scenario["cluster"]["workers"] = {worker("slow", 1, "1Gf")};
  // The first round needs no pull: everybody has the initial model.
  const RunResult result = simulate(scenario);
  check_update_times(result, {4 + alone, 8 + 3 * alone, 12 + 5 * alone});
}

TEST_CASE("async with fetch_every and push_every sends only when due") {
  Json scenario = timing_scenario();
  scenario["stop"]["updates"] = 2;
  scenario["algorithms"] = {{{"name", "async"}, {"fetch_every", 3}, {"push_every", 2}}};
  scenario["cluster"]["workers"] = {worker("only", 1, "1Gf")};
  // Model, gradients 1 and 2, push behind gradient 3; then a fetch: a request of no bytes pays the
  // latency only, the answer the whole way; gradient 4 and the second push.
  const double first_push = alone + 2 + alone;
  const double fetched = alone + 3 + path_latency + alone;
  const RunResult result = simulate(scenario);
  check_update_times(result, {first_push, fetched + 1 + alone});
  CHECK(result.bytes == 4 * S);
}

TEST_CASE("samples_per_s is the speed that gives this many samples per second") {
  Json scenario = timing_scenario();
  scenario["algorithms"] = {{{"name", "allreduce"}, {"batch_size", 5}}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"samples_per_s", 2.5}}};
  check_update_times(simulate(scenario), multiples(2, 20));
}

TEST_CASE("the tcp network is another model, not the fluid one") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {worker("w", 1, "1Gf")};
  scenario["stop"]["updates"] = 1;
  scenario["network"] = "tcp";
  // LV08: latency times 13.01, bandwidth times 0.97.
  const double way = 13.01 * path_latency + S / (0.97 * b);
  const RunResult result = simulate(scenario);
  REQUIRE(result.curve.size() == 2);
  CHECK(result.curve[1].time_s == Approx(way + 1 + way).epsilon(1e-6));
}

TEST_CASE("every worker's states add up to the virtual time") {
  for (const char* name : {"sync", "allreduce", "async", "stale", "local"}) {
    Json scenario = learning_scenario();
    scenario["stop"] = {{"time", "7.5s"}};
    scenario["algorithms"] = {{{"name", name}}};
    const RunResult result = simulate(scenario);
    CAPTURE(name);
    REQUIRE(result.virtual_s == 7.5);
    std::uint64_t gradients = 0;
    for (const WorkerResult& w : result.workers) {
      CHECK(w.compute_s + w.transfer_s + w.wait_s + w.discarded_s == to_the_digit(7.5));
      CHECK(w.compute_s > 0);
      CHECK(w.transfer_s > 0);
      gradients += w.gradients;
    }
    CHECK(gradients == result.gradients);
    CHECK(result.samples == 8 * result.gradients);
  }
}

}  // namespace
}  // namespace motley
