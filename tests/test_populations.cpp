// Many workers of which few are drawn: the body of one begins when it is first sent something, which
// changes nothing but what the others cost.
#include "algorithms/catalog.hpp"
#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

/// The same algorithm with every body begun at the start.
class BegunAtOnce : public Algorithm {
 public:
  explicit BegunAtOnce(std::unique_ptr<Algorithm> algorithm) : algorithm_(std::move(algorithm)) {}
  void worker(Worker& me) const override { algorithm_->worker(me); }
  void server(Server& me) const override { algorithm_->server(me); }
  double gradients_per_update(std::size_t workers) const override {
    return algorithm_->gradients_per_update(workers);
  }
  ExchangeSpec exchange() const override { return algorithm_->exchange(); }

 private:
  std::unique_ptr<Algorithm> algorithm_;
};

Json population_of(int workers, const Json& algorithm) {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {
      {{"name", "fast"}, {"count", workers / 2}, {"speed", "3Gf"}},
      {{"name", "slow"}, {"count", workers - workers / 2}, {"speed", "1Gf"}}};
  scenario["cluster"]["noise"] = {{"law", "exponential"}, {"mean", 0.2}};
  scenario["algorithms"] = {algorithm};
  return scenario;
}

const Json scaffold_of_three = {
    {"name", "scaffold"}, {"local_steps", 2}, {"participation", {{"count", 3}}}};
const Json fedbuff_of_three = {
    {"name", "fedbuff"}, {"local_steps", 2}, {"buffer", 2}, {"concurrency", {{"count", 3}}}};

/// Everything but what depends on the machine.
Json measured(const RunResult& result) {
  Json all = to_json(result);
  for (const char* key : {"wall_s", "evaluation_wall_s", "peak_rss_mb", "warnings"}) all.erase(key);
  return all;
}

TEST_CASE("bodies that begin when they are asked do what they would have done from the start") {
  const Json failures = Json::parse(R"({"detect_after": "100ms", "checkpoint": "500ms",
    "list": [{"server": "server", "at": "400ms", "for": "300ms"}],
    "laws": [{"mean_time_between": "1s", "mean_time_to_return": "200ms"}]})");
  for (const Json& algorithm : {scaffold_of_three, fedbuff_of_three}) {
    for (const char* policy : {"", "drop", "wait"}) {
      CAPTURE(algorithm.dump(), policy);
      Json scenario = population_of(40, algorithm);
      if (*policy != '\0') {
        scenario["cluster"]["failures"] = failures;
        scenario["cluster"]["failures"]["on_failure"] = policy;
      }
      const Experiment experiment = experiment_of(scenario);
      const RunPlan& plan = experiment.runs().at(0);
      const auto made = [&] {
        Json parameters = plan.parameters;
        return find_algorithm(plan.algorithm, plan.place)
            .make(parameters, plan.place, experiment.facts());
      };
      REQUIRE(made()->workers_begin_with_a_model());
      const RunResult when_asked = result_of(run_in_child([&] {
        const std::unique_ptr<Algorithm> same = made();
        return to_json(experiment.run(*same, 1, {}));
      }));
      const RunResult at_once = result_of(run_in_child([&] {
        BegunAtOnce eager(made());
        return to_json(experiment.run(eager, 1, {}));
      }));
      CHECK(when_asked.reason.empty());
      CHECK(when_asked.updates == 40);
      CHECK(measured(when_asked) == measured(at_once));
      // Some were never drawn, and are told of all the same.
      CHECK(when_asked.workers.size() == 40);
      CHECK(when_asked.workers[0].data_samples == 600);
    }
  }
}

#ifndef MOTLEY_SANITIZED  // which keep memory of their own
TEST_CASE("a worker that is never drawn costs a fraction of one at work") {
  const auto peak_b = [](int workers, const Json& algorithm) {
    Json scenario = population_of(workers, algorithm);
    scenario["stop"]["updates"] = 5;
    return simulate(scenario).peak_rss_mb * 1024 * 1024;
  };
  const auto each_b = [&](const Json& algorithm) {
    return (peak_b(12000, algorithm) - peak_b(2000, algorithm)) / 10000;
  };
  // An actor alone has two pages of a stack.
  CHECK(each_b(scaffold_of_three) < 0.5 * each_b({{"name", "async"}}));
}
#endif

}  // namespace
}  // namespace motley
