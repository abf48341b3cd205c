// What must not depend on which collective is chosen: the mean, the bits of learning, the bytes moved;
// that every round comes to an end; and how it is chosen.
#include <random>

#include "tests/collective_cases.hpp"

namespace motley {
namespace {

// ---- Algorithms of the tests' own ----

/// What a worker does, by the collective.
struct Body : Algorithm {
  explicit Body(const std::string& name) {
    spec.collective = static_cast<ExchangeSpec::Collective>(
        std::find(all.begin(), all.end(), name) - all.begin());
  }
  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return spec; }

  AllReduceSpec spec;
};

template <class A>
RunResult run_by(const std::string& collective, Json scenario) {
  scenario["stop"]["updates"] = 1;
  const Experiment experiment = experiment_of(scenario);
  return result_of(run_in_child([&] {
    A algorithm(collective);
    return to_json(experiment.run(algorithm, 1, {}));
  }));
}

Parameters number(double value) {
  Parameters v = Parameters::zeros(4);
  for (float& each : v.writable()) each = static_cast<float>(value);
  return v;
}

void end_run(Worker& me) {
  me.barrier();
  Model x = me.initial_model();
  if (me.rank() == 0) me.finish_update(x);
  me.barrier();
}

double told(const RunResult& result, const std::string& quantity, std::size_t rank) {
  for (const Decision& decision : result.decisions) {
    if (decision.quantity == quantity && decision.rank == rank) return decision.value;
  }
  throw std::runtime_error("nobody told " + quantity);
}

/// Three rounds after gradients of different lengths.
struct ThreeRounds : Body {
  using Body::Body;
  static constexpr std::size_t rounds = 3;

  void worker(Worker& me) const override {
    const std::size_t W = me.workers();
    for (std::size_t round = 0; round < rounds; ++round) {
      me.gradient(me.initial_model(), 1 + (me.rank() * 7 + round * 3) % 5);
      Parameters v = number(static_cast<double>(me.rank() + round));
      const NotesOfAll numbers = me.everybody().all_reduce_mean(
          v, static_cast<double>(1 + me.rank()), {static_cast<double>(me.rank())});
      me.record_decision("mean", v.values()[3]);
      for (std::size_t i = 0; i < W; ++i) {
        if (numbers->at(i).at(0) != static_cast<double>(i)) throw std::logic_error("other numbers");
      }
    }
    end_run(me);
  }
};

std::vector<double> means(const RunResult& result) {
  std::vector<double> values;
  for (const Decision& decision : result.decisions) {
    if (decision.quantity == "mean" && decision.rank == 0) values.push_back(decision.value);
  }
  return values;
}

TEST_CASE("every collective moves the vector 2(W-1) times and gives the same mean") {
  for (std::size_t W = 1; W <= 17; ++W) {
    const Json scenario = scenario_of(Json::array({workers_of("w", W)}), link_of(1e8, 0.001));
    const std::vector<double> expected = means(run_by<ThreeRounds>("ring", scenario));
    REQUIRE(expected.size() == ThreeRounds::rounds);
    for (const std::string& collective : all) {
      CAPTURE(collective, W);
      Json odd = scenario;
      odd["cost"]["model_size"] = "1000003B";  // divides by nothing
      const RunResult result = run_by<ThreeRounds>(collective, odd);
      REQUIRE(result.status == RunStatus::ok);
      CHECK(result.bytes == static_cast<double>(ThreeRounds::rounds * 2 * (W - 1) * 1000003));
      CHECK(means(result) == expected);
    }
  }
}

TEST_CASE("vectors of fewer bytes than members are averaged, too") {
  Json scenario = scenario_of(Json::array({workers_of("w", 11)}), link_of(1e8, 0));
  scenario["cost"]["model_size"] = "3B";
  for (const std::string& collective : all) {
    CAPTURE(collective);
    CHECK(run_by<ThreeRounds>(collective, scenario).bytes == 3 * 2 * 10 * 3);
  }
}

TEST_CASE("random clusters never hang, whatever the collective") {
  std::mt19937 random(7);
  const auto pick = [&random](std::size_t choices) { return std::size_t{random() % choices}; };
  for (int trial = 0; trial < 25; ++trial) {
    const std::size_t racks = 1 + pick(3);
    Json workers = Json::array();
    Json hosts = Json::object();
    std::size_t W = 0;
    for (std::size_t k = 0; k < 1 + pick(3); ++k) {
      const std::size_t per_node = 1 + pick(3);
      const std::string name(1, static_cast<char>('a' + k));
      const std::size_t in_rack = per_node * (1 + pick(2));
      Json one = workers_of(name, racks * in_rack);
      one["speed"] = std::to_string(1 + pick(4)) + "Gf";
      one["noise"] = {{"law", "exponential"}, {"mean", 0.3}};
      one["link"] = link_of(static_cast<double>(20'000'000 + pick(80'000'000)), 0.0005);
      if (pick(3) > 0)
        one = in_nodes(one, per_node, link_of(1e9, 1e-5 * static_cast<double>(pick(3))));
      workers.push_back(one);
      hosts[name] = in_rack;
      W += racks * in_rack;
    }
    const Json scenario = racks_of(workers, racks, hosts);
    const std::vector<double> expected = means(run_by<ThreeRounds>("ring", scenario));
    for (const std::string& collective : all) {
      CAPTURE(trial, collective, scenario["cluster"].dump());
      const RunResult result = run_by<ThreeRounds>(collective, scenario);
      REQUIRE(result.status == RunStatus::ok);
      CHECK(result.bytes == static_cast<double>(ThreeRounds::rounds * 2 * (W - 1)) * S);
      CHECK(means(result) == expected);
    }
  }
}

/// A group of everybody in a scattered order, and a part of them.
struct Scattered : Body {
  using Body::Body;

