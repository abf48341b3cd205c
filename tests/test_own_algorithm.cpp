// The algorithm that docs/extending.md shows works as it says.
#include "algorithms/catalog.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace motley {
AlgorithmInfo patient();
}

#include "docs/patient.cpp"

namespace motley {
namespace {

RunResult run_patient(const Json& scenario, std::uint64_t patience) {
  const Experiment experiment = experiment_of(scenario);
  return result_of(run_in_child([&] {
    Json parameters = {{"patience", patience}};
    parameters.update(scenario["defaults"]);
    const auto algorithm =
        patient().make(parameters, Place{"docs/patient.cpp", ""}, experiment.facts());
    return to_json(experiment.run(*algorithm, 1, {}));
  }));
}

TEST_CASE("the documented algorithm with endless patience is async, bit for bit") {
  const Json scenario = with_algorithm(learning_scenario(), {{"name", "async"}});
  CHECK(same_run(run_patient(scenario, 1'000'000), simulate(scenario)));
}

TEST_CASE("the documented algorithm without patience applies and discards what it should") {
  // Four equal workers whose gradients arrive together, in order of rank: with no patience the first
  // is applied and makes the other three stale. All four then start anew at the same moment.
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 4}, {"speed", "1Gf"}}};
  scenario["cluster"]["link"] = {{"bandwidth", "1TBps"}, {"latency", "0s"}};
  scenario["cost"]["model_size"] = "1B";
  scenario["stop"] = {{"updates", 10}};
  const RunResult result = run_patient(scenario, 0);
  CHECK(result.updates == 10);
  CHECK(result.max_staleness == 0);
  // The run ends at the tenth update: the three late gradients of that round are not yet discarded.
  CHECK(result.discarded_s() == Approx(27.0).epsilon(1e-6));
}

}  // namespace
}  // namespace motley
