// Messages that are alone on their links are not SimGrid's: they must take the time they would
// there.
#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace motley {
namespace {

TEST_CASE("a message that another one joins half-way has flowed alone, then shares") {
  // 50 MB at b = 100 MB/s: half a second alone. Both models share the server's uplink and arrive
  // at 2 ms + 1 s. a computes for 1 s and b for 1.25 s, so their pushes flow from 2.004 and
  // 2.254 s. By then half of a's has flowed; the other half takes 0.5 s beside b's. Then half of
  // b's is left, which takes 0.25 s alone.
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "a"}, {"speed", "1Gf"}},
                                    {{"name", "b"}, {"speed", "0.8Gf"}}};
  scenario["cost"]["model_size"] = "50MB";
  scenario["stop"]["updates"] = 2;
  scenario["algorithms"] = {{{"name", "async"}}};
  const RunResult result = simulate(scenario);
  REQUIRE(result.curve.size() == 3);
  CHECK(result.curve[1].time_s == Approx(2.754).margin(1e-9));
  CHECK(result.curve[2].time_s == Approx(3.004).margin(1e-9));
}

TEST_CASE("every algorithm takes on a cluster the times of the same switch in a platform file") {
  Json scenario = timing_scenario();
  scenario["model"] = {{"kind", "none"}};
  scenario["cost"] = {{"flops_per_sample", "10Gf"}, {"model_size", "100MB"}};
  scenario["defaults"]["batch_size"] = 16;
  scenario["stop"]["updates"] = 60;
  Json in_file = scenario;
  in_file["cluster"] = {{"platform", MOTLEY_SOURCE_DIR "/platforms/mixed_star.xml"}};
  const Json fast = {{"bandwidth", "10Gbps"}, {"latency", "20us"}};
  const Json slow = {{"bandwidth", "1Gbps"}, {"latency", "100us"}};
  scenario["cluster"] = {{"workers",
                          {{{"name", "gpu"}, {"count", 4}, {"speed", "10Tf"}, {"link", fast}},
                           {{"name", "cpu"}, {"count", 4}, {"speed", "500Gf"}, {"link", slow}}}},
                         {"server", {{"speed", "2Tf"}, {"link", fast}}}};
  for (const Json& algorithm : every_algorithm()) {
    for (const char* ring : {"messages", "fluid"}) {
      CAPTURE(algorithm.dump(), ring);
      scenario["approximate"]["ring"] = ring;
      in_file["approximate"]["ring"] = ring;
      scenario["algorithms"] = Json::array({algorithm});
      in_file["algorithms"] = scenario["algorithms"];
      const RunResult here = simulate(scenario);
      const RunResult there = simulate(in_file);
      // Own updates at the very same moment share a point of the curve; a rounding apart, they do not.
      const bool own_updates =
          find_algorithm(algorithm["name"], {}).traits.family == Family::decentralised;
      if (!own_updates) REQUIRE(here.curve.size() == there.curve.size());
      for (std::size_t i = 0; !own_updates && i < here.curve.size(); ++i) {
        CHECK(here.curve[i].time_s == Approx(there.curve[i].time_s).margin(1e-9));
      }
      CHECK(here.virtual_s == Approx(there.virtual_s).margin(1e-9));
      CHECK(here.gradients == there.gradients);
      CHECK(here.bytes == there.bytes);
      for (std::size_t i = 0; i < here.workers.size(); ++i) {
        CHECK(here.workers[i].compute_s == Approx(there.workers[i].compute_s).margin(1e-9));
        CHECK(here.workers[i].transfer_s == Approx(there.workers[i].transfer_s).margin(1e-9));
      }
    }
  }
}

}  // namespace
}  // namespace motley