  void worker(Worker& me) const override {
    std::vector<std::size_t> ranks;
    for (std::size_t i = 0; i < me.workers(); ++i) ranks.push_back(i * 3 % me.workers());
    Parameters v = number(1);
    me.group("scattered", ranks).all_reduce_mean(v);
    me.record_decision("scattered_at", me.clock());
    me.barrier();
    const double start = me.clock();
    me.group("in order", {0, 1, 2, 3}, "tree").ranks();
    me.everybody().all_reduce_mean(v);
    me.record_decision("took", me.clock() - start);
    end_run(me);
  }
};

TEST_CASE("a group in any order of ranks takes the time of one in order") {
  for (const std::string& collective : all) {
    CAPTURE(collective);
    Json scenario = nodes_of(2, 2);
    const RunResult result = run_by<Scattered>(collective, scenario);
    REQUIRE(result.status == RunStatus::ok);
    for (std::size_t rank = 0; rank < 4; ++rank) {
      CHECK(told(result, "scattered_at", rank) ==
            Approx(told(result, "took", rank)).margin(1e-9).epsilon(0));
    }
  }
}

struct Overlapped : Body {
  using Body::Body;

  void worker(Worker& me) const override {
    Pending<Averaged> pending =
        me.everybody().start_all_reduce_mean(number(static_cast<double>(me.rank())));
    me.gradient(me.initial_model(), 1);
    me.record_decision("done", pending.is_done() ? 1 : 0);
    me.record_decision("mean", pending.wait().values()[0]);
    me.record_decision("at", me.clock());
    me.everybody().start_all_reduce_mean(number(1)).wait();
    me.record_decision("blocking_at", me.clock());
    end_run(me);
  }
};

TEST_CASE("any collective goes on behind a computation") {
  for (const std::string& collective : all) {
    CAPTURE(collective);
    const RunResult result = run_by<Overlapped>(
        collective, scenario_of(Json::array({workers_of("w", 4)}), link_of(1e9, 0.001)));
    REQUIRE(result.status == RunStatus::ok);
    CHECK(told(result, "done", 0) == 1);
    CHECK(told(result, "mean", 3) == 1.5);
    CHECK(told(result, "at", 0) == 1);
    CHECK(told(result, "blocking_at", 0) ==
          Approx(1 + closed_form(collective, 4, 0.002, 1e9)).margin(1e-9).epsilon(0));
  }
}

struct OneStaysAway : Body {
  using Body::Body;

