// The federated algorithms: where they coincide, what they send, and where they go when data differ.
#include <cmath>
#include <numeric>

#include "algorithms/support/clients.hpp"
#include "sim/base/json.hpp"
#include "tests/one_dimension.hpp"
#include "tests/program.hpp"

namespace motley {
namespace {

Json with(Json algorithm, const Json& more) {
  algorithm.update(more);
  return algorithm;
}

Json equal_workers(std::size_t count = 4) {
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", count}, {"speed", "1Gf"}}};
  return scenario;
}

// ---- Where they coincide ----

TEST_CASE("fedavg of everybody with one step is sync, to rounding") {
  check_near(run_of({{"name", "fedavg"}, {"local_steps", 1}}), run_of({{"name", "sync"}}));
}

TEST_CASE(
    "fedavg with a proximal term of nothing or next to nothing is fedavg, and with a large one "
    "not") {
  const Json plain = {{"name", "fedavg"}, {"local_steps", 4}};
  CHECK(same_run(run_of(plain), run_of(with(plain, {{"proximal", 0}}))));
  check_near(run_of(plain), run_of(with(plain, {{"proximal", 1e-9}})));
  CHECK(losses(run_of(plain)) != losses(run_of(with(plain, {{"proximal", 1}}))));
}

TEST_CASE("fedavg is local SGD by the server, to rounding") {
  Json scenario = learning_scenario();
  scenario["stop"] = {{"updates", 10}};
  const RunResult a = run_of({{"name", "fedavg"}, {"local_steps", 4}}, scenario);
  const RunResult b =
      run_of({{"name", "local"}, {"local_steps", 4}, {"average", "server"}}, scenario);
  for (std::size_t i = 0; i < a.curve.size(); ++i) {
    CHECK(*a.curve[i].test_loss == Approx(*b.curve[i].test_loss).epsilon(1e-5));
  }
}

TEST_CASE("fednova with equal steps is fedavg, to rounding") {
  for (const double momentum : {0.0, 0.6}) {
    const Json more = {
        {"local_steps", 5}, {"momentum", momentum}, {"participation", {{"count", 3}}}};
    check_near(run_of(with({{"name", "fednova"}}, more)), run_of(with({{"name", "fedavg"}}, more)));
  }
}

TEST_CASE("scaffold's first round is fedavg's, bit for bit") {
  Json scenario = learning_scenario();
  scenario["stop"] = {{"updates", 1}};
  const Json more = {{"local_steps", 5}, {"participation", {{"count", 3}}}};
  CHECK(losses(run_of(with({{"name", "scaffold"}}, more), scenario)) ==
        losses(run_of(with({{"name", "fedavg"}}, more), scenario)));
}

TEST_CASE("fedasync with one worker that counts in full is a plain SGD loop") {
  const Json scenario = equal_workers(1);
  const RunResult mixed =
      run_of({{"name", "fedasync"}, {"alpha", 1}, {"local_steps", 3}}, scenario);
  const RunResult local = run_of({{"name", "local"}, {"local_steps", 3}}, scenario);
  CHECK(losses(mixed) == losses(local));
}

TEST_CASE("fedlalr with one worker is AMSGrad") {
  const Json scenario = equal_workers(1);
  const Json rule = {{"kind", "amsgrad"}, {"beta1", 0.9}, {"beta2", 0.995}, {"epsilon", 1e-8}};
  CHECK(losses(run_of({{"name", "fedlalr"}, {"local_steps", 3}, {"step_size", 0.01}}, scenario)) ==
        losses(run_of({{"name", "local"}, {"local_steps", 3}, {"step_size", 0.01}, {"rule", rule}},
                      scenario)));
}

TEST_CASE("bvr_l_sgd with one step is sync with large batches, to rounding") {
  Json scenario = learning_scenario();
  scenario["stop"] = {{"updates", 10}};
  const RunResult a = run_of(
      {{"name", "bvr_l_sgd"}, {"local_steps", 1}, {"batch_size", 2}, {"large_batch", 4}}, scenario);
  const RunResult b = run_of({{"name", "sync"}, {"batch_size", 8}}, scenario);
  REQUIRE(a.curve.size() == b.curve.size());
  for (std::size_t i = 0; i < a.curve.size(); ++i) {
    CHECK(*a.curve[i].test_loss == Approx(*b.curve[i].test_loss).epsilon(1e-5));
  }
}

// ---- Formulas ----

TEST_CASE("fedavg's proximal term pulls towards the model that was sent") {
  Json scenario = one_dimension(2);
  scenario["stop"] = {{"updates", 5}};
  const double mu = 0.5;
  const RunResult result =
      run_of({{"name", "fedavg"}, {"local_steps", 3}, {"proximal", mu}}, scenario);
  double e = -1;
  for (std::size_t round = 1; round <= 5; ++round) {
    double y = e;
    for (int step = 0; step < 3; ++step) y -= eta * (y + mu * (y - e));
    e = y;
    check_error(result.curve[round], e);
  }
}

TEST_CASE("fedavg's server rules step as their formulas say") {
  Json scenario = one_dimension(2);
  scenario["stop"] = {{"updates", 8}};
  const double eta_g = 0.5;
  const double b = 0.8;
  const double b2 = 0.9;
  const double tau = 0.01;
  for (const std::string rule : {"sgd", "momentum", "adam", "yogi"}) {
    CAPTURE(rule);
    Json fedavg = {
        {"name", "fedavg"}, {"local_steps", 2}, {"server_rule", rule}, {"server_step_size", eta_g}};
    if (rule != "sgd") fedavg["server_momentum"] = b;
    if (rule == "adam" || rule == "yogi") {
      fedavg.update({{"server_beta2", b2}, {"server_epsilon", tau}});
    }
    const RunResult result = run_of(fedavg, scenario);
    double e = -1;
    double m = 0;
    double v = tau * tau;
    for (std::size_t round = 1; round <= 8; ++round) {
      const double d = (1 - eta) * (1 - eta) * e - e;
      if (rule == "sgd") {
        e += eta_g * d;
      } else if (rule == "momentum") {
        m = b * m + d;
        e += eta_g * m;
      } else {
        m = b * m + (1 - b) * d;
        if (rule == "adam")
          v = b2 * v + (1 - b2) * d * d;
        else
          v -= (1 - b2) * d * d * (v > d * d ? 1 : -1);
        e += eta_g * m / (std::sqrt(v) + tau);
      }
      CAPTURE(round);
      check_error(result.curve[round], e);
    }
  }
}

TEST_CASE("fednova counts every worker alike, however many steps it takes, with momentum, too") {
  // Two workers, at 3 and 1 Gf/s, with 6 and 2 steps.
  Json scenario = one_dimension(2);
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"speed", "3Gf"}},
                                    {{"name", "slow"}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 4}};
  for (const double rho : {0.0, 0.5}) {
    const RunResult result = run_of(
        {{"name", "fednova"}, {"local_steps", 6}, {"local_work", "speed"}, {"momentum", rho}},
        scenario);
    double e = -1;
    for (std::size_t round = 1; round <= 4; ++round) {
      double normal = 0;  // sum of p_i (x - y_i) / a_i
      double tau_eff = 0;
      for (const int steps : {6, 2}) {
        double y = e;
        double v = 0;
        double c = 0;
        double a = 0;
        for (int step = 0; step < steps; ++step) {
          v = rho * v + y;
          y -= eta * v;
          c = rho * c + 1;
          a += c;
        }
        normal += 0.5 * (e - y) / a;
        tau_eff += 0.5 * a;
      }
      e -= tau_eff * normal;
      CAPTURE(rho, round);
      check_error(result.curve[round], e);
    }
  }
}

