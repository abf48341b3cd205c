// The algorithms without a server: graphs, where they coincide, what they send, how far models are apart,
// and that nobody waits for ever.
#include <algorithm>
#include <cmath>
#include <random>

#include "algorithms/support/graph.hpp"
#include "algorithms/support/random_groups.hpp"
#include "sim/base/json.hpp"
#include "tests/one_dimension.hpp"

namespace motley {
namespace {

using Neighbours = std::vector<std::vector<std::size_t>>;

RunFacts facts_of(std::size_t workers) {
  RunFacts facts;
  facts.workers = workers;
  for (std::size_t i = 0; i < workers; ++i) facts.names.push_back("w-" + std::to_string(i));
  return facts;
}

Neighbours graph_of(const Json& value, std::size_t workers) {
  const Json written = Json::parse(value.dump());
  return Graph::read(written, Place{"", "graph"}).neighbours(facts_of(workers), Place{"", "graph"});
}

// ---- Graphs ----

TEST_CASE("graphs have the neighbours that their names say") {
  CHECK(graph_of("ring", 5) == Neighbours{{1, 4}, {0, 2}, {1, 3}, {2, 4}, {0, 3}});
  CHECK(graph_of("ring", 2) == Neighbours{{1}, {0}});
  CHECK(graph_of("ring", 1) == Neighbours{{}});
  // Rows of three: 0 1 2, 3 4 5, 6 7.
  CHECK(graph_of("grid", 8) ==
        Neighbours{{1, 3}, {0, 2, 4}, {1, 5}, {0, 4, 6}, {1, 3, 5, 7}, {2, 4}, {3, 7}, {4, 6}});
  CHECK(graph_of("exponential", 8)[0] == std::vector<std::size_t>{1, 2, 4, 6, 7});
  CHECK(graph_of("complete", 4)[2] == std::vector<std::size_t>{0, 1, 3});
  CHECK(graph_of({{0, 1}, {"w-2", 1}, {1, 0}}, 3) == Neighbours{{1}, {0, 2}, {1}});
}

TEST_CASE("graphs that cannot be are refused with their place") {
  CHECK_THROWS_WITH(graph_of("rings", 3), Catch::Contains("did you mean 'ring'?"));
  CHECK_THROWS_WITH(graph_of(Json::array(), 3), Catch::Contains("or a list of edges"));
  CHECK_THROWS_WITH(graph_of({{0, 1, 2}}, 3), Catch::Contains("must be a pair of workers"));
  CHECK_THROWS_WITH(graph_of({{0, 3}}, 3), Catch::Contains("a rank below 3"));
  CHECK_THROWS_WITH(graph_of({{1, 1}}, 3), Catch::Contains("a pair of different workers"));
  CHECK_THROWS_WITH(graph_of({{0, 1}}, 3), Catch::Contains("there is no way from w-0 to w-2"));
}

TEST_CASE("the two sides of a graph are connected by the edges between them") {
  std::mt19937 random(5);
  for (const Json& kind :
       {Json("ring"), Json("grid"), Json("exponential"), Json("complete"), Json()}) {
    for (std::size_t workers = 2; workers < 20; ++workers) {
      Json value = kind;
      if (kind.is_null()) {  // a random tree with some edges more
        value = Json::array();
        for (std::size_t i = 1; i < workers; ++i) value.push_back({i, random() % i});
        value.push_back({0, workers - 1});
      }
      const Graph graph = Graph::read(Json::parse(value.dump()), {});
      const Neighbours neighbours = graph.neighbours(facts_of(workers), {});
      const std::vector<bool> sides = graph.sides(neighbours);
      std::vector<std::size_t> reached = {0};
      for (std::size_t next = 0; next < reached.size(); ++next) {
        for (const std::size_t j : neighbours[reached[next]]) {
          const bool is_known = std::ranges::find(reached, j) != reached.end();
          if (sides[j] != sides[reached[next]] && !is_known) reached.push_back(j);
        }
      }
      CAPTURE(value.dump(), workers);
      CHECK(reached.size() == workers);
    }
  }
}

TEST_CASE("random groups are divisions of all workers, in even sizes") {
  for (const auto& division : random_groups(3, 10, 4, 7)) {
    REQUIRE(division.size() == 3);
    std::vector<std::size_t> all;
    for (const std::vector<std::size_t>& group : division) {
      CHECK(group.size() >= 3);
      CHECK(group.size() <= 4);
      all.insert(all.end(), group.begin(), group.end());
    }
    std::ranges::sort(all);
    for (std::size_t i = 0; i < 10; ++i) CHECK(all[i] == i);
  }
  CHECK(random_groups(3, 10, 4, 7) == random_groups(3, 10, 4, 7));
  CHECK(random_groups(3, 10, 4, 7) != random_groups(4, 10, 4, 7));
}

// ---- Where they coincide ----

Json noisy_quadratic(std::size_t workers) {
  Json scenario = timing_scenario();
  scenario["model"] = {{"kind", "quadratic"}, {"dimension", 8}, {"noise", 0.3}, {"samples", 64}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", workers}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"time", "20500ms"}};
  return scenario;
}

/// The loss when every worker has made so many steps.
double loss_after(const RunResult& result, std::uint64_t updates) {
  const auto point = std::ranges::find(result.curve, updates, &CurvePoint::updates);
  if (point == result.curve.end()) throw std::runtime_error("no point there");
  return point->test_loss.value();
}

TEST_CASE("d_psgd on a complete graph averages as allreduce does, to rounding") {
  // The gradient of a quadratic is linear: the mean of gradients at different models is the gradient at
  // their mean.
  const Json scenario = noisy_quadratic(4);
  const RunResult gossip = run_of({{"name", "d_psgd"}, {"graph", "complete"}}, scenario);
  const RunResult together = run_of({{"name", "allreduce"}}, scenario);
  for (std::uint64_t step = 1; step <= 15; ++step) {
    CHECK(loss_after(gossip, 4 * step) == Approx(loss_after(together, step)).epsilon(1e-4));
  }
}

TEST_CASE("the mean of d_psgd, sgp and prague goes the way of allreduce on any graph") {
  // Weights that add up to one both ways leave the mean as it is.
  const Json scenario = noisy_quadratic(5);
  const RunResult together = run_of({{"name", "allreduce"}}, scenario);
  for (const Json& algorithm :
       {Json{{"name", "d_psgd"}}, Json{{"name", "d_psgd"}, {"graph", "grid"}},
        Json{{"name", "d_psgd"}, {"graph", {{0, 1}, {1, 2}, {1, 3}, {3, 4}}}},
        Json{{"name", "sgp"}}, Json{{"name", "prague"}, {"group_size", 2}}}) {
    CAPTURE(algorithm.dump());
    const RunResult gossip = run_of(algorithm, scenario);
    for (const std::uint64_t step : {1U, 5U, 12U}) {
      CHECK(loss_after(gossip, 5 * step) == Approx(loss_after(together, step)).epsilon(1e-3));
    }
  }
}

TEST_CASE("without others all of them are a plain SGD loop") {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "only"}, {"speed", "1Gf"}}};
  const Json more = {{"momentum", 0.5}};
  Json local = {{"name", "local"}, {"local_steps", 1}, {"momentum", 0.5}};
  const RunResult alone = run_of(local, scenario);
  for (const char* name : {"d_psgd", "sgp", "prague"}) {
    Json algorithm = {{"name", name}};
    algorithm.update(more);
    CAPTURE(name);
    CHECK(losses(run_of(algorithm, scenario)) == losses(alone));
  }
}

