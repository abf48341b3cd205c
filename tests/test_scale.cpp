// What is simplified for large clusters, and what a run costs in memory.
#include <cstdlib>
#include <new>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/simulated.hpp"

#ifndef MOTLEY_SANITIZED  // which bring their own operator new
namespace {

// Buffers: anything as large as a model or a batch. SimGrid's own small objects are not ours to
// count.
std::size_t large_allocations = 0;
constexpr std::size_t large = 2048;

}  // namespace

#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // these are the matching ones

void* operator new(std::size_t size) {
  if (size >= large) ++large_allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (size >= large) ++large_allocations;
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}

#endif

namespace motley {
namespace {

Json time_only(const Json& algorithm) {
  Json scenario = timing_scenario();
  scenario["model"] = {{"kind", "none"}};
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"count", 3}, {"speed", "3Gf"}},
                                    {{"name", "slow"}, {"count", 2}, {"speed", "1Gf"}}};
  scenario["algorithms"] = Json::array({algorithm});
  return scenario;
}

std::vector<double> times(const RunResult& result) {
  std::vector<double> values;
  for (const CurvePoint& point : result.curve) values.push_back(point.time_s);
  return values;
}

TEST_CASE("a time-only run takes the times of the run that learns") {
  for (const char* name : {"sync", "allreduce", "async", "stale", "local"}) {
    const Json none = time_only({{"name", name}});
    Json learning = none;
    learning["model"] = {{"kind", "quadratic"}, {"dimension", 4}};
    const RunResult a = simulate(none);
    const RunResult b = simulate(learning);
    CAPTURE(name);
    CHECK(times(a) == times(b));
    CHECK(a.bytes == b.bytes);
    CHECK(a.gradients == b.gradients);
    CHECK_FALSE(a.final_test_loss);
    CHECK_FALSE(a.curve.back().train_loss);
  }
}

TEST_CASE("the fluid ring takes the time and the bytes of the ring of messages") {
  for (const char* name : {"allreduce", "local"}) {
    Json scenario = time_only({{"name", name}});
    scenario["cost"]["model_size"] = "8000003B";
    const RunResult messages = simulate(scenario);
    scenario["approximate"]["ring"] = "fluid";
    const RunResult fluid = simulate(scenario);
    REQUIRE(messages.curve.size() == fluid.curve.size());
    for (std::size_t i = 0; i < messages.curve.size(); ++i) {
      // Pieces of a message that does not divide by 5 differ by a byte: 10 ns a step at 100 MB/s.
      CHECK(fluid.curve[i].time_s ==
            Approx(messages.curve[i].time_s).margin(1e-7 * static_cast<double>(i)));
    }
    CHECK(messages.bytes == fluid.bytes);

    scenario["cost"]["model_size"] = "8MB";
    const RunResult even_fluid = simulate(scenario);
    scenario["approximate"]["ring"] = "messages";
    const RunResult even_messages = simulate(scenario);
    for (std::size_t i = 0; i < even_messages.curve.size(); ++i) {
      CHECK(even_fluid.curve[i].time_s == Approx(even_messages.curve[i].time_s).margin(1e-9));
    }
  }
}

TEST_CASE("the fluid ring gives the bits of the ring of messages") {
  Json scenario = learning_scenario();
  scenario["algorithms"] = {{{"name", "allreduce"}, {"momentum", 0.5}}};
  const RunResult messages = simulate(scenario);
  scenario["approximate"] = {{"ring", "fluid"}};
  const RunResult fluid = simulate(scenario);
  REQUIRE(messages.curve.size() == fluid.curve.size());
  for (std::size_t i = 0; i < messages.curve.size(); ++i) {
    CHECK(messages.curve[i].test_loss == fluid.curve[i].test_loss);
  }
}

TEST_CASE("limited port flows keep the throughput and serve in order of arrival") {
  // Five models leave the server's port of b = 100 MB/s two at a time: S/b = 80 ms, so two arrive
  // after 2 ms + 160 ms, two after 2 ms + 320 ms, and the last, alone, after 2 ms + 400 ms. Each
  // worker computes for 1 s. The first two pushes share the way back: 2 ms + 160 ms.
  Json scenario = timing_scenario();
  scenario["model"] = {{"kind", "none"}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 5}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 1}};
  scenario["algorithms"] = {{{"name", "async"}}};
  scenario["approximate"]["port_flows"] = 2;
  CHECK(simulate(scenario).virtual_s == Approx(0.162 + 1 + 0.162).margin(1e-9));

  // sync waits for all five. The second pair's pushes flow from 1.324 to 1.484 s, when the port is
  // theirs; the fifth push is ready to flow at 0.402 + 1 + 0.002 = 1.404 s and waits until 1.484 s,
  // then takes 80 ms alone.
  scenario["algorithms"] = {{{"name", "sync"}}};
  const RunResult limited = simulate(scenario);
  CHECK(limited.virtual_s == Approx(1.564).margin(1e-9));
  CHECK(limited.bytes == 10 * 8e6);
}

TEST_CASE("a limit that is never reached changes nothing") {
  for (const char* name : {"sync", "allreduce", "async"}) {
    Json scenario = time_only({{"name", name}});
    const RunResult all = simulate(scenario);
    scenario["approximate"]["port_flows"] = 5;
    CHECK(times(simulate(scenario)) == times(all));
  }
}

#ifndef MOTLEY_SANITIZED
TEST_CASE("the steady state allocates no buffers") {
  Json scenario = learning_scenario();
  scenario["data"]["features"] = 400;  // a model of 3244 floats
  scenario["defaults"]["batch_size"] = 600;
  scenario["evaluate"]["every"] = 100;
  scenario["stop"]["updates"] = 400;
  for (const Json& algorithm : {Json{{"name", "async"}}, Json{{"name", "stale"}},
                                Json{{"name", "local"}, {"local_steps", 2}}}) {
    scenario["algorithms"] = Json::array({algorithm});
    const Experiment experiment = experiment_of(scenario);
    const ChildOutcome outcome = run_in_child([&]() -> Json {
      std::vector<std::size_t> counts;
      experiment.run(experiment.runs().front(), 1,
                     [&](const Progress&) { counts.push_back(large_allocations); });
      return counts;
    });
    REQUIRE(outcome.result);
    const std::vector<std::size_t> counts = *outcome.result;
    CAPTURE(algorithm.dump(), counts);
    REQUIRE(counts.size() >= 4);
    // After two hundred updates every buffer there will be is there.
    CHECK(counts[2] > counts[0]);
    CHECK(counts.back() == counts[2]);
  }
}
#endif

}  // namespace
}  // namespace motley
