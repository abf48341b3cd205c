// OD-SGD: what it coincides with, its recurrences in time to 1e-9, and its local steps by hand.
#include <algorithm>
#include <cmath>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"
#include "tests/one_dimension.hpp"
#include "tests/update_times.hpp"

namespace motley {
namespace {

Json od_sgd(Json more = Json::object()) {
  more["name"] = "od_sgd";
  if (!more.contains("warm_up")) more["warm_up"] = 0;
  return more;
}

TEST_CASE("od_sgd with a warm-up longer than the run is sync, bit for bit") {
  for (const char* overlap : {"none", "layers"}) {
    const RunResult sync = run_of({{"name", "sync"}, {"momentum", 0.5}, {"overlap", overlap}});
    Json od = od_sgd({{"warm_up", 1000}, {"momentum", 0.5}, {"overlap", overlap}});
    CHECK(same_run(run_of(od), sync));
    od["warm_up"] = 10;
    CHECK(losses(run_of(od)) != losses(sync));
  }
}

// ---- Times ----

constexpr double message = 2e-3 + 8e6 / 1e8;  // of one alone in timing_scenario()

/// One worker of each of these times of a gradient, and a server whose port is never full.
Json uncontended(const std::vector<double>& comp) {
  Json scenario = timing_scenario();
  scenario["cluster"]["server"]["link"] = {{"bandwidth", "100GBps"}, {"latency", "1ms"}};
  for (std::size_t i = 0; i < comp.size(); ++i) {
    scenario["cluster"]["workers"].push_back({{"name", "w" + std::string(1, char('a' + i))},
                                              {"speed", std::to_string(1 / comp[i]) + "Gf"}});
  }
  return scenario;
}

TEST_CASE("od_sgd sends a gradient when the model before it has come: max(comp, comm) a step") {
  // Of a fast and a slow worker the slow one bounds it; two fast ones are bound by the round trip, which
  // takes longer than a gradient.
  for (const std::vector<double>& comp :
       {std::vector<double>{0.25, 1.0}, std::vector<double>{0.1, 0.125}}) {
    std::vector<double> updates;
    double arrived = 0;                              // P(t-1): W_t is everywhere
    std::vector<double> done(comp.size(), message);  // end of computation t
    for (std::size_t i = 0; i < comp.size(); ++i) done[i] += comp[i];
    for (std::size_t t = 0; t < 20; ++t) {
      double last = 0;
      for (std::size_t i = 0; i < comp.size(); ++i) {
        const double sent = std::max(done[i], arrived);  // S_i(t)
        last = std::max(last, sent);
        done[i] = sent + comp[i];
      }
      updates.push_back(last + message);
      arrived = updates.back() + message;
    }
    check_times(run_of(od_sgd(), uncontended(comp)), updates);
    const double slowest = *std::ranges::max_element(comp);
    CHECK(updates[19] - updates[18] == Approx(std::max(slowest, 2 * message)));
  }
}

TEST_CASE("od_sgd with two rounds in flight takes max(comp, (comp + comm)/2) a step") {
  for (const std::vector<double>& comp :
       {std::vector<double>{0.25, 1.0}, std::vector<double>{0.1, 0.125}}) {
    std::vector<double> updates;
    std::vector<double> arrived(20, 0);              // P(t): W_{t+1} is everywhere
    std::vector<double> done(comp.size(), message);  // c_i(t)
    for (std::size_t t = 0; t < 20; ++t) {
      for (std::size_t i = 0; i < comp.size(); ++i) {
        const double ready = t >= 2 ? std::max(done[i], arrived[t - 2]) : done[i];
        done[i] = ready + comp[i];
      }
      updates.push_back(*std::ranges::max_element(done) + message);
      arrived[t] = updates.back() + message;
    }
    check_times(run_of(od_sgd({{"in_flight", 2}}), uncontended(comp)), updates);
    const double slowest = *std::ranges::max_element(comp);
    CHECK((updates[19] - updates[17]) / 2 ==
          Approx(std::max(slowest, (slowest + 2 * message) / 2)));
  }
}

/// A network of layers 3-4-2 with 9.6 Gf a sample on a worker of 1 Gf/s: F1 2.4 s, F2 1.6 s, B2 3.2 s, B1 2.4 s;
/// 16 and 10 of 26 parameters.
Json two_layers(const char* size, const char* bandwidth, const char* latency) {
  Json scenario = timing_scenario();
  scenario["model"] = {{"kind", "mlp"}, {"hidden", {4}}};
  scenario["data"] = {
      {"kind", "synthetic"}, {"train", 50}, {"test", 10}, {"features", 3}, {"classes", 2}};
  scenario["cost"] = {{"flops_per_sample", "9.6Gf"}, {"model_size", size}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"speed", "1Gf"}}};
  scenario["cluster"]["link"] = {{"bandwidth", "1000TBps"}, {"latency", "0s"}};
  scenario["cluster"]["server"]["link"] = {{"bandwidth", bandwidth}, {"latency", latency}};
  scenario["stop"]["updates"] = 8;
  return scenario;
}