TEST_CASE("models are weighted by their workers' data") {
  std::vector<Push> pushes(3);
  pushes[0].data_samples = 10;
  pushes[1].data_samples = 30;
  pushes[2].data_samples = 20;
  CHECK(weights_by_data(pushes) == std::vector<float>{0.5F, 1.5F, 1.0F});
  for (Push& push : pushes) push.data_samples = 7;
  CHECK(weights_by_data(pushes) == std::vector<float>{1.0F, 1.0F, 1.0F});
  // And a run tells the server how much each has.
  Json scenario = learning_scenario();
  scenario["data"]["partition"] = {{"kind", "dirichlet"}, {"alpha", 0.3}};
  Json equal = scenario;
  equal["data"]["partition"] = {{"kind", "shards"}};
  const Json fedavg = {{"name", "fedavg"}, {"local_epochs", 1}};
  const RunResult uneven = run_of(fedavg, scenario);
  REQUIRE(uneven.decisions.size() == 4);
  for (const Decision& decision : uneven.decisions) {
    REQUIRE(decision.quantity == "local_steps");
    const auto data = static_cast<double>(uneven.workers[decision.rank].data_samples);
    CHECK(decision.value == std::max(1.0, std::round(data / 8)));
  }
  const RunResult even = run_of(fedavg, equal);
  REQUIRE(even.decisions.size() == 4);
  for (const Decision& decision : even.decisions) {
    CHECK(decision.value == std::round(150.0 / 8));
  }
}

