#include <atomic>
#include <vector>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/simulated.hpp"
#include "tests/watched_malloc.hpp"

namespace {
std::atomic<std::uint64_t> large_allocations = 0;  // of all threads
}

void motley::tests::allocated(std::size_t size) {
  constexpr std::size_t large = 2048;
  if (size >= large) ++large_allocations;
}

using namespace motley;

TEST_CASE("The steady state takes no memory for models, gradients or batches") {
  if (!WATCHES_MALLOC) return;
  Json scenario = learning_scenario();
  scenario["data"]["features"] = 80;
  scenario["data"]["classes"] = 10;
  scenario["model"] = {{"kind", "mlp"}, {"hidden", {16}}};
  scenario["defaults"]["batch_size"] = 512;  // large, as the model is, even as mere indices
  scenario["stop"] = {{"updates", 240}};
  scenario["evaluate"]["every"] = 80;  // by the second, as many are in use at once as ever
  for (const std::string name : {"sync", "allreduce", "async", "stale", "local", "grouping",
                                 "biased_local", "od_sgd", "allocation", "backup"}) {
    Json algorithm = {{"name", name}};
    if (name == "backup") algorithm["backup"] = 1;
    if (name == "od_sgd") algorithm["warm_up"] = 20;
    if (name == "biased_local") algorithm["bias_sampling"] = false;  // deals anew once a pass
    scenario["algorithms"] = Json::array({algorithm});
    const Experiment experiment = experiment_of(scenario);
    for (const unsigned threads : {1U, 3U}) {
      const ChildOutcome outcome = run_in_child([&]() -> Json {
        std::vector<std::uint64_t> at_point;
        experiment.run(experiment.runs().front(), threads,
                       [&](const Progress&) { at_point.push_back(large_allocations); });
        const std::size_t points = at_point.size();
        if (points < 4 || at_point.front() == 0) throw std::runtime_error("nothing was counted");
        return at_point[points - 1] - at_point[points - 2];
      });
      INFO(name << " with " << threads << " threads");
      REQUIRE(outcome.result);
      CHECK(*outcome.result == 0);
    }
  }
}