TEST_CASE("prague in one group of all is local SGD with one step, to rounding") {
  const Json scenario = noisy_quadratic(4);
  const RunResult group = run_of({{"name", "prague"}, {"group_size", 9}}, scenario);
  const RunResult local = run_of({{"name", "local"}, {"local_steps", 1}}, scenario);
  for (std::uint64_t step = 1; step <= 15; ++step) {
    CHECK(loss_after(group, 4 * step) == Approx(loss_after(local, step)).epsilon(1e-4));
  }
  CHECK(group.curve.back().consensus.value() < 1e-6);
}

TEST_CASE("api_bcd's token is the mean of what it has seen") {
  // Two workers, one token, one step at a visit: worker 0 begins. With z = e0, x <- x - eta (x + tau (x - z)).
  Json scenario = one_dimension(2);
  scenario["stop"] = {{"updates", 6}};
  const double tau = 0.4;
  const RunResult result =
      run_of({{"name", "api_bcd"}, {"tokens", 1}, {"local_steps", 1}, {"penalty", tau}}, scenario);
  double x[2] = {-1, -1};
  double z = -1;
  for (std::size_t visit = 1; visit <= 6; ++visit) {
    double& own = x[(visit - 1) % 2];
    const double before = own;
    own -= eta * (own + tau * (own - z));
    z += (own - before) / 2;
    CAPTURE(visit);
    check_error(result.curve[visit], (x[0] + x[1]) / 2);
  }
}