  void worker(Worker& me) const override {
    Parameters v = number(1);
    if (me.rank() == 2) me.receive();
    me.all_reduce_mean(v);
  }
};

TEST_CASE("a collective that one member never comes to is a deadlock that says so") {
  for (const auto& [collective, what] : std::vector<std::pair<std::string, std::string>>{
           {"ring", "wait for its neighbours in the ring of the all-reduce"},
           {"hierarchical", "wait for the others of its node, or other nodes, in the all-reduce"},
           {"tree", "wait for its neighbours in the tree of the all-reduce"},
           {"halving_doubling", "wait for its partner in the all-reduce by halves"}}) {
    const RunResult result = run_by<OneStaysAway>(
        collective, scenario_of(Json::array({workers_of("w", 4)}), link_of(1e9, 0.001)));
    CHECK(result.status == RunStatus::failed);
    CHECK_THAT(result.reason, Catch::Contains("w-0, w-1, w-3 " + what));
    CHECK_THAT(result.reason, Catch::Contains("w-2 waits for a message"));
  }
}

// ---- Learning ----

TEST_CASE("learning has the same bits by every collective") {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"][0] =
      in_nodes(scenario["cluster"]["workers"][0], 2, link_of(1e9, 0.0001));
  for (const Json& algorithm :
       {Json{{"name", "allreduce"}, {"momentum", 0.5}}, Json{{"name", "local"}, {"local_steps", 3}},
        Json{{"name", "hierarchical"}, {"groups", 2}}, Json{{"name", "diloco"}, {"local_steps", 2}},
        Json{{"name", "simuparallel"}, {"local_steps", 2}, {"rounds", 5}}}) {
    const std::vector<double> expected = losses(run_of(algorithm, scenario));
    for (const std::string& collective : all) {
      CAPTURE(algorithm.dump(), collective);
      Json other = algorithm;
      other["collective"] = collective;
      CHECK(losses(run_of(other, scenario)) == expected);
    }
  }
}

TEST_CASE("an algorithm's own collective counts before the default") {
  Json scenario = by("tree", scenario_of(Json::array({workers_of("w", 8)}), link_of(1e8, 0.001)));
  check_all_reduce(scenario, closed_form("tree", 8, 0.002, 1e8));
  scenario["algorithms"][0]["collective"] = "halving_doubling";
  check_all_reduce(scenario, closed_form("halving_doubling", 8, 0.002, 1e8));
}

TEST_CASE("a collective that there is not is refused where it stands") {
  Json scenario = scenario_of(Json::array({workers_of("w", 2)}), link_of(1e8, 0.001));
  scenario["algorithms"][0]["collective"] = "hierarchial";
  CHECK_THROWS_WITH(experiment_of(scenario),
                    Catch::Contains("/algorithms/0/collective: must be one of ring, hierarchical, "
                                    "tree or halving_doubling (did you mean 'hierarchical'?)"));
  scenario["algorithms"][0] = {{"name", "sync"}, {"collective", "ring"}};
  CHECK_THROWS_WITH(experiment_of(scenario), Catch::Contains("/algorithms/0/collective"));
  scenario["algorithms"][0] = {{"name", "allreduce"}};
  scenario["defaults"]["collective"] = "Tree";
  CHECK_THROWS_WITH(experiment_of(scenario), Catch::Contains("/defaults/collective"));
}

}  // namespace
}  // namespace motley