TEST_CASE("fedavg's update is the mean of the models, each as often as its worker has samples") {
  // Six rows of class a and two of class b, at two workers. The only feature is the same in all and so
  // nothing when standardised: what is learnt is l, the difference of the two classes' biases, from 0.
  const tests::TemporaryFolder folder;
  std::string rows = "user,x,kind\n";
  for (int i = 0; i < 6; ++i) rows += "1,5,a\n";
  for (int i = 0; i < 2; ++i) rows += "2,5,b\n";
  folder.write("train.csv", rows);
  folder.write("test.csv", "user,x,kind\n3,5,a\n");
  Json scenario = equal_workers(2);
  scenario["data"] = {{"kind", "csv"},
                      {"path", folder.file("train.csv")},
                      {"test_path", folder.file("test.csv")},
                      {"label", "kind"},
                      {"partition", {{"kind", "by_column"}, {"column", "user"}}}};
  scenario["model"] = {{"kind", "softmax"}};
  scenario["defaults"] = {{"batch_size", 2}, {"step_size", eta}};
  scenario["stop"] = {{"updates", 3}};
  const RunResult result = run_of({{"name", "fedavg"}, {"local_steps", 2}}, scenario);
  double l = 0;
  for (std::size_t round = 0; round <= 3; ++round) {
    CAPTURE(round);
    CHECK(result.curve.at(round).test_loss.value() ==
          Approx(std::log(1 + std::exp(-l))).epsilon(1e-5));
    double of_a = l;
    double of_b = l;
    for (int step = 0; step < 2; ++step) {
      of_a += eta * 2 / (1 + std::exp(of_a));
      of_b -= eta * 2 / (1 + std::exp(-of_b));
    }
    l = (6 * of_a + 2 * of_b) / 8;
  }
}

TEST_CASE("fedasync mixes by age as it is told") {
  // Two equal workers begin at e0 and take two steps: the first model is fresh, the second one update old.
  Json scenario = one_dimension(2);
  scenario["stop"] = {{"updates", 2}};
  const double e0 = -1;
  const double y = (1 - eta) * (1 - eta) * e0;
  const auto check = [&](const Json& more, double scale) {
    const RunResult result =
        run_of(with({{"name", "fedasync"}, {"local_steps", 2}, {"alpha", 0.5}}, more), scenario);
    const double e1 = 0.5 * e0 + 0.5 * y;
    const double a = 0.5 * scale;
    check_error(result.curve[1], e1);
    check_error(result.curve[2], (1 - a) * e1 + a * y);
  };
  check({{"staleness_scaling", "constant"}}, 1);
  check(Json::object(), 1 / std::sqrt(2.0));
  check({{"staleness_exponent", 2}}, 0.25);
  check({{"staleness_scaling", "hinge"}}, 1);  // up to 4 updates
  check({{"staleness_scaling", "hinge"}, {"hinge_after", 0.5}, {"hinge_slope", 3}}, 1 / 2.5);
}

TEST_CASE("bvr_l_sgd's steps are corrected on the way") {
  // Without noise v stays the gradient at y: plain steps of one worker.
  Json scenario = one_dimension(3);
  scenario["stop"] = {{"updates", 3}};
  const RunResult result = run_of({{"name", "bvr_l_sgd"}, {"local_steps", 4}}, scenario);
  for (std::size_t round = 1; round <= 3; ++round) {
    check_error(result.curve[round], -std::pow(1 - eta, 4.0 * static_cast<double>(round)));
  }
  // In a round three large batches of 8, and two gradients on each of three batches.
  CHECK(result.gradients == 3 * (3 * 8 + 3 * 2));
}

TEST_CASE("bvr_l_sgd takes both gradients of a step on the same samples") {
  // f is quadratic: with the same noise in both, v is the gradient without it but for v_0's. With a large
  // batch of all samples that has none either, and one worker's steps go the exact way.
  Json scenario = one_dimension(1);
  scenario["model"]["noise"] = 0.5;
  scenario["model"]["samples"] = 16;
  scenario["stop"] = {{"updates", 1}};
  const RunResult result =
      run_of({{"name", "bvr_l_sgd"}, {"local_steps", 4}, {"large_batch", 16}}, scenario);
  check_error(result.curve[1], -std::pow(1 - eta, 4.0));
}