TEST_CASE("layer by layer, each of od_sgd's gradients waits for its own layer's model") {
  // Messages take nothing but 6 s, which they do not share.
  const double one_way = 6;
  const double forward[] = {2.4, 1.6};
  const double backward[] = {2.4, 3.2};
  for (const std::size_t in_flight : {1, 2}) {
    std::vector<double> updates;
    std::vector<double> came[2];  // P_l(t): layer l of W_{t+1} is here
    double now = one_way;
    for (std::size_t t = 0; t < 8; ++t) {
      for (const std::size_t l : {0, 1}) {
        if (t >= 2) now = std::max(now, came[l][t - 2]);
        now += forward[l];
      }
      double last = 0;
      for (const std::size_t l : {1, 0}) {
        now += backward[l];
        const double sent = in_flight == 1 && t > 0 ? std::max(now, came[l][t - 1]) : now;
        came[l].push_back(sent + 2 * one_way);
        last = std::max(last, sent + one_way);
      }
      updates.push_back(last);
    }
    const RunResult result = run_of(od_sgd({{"overlap", "layers"}, {"in_flight", in_flight}}),
                                    two_layers("26B", "1000TBps", "6s"));
    REQUIRE(result.curve.size() == 9);
    for (std::size_t t = 0; t < 8; ++t) {
      CAPTURE(in_flight, t);
      CHECK(result.curve[t + 1].time_s == Approx(updates[t]).epsilon(1e-9));
    }
  }
}

TEST_CASE("layers that travel alone hide more of the communication than whole models") {
  // Whole, 26 MB take 13 s each way, longer than a gradient. Of two layers one is on its way while the other
  // computes.
  const RunResult whole = run_of(od_sgd(), two_layers("26MB", "2MBps", "0s"));
  const RunResult layers =
      run_of(od_sgd({{"overlap", "layers"}}), two_layers("26MB", "2MBps", "0s"));
  CHECK(whole.curve[8].time_s - whole.curve[7].time_s == Approx(26).epsilon(1e-6));
  CHECK(layers.curve[8].time_s < 0.9 * whole.curve[8].time_s);
}

TEST_CASE("od_sgd takes the same path layer by layer, and on several servers") {
  for (const Json& more :
       {Json::object(), Json{{"local_rule", "compensated"}}, Json{{"local_rule", "adaptive"}},
        Json{{"local_momentum", 0.5}, {"momentum", 0.9}}, Json{{"in_flight", 2}}}) {
    CAPTURE(more.dump());
    Json od = od_sgd(more);
    od["warm_up"] = 3;
    const RunResult whole = run_of(od);
    od["overlap"] = "layers";
    CHECK(losses(run_of(od)) == losses(whole));
    CHECK(losses(run_of(od, on_servers(learning_scenario(), 2))) == losses(whole));
    od["overlap"] = "none";
    CHECK(losses(run_of(od, on_servers(learning_scenario(), 2))) == losses(whole));
  }
}

// ---- Values ----

TEST_CASE("od_sgd steps from the newest global model, by eta/W unless it is told otherwise") {
  // Two equal workers; the server has momentum. An epoch is 4 updates of 2 samples.
  Json scenario = free_messages(one_dimension(2));
  scenario["model"]["samples"] = 8;
  const double mu = 0.9;
  struct Case {
    Json given;
    double local_eta;
    double local_mu = 0;
    double factor = 1;  // of eta_loc after the first epoch
  };
  const Json halving = {{"kind", "step"}, {"every_epochs", 1}, {"factor", 0.5}};
  for (const Case& of : {Case{Json::object(), eta / 2}, Case{{{"local_step_size", 0.1}}, 0.1},
                         Case{{{"local_momentum", 0.5}}, eta / 2, 0.5},
                         Case{{{"local_schedule", halving}}, eta / 2, 0, 0.5},
                         Case{{{"local_rule", "compensated"}}, eta / 2},
                         Case{{{"local_rule", "adaptive"}}, eta / 2}}) {
    CAPTURE(of.given.dump());
    const std::string rule = of.given.value("local_rule", "sgd");
    Json od = od_sgd(of.given);
    od["momentum"] = mu;
    const RunResult result = run_of(od, scenario);
    double newest = -1;  // W_{t+1}, on its way
    double global = -1;  // W_t, which is here
    double before = -1;
    double local = -1;
    double v = 0;
    double u = 0;
    for (std::size_t t = 0; t < 8; ++t) {
      const double g = local;
      if (t > 0) {
        before = global;
        global = newest;
      }
      v = mu * v + g;
      newest -= eta * v;
      check_error(result.curve[t + 1], newest);
      double lambda = 0;
      if (rule == "compensated") lambda = 0.04;
      if (rule == "adaptive") lambda = 2 / std::sqrt(g * g + 1e-7);
      u = of.local_mu * u + g + lambda * g * g * (global - before);
      local = global - of.local_eta * (t >= 4 ? of.factor : 1) * u;
    }
  }
}

TEST_CASE("od_sgd's options are refused where they cannot be") {
  const auto refused = [](const Json& more, const char* why) {
    CHECK_THROWS_WITH(experiment_of(with_algorithm(learning_scenario(), od_sgd(more))),
                      Catch::Contains(why));
  };
  refused({{"in_flight", 3}}, "/in_flight: must be a whole number from 1 to 2");
  refused({{"in_flight", 0}}, "/in_flight: must be a whole number from 1 to 2");
  refused({{"local_momentum", 1}}, "/local_momentum: must be a number");
  refused({{"local_step_size", 0}}, "/local_step_size: must be a number above 0");
}

}  // namespace
}  // namespace motley