TEST_CASE("api_bcd's two tokens go by the steps of a visit, or by all since they last came") {
  // Two equal workers, each with a token, take their steps at the same time and exchange tokens. Both are
  // always alike, and so are the tokens; what a worker knows of the one it has not is a visit old.
  Json scenario = one_dimension(2);
  scenario["stop"] = {{"updates", 200}};
  const double tau = 0.4;
  const Json two = {{"name", "api_bcd"}, {"tokens", 2}, {"local_steps", 1}, {"penalty", tau}};
  for (const bool seen : {false, true}) {
    CAPTURE(seen);
    Json algorithm = two;
    algorithm["token_step"] = seen ? "seen" : "visit";
    const RunResult result = run_of(algorithm, scenario);
    std::vector<double> x = {-1, -1};  // after each round; two of the beginning
    double here = -1;                  // as the token that is here came
    double gone = -1;                  // as the other went on from here
    for (std::size_t round = 1; round <= 100; ++round) {
      const double old = x.back();
      const double own = old - eta * (old + tau * (old - here) + tau * (old - gone));
      gone = here + (own - (seen ? x[x.size() - 2] : old)) / 2;
      here = gone;  // the other's, which is alike
      x.push_back(own);
      CAPTURE(round);
      check_error(result.curve.at(round), own);  // both updates at the same time
    }
    // In the end e + tau (e - e0) = 0, or e = 0.
    CHECK(x.back() == Approx(seen ? 0 : -tau / (1 + tau)).margin(1e-4));
  }
}

TEST_CASE(
    "api_bcd's tokens are unbiased if they go by what they have seen, as they do by default") {
  // f_i = (x - a_i)^2/2 with mean 1 of the a_i, from x = 0. By visits the run ends where mean(grad f_i) +
  // (M - 1) tau (mean(x_i) - x_0) = 0: at an error of -(M - 1) tau / (1 + (M - 1) tau), whatever the graph and
  // the speeds.
  const double tau = 0.2;
  Json scenario = free_messages(one_dimension(6));
  scenario["model"].update({{"samples", 600}, {"optima", 2}, {"optima_distance", 0.5}});
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"count", 3}, {"speed", "3Gf"}},
                                    {{"name", "slow"}, {"count", 3}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 3000}};
  scenario["evaluate"] = {{"every", 3000}};
  for (const char* graph : {"ring", "grid", "complete"}) {
    for (const std::size_t tokens : {1, 3}) {
      CAPTURE(graph, tokens);
      Json algorithm = {
          {"name", "api_bcd"}, {"tokens", tokens}, {"graph", graph}, {"penalty", tau}};
      const double by_default = *run_of(algorithm, scenario).final_test_loss;
      algorithm["token_step"] = "visit";
      const double by_visit = *run_of(algorithm, scenario).final_test_loss;
      const double pull = static_cast<double>(tokens - 1) * tau;
      const double error = pull / (1 + pull);
      CHECK(by_default == Approx(0).margin(1e-3));
      CHECK(by_visit == Approx(error * error / 2).margin(1e-3));
    }
  }
}

TEST_CASE("api_bcd learns with several tokens on several graphs") {
  for (const char* graph : {"ring", "grid", "complete"}) {
    Json scenario = noisy_quadratic(6);
    scenario["stop"] = {{"updates", 400}};
    scenario["evaluate"] = {{"every", 50}};
    const RunResult result =
        run_of({{"name", "api_bcd"}, {"tokens", 3}, {"graph", graph}}, scenario);
    CHECK(*result.final_test_loss < 0.2 * *result.curve[0].test_loss);
  }
}

TEST_CASE("sgp's model stays what it is however small its weight gets") {
  // Where failures are waited out, one of two workers gives away half of its weight in every step of a second
  // while the other is gone: down to 2^-190 and less, far below what a float can be.
  Json scenario = one_dimension(2);
  scenario["cluster"]["failures"] = {
      {"detect_after", "100ms"},
      {"on_failure", "wait"},
      {"list", {{{"worker", "w-1"}, {"at", "10500ms"}, {"for", "200s"}}}}};
  scenario["stop"] = {{"time", "400s"}};
  const RunResult result = run_of({{"name", "sgp"}}, scenario);
  CHECK(*result.final_test_loss < 1e-9);
}

// ---- What travels, and how far models are apart ----

TEST_CASE("what the algorithms without a server send, to the byte") {
  // Six equal workers in step, ten steps each; models of 8 MB.
  Json scenario = noisy_quadratic(6);
  scenario["stop"] = {{"updates", 60}};
  const auto bytes = [&](const Json& algorithm) { return run_of(algorithm, scenario).bytes; };
  CHECK(bytes({{"name", "d_psgd"}}) == 10 * 6 * 2 * 8e6);
  CHECK(bytes({{"name", "d_psgd"}, {"graph", "grid"}}) ==
        10 * 2 * 7 * 8e6);  // 0 1 2, 3 4 5: 7 edges
  CHECK(bytes({{"name", "sgp"}}) == 10 * 6 * 8e6);
  CHECK(bytes({{"name", "prague"}, {"group_size", 2}}) == 10 * 6 * 8e6);
  const RunResult walk = run_of({{"name", "api_bcd"}, {"tokens", 1}, {"local_steps", 1}}, scenario);
  CHECK(walk.bytes <= static_cast<double>(walk.updates) * 8e6);
  CHECK(walk.bytes >= static_cast<double>(walk.updates - 1) * 8e6);
}