// ---- What travels, and who works ----

TEST_CASE("what the federated algorithms send, to the byte") {
  // Two of four workers a round, ten rounds, models of 1 MB.
  Json scenario = equal_workers();
  scenario["stop"] = {{"updates", 10}};
  const Json two = {{"participation", {{"count", 2}}}, {"local_steps", 2}};
  const double models = 10 * 2 * 2 * 1e6;
  CHECK(run_of(with({{"name", "fedavg"}}, two), scenario).bytes == models);
  CHECK(run_of(with({{"name", "fednova"}}, two), scenario).bytes == models);
  CHECK(run_of(with({{"name", "scaffold"}}, two), scenario).bytes == 2 * models);
  CHECK(run_of(with({{"name", "fedlalr"}, {"step_size", 0.01}}, two), scenario).bytes ==
        3 * models);
  // Every worker gets the model and sends a gradient; one gets model and gradient and sends a model.
  CHECK(run_of({{"name", "bvr_l_sgd"}, {"local_steps", 2}}, scenario).bytes ==
        10 * (2 * 4 + 3) * 1e6);
  // All models that came have been sent before; at the end others are under way.
  const RunResult mixed =
      run_of({{"name", "fedasync"}, {"local_steps", 2}, {"concurrency", {{"count", 1}}}}, scenario);
  CHECK(mixed.bytes == 10 * 2 * 1e6);
}

TEST_CASE("workers that are not drawn cost nothing") {
  Json scenario = equal_workers(6);
  scenario["stop"] = {{"updates", 1}};
  for (const char* name : {"fedavg", "fednova", "fedlalr"}) {
    CAPTURE(name);
    const RunResult result =
        run_of({{"name", name}, {"local_steps", 3}, {"participation", {{"share", 0.5}}}}, scenario);
    CHECK(result.gradients == 3 * 3);
    std::size_t idle = 0;
    for (const WorkerResult& worker : result.workers) {
      if (worker.gradients > 0) continue;
      CHECK(worker.compute_s == 0);
      CHECK(worker.transfer_s == 0);
      ++idle;
    }
    CHECK(idle == 3);
  }
}

TEST_CASE("a deadline drops those that are late, or takes what they have") {
  // A step takes 1/4 s and 1 s. Messages take no time; four steps, and a deadline at 2.5 s.
  Json scenario = free_messages(one_dimension(2));
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"speed", "4Gf"}},
                                    {{"name", "slow"}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 3}};
  const Json fedavg = {{"name", "fedavg"}, {"local_steps", 4}};
  const RunResult all = run_of(fedavg, scenario);
  CHECK(all.virtual_s == Approx(3 * 4).epsilon(1e-6));

  const RunResult drop = run_of(with(fedavg, {{"deadline", "2500ms"}}), scenario);
  CHECK(drop.virtual_s == Approx(3 * 2.5).epsilon(1e-6));
  CHECK(drop.workers[0].gradients == 3 * 4);
  CHECK(drop.workers[1].gradients == 0);
  CHECK(drop.workers[1].discarded_s == Approx(3 * 2.5).epsilon(1e-6));
  check_error(drop.curve[3], -std::pow(1 - eta, 12.0));

  const RunResult partial =
      run_of(with(fedavg, {{"deadline", "2500ms"}, {"late", "partial"}}), scenario);
  CHECK(partial.virtual_s == Approx(3 * 2.5).epsilon(1e-6));
  CHECK(partial.workers[1].gradients == 3 * 2);
  double e = -1;
  for (int round = 0; round < 3; ++round) {
    e = (std::pow(1 - eta, 4.0) * e + std::pow(1 - eta, 2.0) * e) / 2;
  }
  check_error(partial.curve[3], e);

  const RunResult later = run_of(with(fedavg, {{"deadline", "5s"}}), scenario);
  CHECK(later.virtual_s == Approx(all.virtual_s).epsilon(1e-9));
  CHECK(losses(later) == losses(all));
}

