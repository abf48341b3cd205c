#include <atomic>
#include <numeric>
#include <optional>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/learning/models/layers/convolution_kernel.hpp"
#include "tests/catch.hpp"
#include "tests/simulated.hpp"
#include "tests/watched_malloc.hpp"

namespace {
std::atomic<std::uint64_t> large_allocations = 0;  // of all threads
std::atomic<std::uint64_t> all_allocations = 0;
std::atomic<std::size_t> largest_allocation = 0;
}  // namespace

void motley::tests::allocated(std::size_t size) {
  constexpr std::size_t large = 2048;
  ++all_allocations;
  if (size > largest_allocation) largest_allocation = size;
  if (size >= large) ++large_allocations;
}

using namespace motley;

namespace {

/// The large allocations between the last two evaluations of the only run.
std::optional<Json> late_allocations(const Experiment& experiment, unsigned threads) {
  const ChildOutcome outcome = run_in_child([&]() -> Json {
    std::vector<std::uint64_t> at_point;
    experiment.run(experiment.runs().front(), threads,
                   [&](const Progress&) { at_point.push_back(large_allocations); });
    const std::size_t points = at_point.size();
    if (points < 4 || at_point.front() == 0) throw std::runtime_error("nothing was counted");
    return at_point[points - 1] - at_point[points - 2];
  });
  return outcome.result;
}

const std::vector<Json> models = {{{"kind", "cnn"},
                                   {"layers",
                                    {{{"conv", 16}, {"kernel", 3}},
                                     {{"pool", 2}},
                                     {{"conv", 32}, {"kernel", 5}},
                                     {{"dense", 16}}}}},
                                  {{"kind", "resnet"}, {"depth", 8}, {"width", 16}}};

void with_images(Json& scenario) {
  scenario["data"]["features"] = 768;
  scenario["data"]["shape"] = {3, 16, 16};
  scenario["data"]["augment"] = {"flip", "crop"};
  scenario["defaults"]["batch_size"] = 40;  // blocks of 32 and of 8 images
}

}  // namespace

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
      INFO(name << " with " << threads << " threads");
      const std::optional<Json> late = late_allocations(experiment, threads);
      REQUIRE(late);
      CHECK(*late == 0);
    }
  }
}

TEST_CASE("The steady state of a network on images takes no memory") {
  if (!WATCHES_MALLOC) return;
  Json scenario = learning_scenario();
  with_images(scenario);
  scenario["stop"] = {{"updates", 24}};
  scenario["evaluate"]["every"] = 8;
  for (const Json& model : models) {
    scenario["model"] = model;
    for (const std::string name : {"sync", "async"}) {
      scenario["algorithms"] = Json::array({{{"name", name}}});
      const Experiment experiment = experiment_of(scenario);
      for (const unsigned threads : {1U, 3U}) {
        INFO(model["kind"] << ", " << name << " with " << threads << " threads");
        const std::optional<Json> late = late_allocations(experiment, threads);
        REQUIRE(late);
        CHECK(*late == 0);
      }
    }
  }
}

TEST_CASE("A gradient of a network takes no memory but for oneDNN's notes on its arguments") {
  if (!WATCHES_MALLOC) return;
  Json scenario = learning_scenario();
  with_images(scenario);
  for (const Json& model : models) {
    INFO(model["kind"]);
    scenario["model"] = model;
    const Experiment experiment = experiment_of(scenario);
    const Problem& problem = experiment.problem();
    std::vector<float> x(problem.dimension());
    std::vector<float> g(problem.dimension());
    problem.initial_model(1, x);
    std::vector<Sample> samples(40);
    std::iota(samples.begin(), samples.end(), Sample{0});
    const std::unique_ptr<Workspace> workspace = problem.make_workspace();
    largest_allocation = 0;
    problem.gradient(x, samples, g, *workspace);
    CHECK(largest_allocation > 100'000);  // outputs of layers: it is watched
    largest_allocation = 0;
    const std::uint64_t before = all_allocations;
    problem.gradient(x, samples, g, *workspace);
    const std::size_t largest = largest_allocation;  // before anything is printed
    const std::uint64_t after = all_allocations;
    // The library keeps the arguments of a call in a map of its own: nodes, and its table; its AVX2 code another 160 bytes.
    CHECK(largest <= 160);
    if (convolution_code() == "plain") CHECK(after == before);
  }
}