TEST_CASE("the consensus distance is that of the workers' models from their mean") {
  // Two workers with optima d apart from the common one, one step each without a message in between: they
  // are at -1 + eta (1 -+ d).
  Json scenario = one_dimension(2);
  scenario["model"].update({{"optima", 2}, {"optima_distance", 0.5}, {"samples", 8}});
  scenario["stop"] = {{"updates", 2}};
  const RunResult result = run_of({{"name", "d_psgd"}}, scenario);
  CHECK(result.curve.back().consensus.value() == Approx(eta * 0.5).epsilon(1e-5));
  check_error(result.curve.back(), -1 + eta);
  // Where there is one global model there is none.
  CHECK(!run_of({{"name", "sync"}}, scenario).curve.back().consensus);
  CHECK(!run_of({{"name", "wp_sgd"}}, scenario).curve.back().consensus);
}

TEST_CASE("a denser graph keeps models closer together") {
  Json scenario = noisy_quadratic(12);
  scenario["model"].update({{"noise", 0}, {"samples", 240}, {"optima", 12}});
  const auto apart = [&](const char* graph) {
    return run_of({{"name", "d_psgd"}, {"graph", graph}}, scenario).curve.back().consensus.value();
  };
  CHECK(apart("ring") > 1.5 * apart("exponential"));
  CHECK(apart("exponential") > apart("complete"));
}

TEST_CASE("d_psgd goes to the optimum of all data, whoever is how fast") {
  Json scenario = free_messages(one_dimension(4));
  scenario["model"].update({{"samples", 64}, {"optima", 2}, {"optima_distance", 0.5}});
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"count", 2}, {"speed", "4Gf"}},
                                    {{"name", "slow"}, {"count", 2}, {"speed", "1Gf"}}};
  scenario["defaults"]["step_size"] = 0.05;
  scenario["stop"] = {{"updates", 1200}};
  scenario["evaluate"] = {{"every", 100}};
  for (const char* name : {"d_psgd", "sgp", "prague"}) {
    CAPTURE(name);
    CHECK(*run_of({{"name", name}}, scenario).final_test_loss < 1e-5);
  }
  // ad_psgd's fast ones count more often.
  CHECK(*run_of({{"name", "ad_psgd"}}, scenario).final_test_loss > 1e-3);
}

// ---- Nobody waits for ever ----

TEST_CASE("gossip never deadlocks, on a thousand random graphs and speeds") {
  std::mt19937 random(17);
  const std::vector<std::string> names = {"d_psgd", "ad_psgd", "sgp", "prague", "api_bcd"};
  for (std::size_t trial = 0; trial < 1000; ++trial) {
    Json scenario = timing_scenario();
    scenario["model"] = {{"kind", "none"}};
    const std::size_t workers = 2 + random() % 8;
    for (std::size_t i = 0; i < workers; ++i) {
      const double speed = std::uniform_real_distribution<double>(1, 50)(random);
      scenario["cluster"]["workers"].push_back(
          {{"name", "w" + std::to_string(i) + "x"}, {"speed", std::to_string(speed) + "Gf"}});
    }
    scenario["stop"] = {{"updates", 60}};
    scenario["evaluate"] = {{"every", 60}};
    Json algorithm = {{"name", names[trial % names.size()]}};
    if (algorithm["name"] == "prague") {
      algorithm["group_size"] = 1 + random() % workers;
    } else if (algorithm["name"] != "sgp") {
      Json edges = Json::array();  // a random tree, and some edges more
      for (std::size_t i = 1; i < workers; ++i) edges.push_back({i, random() % i});
      for (std::size_t more = random() % workers; more > 0; --more) {
        const std::size_t from = 1 + random() % (workers - 1);
        edges.push_back({from, random() % from});
      }
      algorithm["graph"] = edges;
    }
    const RunResult result = simulate(with_algorithm(scenario, algorithm));
    if (result.reason.empty() && result.updates >= 60) continue;
    CAPTURE(trial, algorithm.dump(), scenario.dump(), result.reason);
    CHECK(result.updates >= 60);
    CHECK(result.reason.empty());
  }
}

}  // namespace
}  // namespace motley