TEST_CASE("local steps in proportion to speed end together") {
  Json scenario = free_messages(one_dimension(2));
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"speed", "4Gf"}},
                                    {{"name", "slow"}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 3}};
  for (const char* name : {"fedavg", "fednova", "scaffold"}) {
    const RunResult result =
        run_of({{"name", name}, {"local_steps", 8}, {"local_work", "speed"}}, scenario);
    CHECK(result.workers[0].gradients == 3 * 8);
    CHECK(result.workers[1].gradients == 3 * 2);
    CHECK(result.virtual_s == Approx(3 * 2).epsilon(1e-6));
  }
  CHECK_THROWS_WITH(
      experiment_of(with_algorithm(
          scenario, {{"name", "fedavg"}, {"local_epochs", 1}, {"local_work", "speed"}})),
      Catch::Contains("/local_epochs: counts each worker's own data"));
}

TEST_CASE("the federated algorithms take the same path on several servers, or say they cannot") {
  Json one = learning_scenario();
  one["stop"] = {{"updates", 6}};
  for (const char* name : {"fedavg", "fednova", "fedlalr", "bvr_l_sgd"}) {
    CAPTURE(name);
    Json algorithm = {{"name", name}, {"local_steps", 3}};
    if (std::string(name) != "bvr_l_sgd") algorithm["participation"] = {{"count", 2}};
    CHECK(losses(run_of(algorithm, one)) == losses(run_of(algorithm, on_servers(one, 2))));
  }
  for (const Json& algorithm :
       {Json{{"name", "fedasync"}}, Json{{"name", "fedavg"}, {"deadline", "1s"}}}) {
    CHECK_THROWS_WITH(experiment_of(with_algorithm(on_servers(one, 2), algorithm)),
                      Catch::Contains("needs a single server"));
  }
}

TEST_CASE("rules that an algorithm's formulas do not know are refused") {
  const Json scenario = learning_scenario();
  const auto refused = [&](const Json& algorithm, const char* why) {
    CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, algorithm)), Catch::Contains(why));
  };
  refused({{"name", "fednova"}, {"weight_decay", 0.1}}, "remove rule and weight_decay");
  refused({{"name", "fedlalr"}, {"momentum", 0.1}}, "remove momentum and rule");
  refused({{"name", "bvr_l_sgd"}, {"momentum", 0.1}}, "remove momentum and rule");
  refused({{"name", "fedavg"}, {"proximal", 1}, {"rule", {{"kind", "adamw"}}}},
          "/proximal: is not for adamw");
  refused({{"name", "fedasync"}, {"proximal", 1}, {"rule", {{"kind", "adamw"}}}},
          "/proximal: is not for adamw");
  refused({{"name", "api_bcd"}, {"rule", {{"kind", "adamw"}}}}, "/penalty: is not for adamw");
}

TEST_CASE("options that nothing would read are refused, unless they are as they would be anyhow") {
  const Json scenario = learning_scenario();
  const auto refused = [&](const Json& algorithm, const std::string& why) {
    CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, algorithm)), Catch::Contains(why));
  };
  const auto accepted = [&](const Json& algorithm) {
    CHECK_NOTHROW(experiment_of(with_algorithm(scenario, algorithm)));
  };
  const Json fedavg = {{"name", "fedavg"}};
  refused(with(fedavg, {{"late", "partial"}}), "/late: is only for a round with a deadline");
  accepted(with(fedavg, {{"late", "partial"}, {"deadline", "1s"}}));
  accepted(with(fedavg, {{"late", "drop"}}));

  refused(with(fedavg, {{"server_momentum", 0.5}}),
          "/server_momentum: is only for server_rule = momentum, adam or yogi: remove it");
  for (const char* rule : {"sgd", "momentum"}) {
    refused(with(fedavg, {{"server_rule", rule}, {"server_beta2", 0.5}}),
            "/server_beta2: is only for server_rule = adam or yogi: remove it");
    refused(with(fedavg, {{"server_rule", rule}, {"server_epsilon", 0.5}}),
            "/server_epsilon: is only for server_rule = adam or yogi: remove it");
  }
  accepted(with(fedavg, {{"server_rule", "momentum"}, {"server_momentum", 0.5}}));
  accepted(with(fedavg, {{"server_momentum", 0.9}, {"server_beta2", 0.99}}));

  for (const char* name : {"fedavg", "fednova", "fedlalr", "scaffold", "fedasync"}) {
    CAPTURE(name);
    refused({{"name", name}, {"local_epochs", 1}, {"local_steps", 9}},
            "/local_steps: has no effect, since local_epochs is given: remove one of them");
    accepted({{"name", name}, {"local_epochs", 1}, {"local_steps", 8}});
  }

  const Json fedasync = {{"name", "fedasync"}};
  for (const char* key : {"hinge_slope", "hinge_after"}) {
    refused(with(fedasync, {{key, 3}}),
            "/" + std::string(key) + ": is only for staleness_scaling = hinge: remove it");
    accepted(with(fedasync, {{key, 3}, {"staleness_scaling", "hinge"}}));
  }
  for (const char* scaling : {"constant", "hinge"}) {
    refused(with(fedasync, {{"staleness_exponent", 1}, {"staleness_scaling", scaling}}),
            "/staleness_exponent: is only for staleness_scaling = polynomial: remove it");
  }
}

