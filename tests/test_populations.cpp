// Many workers of which few are drawn: the body of one begins when it is first sent something, which
// changes nothing but what the others cost.
#include "algorithms/catalog.hpp"
#include "sim/base/json.hpp"
#include "sim/results/link_use.hpp"
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

/// A population with watts and money, too large to be listed.
Json large_population() {
  Json scenario = population_of(10004, scaffold_of_three);
  scenario["cluster"]["noise"] = {{"law", "none"}};
  scenario["cluster"]["link"]["power"] = {{"busy", "3W"}, {"idle", "1W"}};
  for (Json& workers : scenario["cluster"]["workers"]) {
    workers["power"] = {{"busy", "10W"}, {"idle", "2W"}};
    workers["price_per_hour"] = 1;
  }
  scenario["stop"]["updates"] = 5;
  return scenario;
}

TEST_CASE("of more than 10,000 workers those that never took part are one row of their class") {
  const Experiment experiment = experiment_of(large_population());
  const RunResult some = simulate(large_population());
  const RunResult all = result_of(run_in_child([&] {
    const RunPlan& plan = experiment.runs().at(0);
    Json parameters = plan.parameters;
    BegunAtOnce eager(find_algorithm(plan.algorithm, plan.place)
                          .make(parameters, plan.place, experiment.facts()));
    return to_json(experiment.run(eager, 1, {}));
  }));
  REQUIRE(all.workers.size() == 10004);
  // Three for each of five rounds at most, and those of two classes that never were.
  CHECK(some.workers.size() <= 15 + 2);
  CHECK(some.worker_count() == 10004);
  std::uint64_t in_classes = 0;
  for (const WorkerResult& row : some.workers) {
    if (row.count == 1) {
      CHECK(row.gradients > 0);
      continue;
    }
    in_classes += row.count;
    CHECK(row.name == row.class_name + "-*");
    CHECK(row.wait_s == some.virtual_s);
    CHECK(row.speed_flops == (row.class_name == "fast" ? 3e9 : 1e9));
    CHECK(row.data_samples == 600);
    CHECK(row.gradients == 0);
  }
  CHECK(in_classes == 10004 - (some.workers.size() - 2));
  // What is told of all of them together is the same.
  CHECK(some.curve.size() == all.curve.size());
  CHECK(some.virtual_s == all.virtual_s);
  CHECK(some.compute_s() == all.compute_s());
  CHECK(some.wait_s() == Approx(all.wait_s()));
  CHECK(*some.energy_J == Approx(*all.energy_J));
  CHECK(*some.cost == Approx(*all.cost));
  CHECK(some.cluster_heterogeneity()->speed_cv == all.cluster_heterogeneity()->speed_cv);
  CHECK(some.cluster_heterogeneity()->speed_ratio == 3);
  const std::vector<LinkUse> uses = link_uses(some);
  const std::vector<LinkUse> uses_of_all = link_uses(all);
  REQUIRE(uses.size() == uses_of_all.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    CAPTURE(uses[i].name);
    CHECK(uses[i].name == uses_of_all[i].name);
    CHECK(uses[i].links == uses_of_all[i].links);
    CHECK(uses[i].bytes == uses_of_all[i].bytes);
    CHECK(uses[i].bandwidth_Bps == Approx(uses_of_all[i].bandwidth_Bps));
    CHECK(uses[i].busy_share == Approx(uses_of_all[i].busy_share));
    CHECK(uses[i].max_utilisation == uses_of_all[i].max_utilisation);
  }
}

/// Whose workers talk with each other, against what they say.
class Gossips : public Algorithm {
 public:
  bool workers_begin_with_a_model() const override { return true; }
  void server(Server& me) const override {
    me.broadcast_model(me.initial_model());
    me.next_push();
  }
  void worker(Worker& me) const override {
    me.pull();
    me.send(1 - me.rank(), {});
    me.receive();
  }
};

TEST_CASE("workers that begin with a model and talk with each other all the same are told so") {
  CHECK_THROWS_WITH(simulate_with<Gossips>(population_of(2, {{"name", "sync"}})),
                    Catch::Contains("talk with the server only"));
}

#ifndef MOTLEY_SANITIZED  // which keep memory of their own
TEST_CASE("a worker that is never drawn costs a fraction of one at work") {
  const auto peak_b = [](int workers, const Json& algorithm) {
    Json scenario = population_of(workers, algorithm);
    scenario["stop"]["updates"] = 5;
    return simulate(scenario).peak_rss_mb * 1024 * 1024;
  };
  const auto each_b = [&](const Json& algorithm) {
    return (peak_b(31000, algorithm) - peak_b(11000, algorithm)) / 20000;
  };
  // An actor alone has two pages of a stack.
  const double idle_b = each_b(scaffold_of_three);
  CHECK(idle_b < 0.2 * each_b({{"name", "async"}}));
  CHECK(idle_b < 1000);
}
#endif

}  // namespace
}  // namespace motley