// ---- Bias, and its cure ----

/// Two fast and two slow workers, in one dimension, whose optima are d below and above the common one; steps
/// in proportion to speed, 8 and 2.
constexpr double distance = 0.5;

Json different_optima(double step_size, double noise, std::uint64_t seed) {
  Json scenario = free_messages(one_dimension(4));
  scenario["seed"] = seed;
  scenario["model"].update(
      {{"noise", noise}, {"samples", 64}, {"optima", 2}, {"optima_distance", distance}});
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"count", 2}, {"speed", "4Gf"}},
                                    {{"name", "slow"}, {"count", 2}, {"speed", "1Gf"}}};
  scenario["defaults"]["step_size"] = step_size;
  scenario["stop"] = {{"updates", static_cast<int>(12 / step_size)}};
  scenario["evaluate"] = {{"every", 1}};
  return scenario;
}

/// The mean loss over the second half of the run.
double late_loss(const char* name, double step_size, double noise, std::uint64_t seed) {
  const RunResult result = run_of({{"name", name}, {"local_steps", 8}, {"local_work", "speed"}},
                                  different_optima(step_size, noise, seed));
  const std::vector<double> all = losses(result);
  const auto half = static_cast<std::ptrdiff_t>(all.size() / 2);
  return std::accumulate(all.begin() + half, all.end(), 0.0) /
         static_cast<double>(all.size() - static_cast<std::size_t>(half));
}

/// Where w_fast q_8 (-d - e) + w_slow q_2 (d - e) = 0, with q_H = 1 - (1 - eta)^H what H steps go of the
/// way to a worker's optimum.
double fixed_error(double step_size, double weight_of_fast, double weight_of_slow) {
  const double fast = weight_of_fast * (1 - std::pow(1 - step_size, 8));
  const double slow = weight_of_slow * (1 - std::pow(1 - step_size, 2));
  return distance * (slow - fast) / (slow + fast);
}

TEST_CASE(
    "without noise fedavg stays biased, fednova's loss goes as eta^2, scaffold's to nothing") {
  double nova_before = 0;
  for (const double step_size : {0.08, 0.04, 0.02}) {
    CAPTURE(step_size);
    const double biased = fixed_error(step_size, 1, 1);
    CHECK(late_loss("fedavg", step_size, 0, 1) == Approx(biased * biased / 2).epsilon(0.02));
    // As steps get smaller the error goes to (2 - 8) / (2 + 8) of the distance.
    CHECK(std::abs(biased) > 0.5 * distance);
    const double normalized = fixed_error(step_size, 1.0 / 8, 1.0 / 2);
    const double nova = late_loss("fednova", step_size, 0, 1);
    CHECK(nova == Approx(normalized * normalized / 2).epsilon(0.02));
    if (nova_before > 0) {
      CHECK(nova_before / nova > 3.2);
      CHECK(nova_before / nova < 4.8);
    }
    nova_before = nova;
    CHECK(late_loss("scaffold", step_size, 0, 1) < 1e-8);
  }
}

TEST_CASE("with noise, over seeds: fedavg keeps its bias, fednova and scaffold lose theirs") {
  double avg = 0;
  double nova = 0;
  double scaffold = 0;
  const int seeds = 5;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    avg += late_loss("fedavg", 0.02, 0.1, seed) / seeds;
    nova += late_loss("fednova", 0.02, 0.1, seed) / seeds;
    scaffold += late_loss("scaffold", 0.02, 0.1, seed) / seeds;
  }
  const double bias = fixed_error(0.02, 1, 1);
  CHECK(avg == Approx(bias * bias / 2).epsilon(0.1));
  CHECK(nova < avg / 50);
  // What is left is noise: at most what plain SGD with these steps would have, eta s^2 / 4.
  CHECK(scaffold < 0.02 * 0.01 / 4);
}

}  // namespace
}  // namespace motley
