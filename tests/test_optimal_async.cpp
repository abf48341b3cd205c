// Rennala, Malenia, Ringleader and MindFlayer: where they coincide with others, counts against loops of the
// test's own, and what becomes of workers whose data differ.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "algorithms/support/vain_rounds.hpp"
#include "sim/base/json.hpp"
#include "sim/learning/models/quadratic.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace motley {
namespace {

/// Workers of these speeds, in Gf; a gradient of one sample takes 1 / speed seconds, a message none.
Json on_workers(const std::vector<double>& speeds, Json scenario = timing_scenario()) {
  scenario = free_messages(scenario);
  scenario["cluster"]["workers"] = Json::array();
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    scenario["cluster"]["workers"].push_back(
        {{"name", "w" + std::to_string(i) + "x"}, {"speed", std::to_string(speeds[i]) + "Gf"}});
  }
  return scenario;
}

std::vector<double> taus_of(const std::vector<double>& speeds) {
  std::vector<double> taus;
  for (const double speed : speeds) taus.push_back(1 / std::stod(std::to_string(speed)));
  return taus;
}

std::vector<double> drawn_speeds(std::mt19937& random, std::size_t count) {
  std::vector<double> speeds;
  for (std::size_t i = 0; i < count; ++i) {
    speeds.push_back(std::uniform_real_distribution<double>(1, 20)(random));
  }
  return speeds;
}

/// In one dimension f_i = (x - a_i)^2/2 for optima a_i that go from 1 - distance to 1 + distance.
Json with_optima(Json scenario, std::size_t optima, double distance, double noise = 0) {
  scenario["model"] = {{"kind", "quadratic"}, {"dimension", 1},
                       {"smoothness", 1},     {"noise", noise},
                       {"samples", 96000},    {"order", "independent"},
                       {"optima", optima},    {"optima_distance", distance}};
  return scenario;
}

double optimum(std::size_t worker, std::size_t workers, double distance) {
  return 1 + distance * (2.0 * static_cast<double>(worker) / static_cast<double>(workers - 1) - 1);
}

void check_losses(const RunResult& result, const std::vector<double>& x) {
  REQUIRE(result.curve.size() == x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    CAPTURE(k);
    CHECK(*result.curve[k].test_loss ==
          Approx((x[k] - 1) * (x[k] - 1) / 2).epsilon(1e-4).margin(1e-7));
  }
}

// ---- Coincidences ----

TEST_CASE("with equal workers, free messages and a gradient of each, all are sync") {
  Json scenario = free_messages(learning_scenario());
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 4}, {"speed", "1Gf"}}};
  const Json extra = {{"momentum", 0.5},
                      {"weight_decay", 0.01},
                      {"schedule", {{"kind", "milestones"}, {"at_epochs", {1}}, {"factor", 0.1}}}};
  Json sync = {{"name", "sync"}};
  sync.update(extra);
  const RunResult expected = run_of(sync, scenario);
  for (Json algorithm : {Json{{"name", "rennala"}}, Json{{"name", "malenia"}},
                         Json{{"name", "mindflayer"}, {"patience", "inf"}}}) {
    algorithm.update(extra);
    CAPTURE(algorithm.dump());
    const RunResult result = run_of(algorithm, scenario);
    CHECK(losses(result) == losses(expected));
    CHECK(result.virtual_s == Approx(expected.virtual_s).epsilon(1e-9));
    CHECK(result.gradients == expected.gradients);
    CHECK(result.bytes == expected.bytes);
  }
}

TEST_CASE("several servers are refused by name") {
  Json scenario = learning_scenario();
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = {{{"speed", "1Tf"}, {"count", 2}}};
  for (const char* name : {"rennala", "malenia", "ringleader", "mindflayer"}) {
    CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, {{"name", name}})),
                      Catch::Contains(std::string(name) + " needs a single server"));
  }
}

// ---- Rennala ----

TEST_CASE("a round of rennala ends with the gradient that was missing, and not before") {
  std::mt19937 random(3);
  for (std::size_t trial = 0; trial < 10; ++trial) {
    const std::vector<double> speeds = drawn_speeds(random, 5);
    const std::size_t batch = 1 + 3 * trial;
    Json scenario = on_workers(speeds);
    scenario["stop"] = {{"updates", 6}};
    const RunResult result = run_of({{"name", "rennala"}, {"batch", batch}}, scenario);
    const double round_s = time_of_gradients(taus_of(speeds), batch);
    REQUIRE(result.curve.size() == 7);
    for (std::size_t k = 1; k <= 6; ++k) {
      CAPTURE(trial, k);
      CHECK(result.curve[k].time_s == Approx(static_cast<double>(k) * round_s).epsilon(1e-9));
    }
    CHECK(result.max_staleness == 0);
    // Everybody's gradients of a round, the last of which may be its own end.
    CHECK(result.gradients == 6 * batch);
  }
}

TEST_CASE("rennala that ignores late work lets it end in vain") {
  // Two workers of 1 s and 0.45 s, two gradients a round; who closes one has begun its next gradient when the new
  // model comes. The fast one closes the first round at 0.9 s. In vain end the slow one's gradient at 1 s and
  // the fast one's at 1.35 s; at the new model end the fast one's at 1.8 s and the slow one's at 2 s, where the
  // second round ends. In vain end the fast one's at 2.25 s and the slow one's at 3 s; the fast one's at 2.7 s
  // and 3.15 s close the third.
  Json scenario = on_workers({1, 1 / 0.45});
  scenario["stop"] = {{"updates", 3}};
  const RunResult result =
      run_of({{"name", "rennala"}, {"batch", 2}, {"late", "ignore"}}, scenario);
  CHECK(result.curve[1].time_s == Approx(0.9).epsilon(1e-5));
  CHECK(result.curve[2].time_s == Approx(2.0).epsilon(1e-5));
  CHECK(result.curve[3].time_s == Approx(3.15).epsilon(1e-5));
  CHECK(result.workers[0].gradients == 3);
  CHECK(result.workers[0].discarded_s == Approx(2));
  CHECK(result.workers[1].gradients == 7);
  CHECK(result.workers[1].discarded_s == Approx(0.9).epsilon(1e-5));
}

TEST_CASE("a worker has one push on its way and computes on behind it") {
  // A gradient takes 1 s, a push 3 s over its own link of 1 MB/s, a model as long. Begun at 3 s, ended at 4,
  // 5, ...; pushes arrive at 7 s and, sent when the first has arrived, at 10 s: two make an update at 10 s.
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "only"}, {"speed", "1Gf"}}};
  scenario["cluster"]["link"] = {{"bandwidth", "1MBps"}, {"latency", "0s"}};
  scenario["cost"]["model_size"] = "3MB";
  scenario["stop"] = {{"updates", 1}};
  const RunResult result = run_of({{"name", "rennala"}, {"batch", 2}}, scenario);
  CHECK(result.virtual_s == Approx(10).epsilon(1e-6));
}

// ---- Malenia ----

TEST_CASE("malenia weighs workers alike, rennala by how many gradients they made") {
  // Optima 0 and 2, from x = 0: gradients 0 and -2. The second worker is three times as fast: when the first
  // is done there are one and three. eta = 1/4.
  Json scenario = with_optima(on_workers({1, 3}), 2, 1);
  scenario["stop"] = {{"updates", 1}};
  scenario["defaults"]["step_size"] = 0.25;
  check_losses(run_of({{"name", "malenia"}}, scenario), {0, 0.25 * (0 + 2) / 2});
  check_losses(run_of({{"name", "rennala"}, {"batch", 4}}, scenario), {0, 0.25 * (0 + 3 * 2) / 4});
}

TEST_CASE("malenia's round goes on until the harmonic mean of counts exceeds S/n") {
  // Equal workers, n = 2, S = 4: the mean, b, must exceed 2: three gradients of a second each.
  Json scenario = on_workers({1, 1});
  scenario["stop"] = {{"updates", 4}};
  CHECK(run_of({{"name", "malenia"}, {"S", 4}}, scenario).virtual_s == Approx(12).epsilon(1e-9));
  // 1 s and 0.25 s, S = 3: b = (1, 4) gives 2/(1 + 1/4) = 1.6 > 1.5, but b = (1, 3), at 0.75 s, is none yet.
  scenario = on_workers({1, 4});
  scenario["stop"] = {{"updates", 4}};
  CHECK(run_of({{"name", "malenia"}, {"S", 3}}, scenario).virtual_s == Approx(4).epsilon(1e-9));
  // S = 3.2 asks for more than that, and gets it with the fast one's fifth: 2/(1 + 1/5) = 1.67.
  CHECK(run_of({{"name", "malenia"}, {"S", 3.2}}, scenario).virtual_s ==
        Approx(4 * 1.25).epsilon(1e-9));
}

// ---- Ringleader ----

/// Ringleader as a loop over the ends of gradients where messages take no time, in one dimension.
struct Led {
  std::vector<double> time_s = {0};
  std::vector<double> x = {0};
  std::size_t most_delay = 0;
};

Led lead(const std::vector<double>& taus, const std::vector<double>& optima, double eta,
         std::size_t updates) {
  const std::size_t n = taus.size();
  Led led;
  std::vector<double> end = taus;  // of everybody's gradient under way
  std::vector<double> at(n, 0);    // the model it is computed at
  std::vector<std::size_t> version(n, 0);
  struct Entry {
    double sum = 0;
    double count = 0;
    std::size_t version = 0;
  };
  std::vector<Entry> table(n);
  std::vector<Entry> next(n);
  std::vector<bool> served(n, false);
  bool collects = true;  // phase 1
  double x = 0;
  while (led.x.size() <= updates) {
    const auto i = static_cast<std::size_t>(std::ranges::min_element(end) - end.begin());
    const double now = end[i];
    end[i] = now + taus[i];
    Entry& entry = (!collects && served[i] ? next : table)[i];
    entry.sum += at[i] - optima[i];
    entry.count += 1;
    entry.version = version[i];
    if (collects && std::ranges::any_of(table, [](const Entry& e) { return e.count == 0; })) {
      continue;
    }
    if (!collects && served[i]) continue;
    collects = false;
    double mean = 0;
    for (const Entry& e : table) {
      mean += e.sum / e.count / static_cast<double>(n);
      led.most_delay = std::max(led.most_delay, led.x.size() - 1 - e.version);
    }
    x -= eta * mean;
    led.x.push_back(x);
    led.time_s.push_back(now);
    at[i] = x;
    version[i] = led.x.size() - 1;
    served[i] = true;
    if (std::ranges::count(served, false) > 0) continue;
    table = next;
    next.assign(n, {});
    served.assign(n, false);
    collects = true;
  }
  return led;
}

TEST_CASE("ringleader goes as an independent loop does: models, times and delays") {
  std::mt19937 random(5);
  for (std::size_t trial = 0; trial < 8; ++trial) {
    const std::size_t n = 2 + trial;
    const std::size_t updates = 6 * n;
    const std::vector<double> speeds = drawn_speeds(random, n);
    const std::vector<double> taus = taus_of(speeds);
    std::vector<double> optima;
    for (std::size_t i = 0; i < n; ++i) optima.push_back(optimum(i, n, 3));
    Json scenario = with_optima(on_workers(speeds), n, 3);
    scenario["model"]["samples"] = 2 * n * 1000;
    scenario["stop"] = {{"updates", updates}};
    const RunResult result = run_of({{"name", "ringleader"}, {"step_size", 0.05}}, scenario);
    const Led led = lead(taus, optima, 0.05, updates);
    CAPTURE(trial);
    check_losses(result, led.x);
    for (std::size_t k = 0; k < led.x.size(); ++k) {
      CHECK(result.curve[k].time_s == Approx(led.time_s[k]).epsilon(1e-9));
    }
    CHECK(result.max_staleness == led.most_delay);
    CHECK(result.max_staleness <= 2 * n - 2);
    const double slowest = *std::ranges::max_element(taus);
    for (std::size_t k = 0; k + n < led.x.size(); ++k) {  // any n updates
      CHECK(result.curve[k + n].time_s - result.curve[k].time_s <= 2 * slowest * (1 + 1e-9));
    }
    // Nothing is discarded and nobody is idle.
    for (const WorkerResult& worker : result.workers) {
      CHECK(worker.discarded_s == Approx(0).margin(1e-9));
      CHECK(worker.wait_s == Approx(0).margin(1e-6));
    }
  }
}

// ---- MindFlayer ----

TEST_CASE("mindflayer gives up what takes longer than its patience") {
  // With hardly any noise a gradient takes its time: with half the patience nothing is ever done, and
  // with a chance of one half that is said, one finished gradient of each counts twice.
  Json scenario = on_workers({1, 1});
  scenario["cluster"]["noise"] = {{"law", "lognormal"}, {"sigma", 1e-6}};
  scenario["stop"] = {{"time", "10200ms"}};
  const RunResult none = simulate(
      with_algorithm(scenario, {{"name", "mindflayer"}, {"patience", 0.5}, {"trials", 2}}));
  CHECK(none.updates == 0);
  CHECK(none.gradients == 0);
  for (const WorkerResult& worker : none.workers) CHECK(worker.discarded_s == Approx(10));

  scenario = with_optima(on_workers({1, 1}), 1, 0);
  scenario["stop"] = {{"updates", 1}};
  scenario["defaults"]["step_size"] = 0.25;
  check_losses(run_of({{"name", "mindflayer"}, {"chance", 0.5}}, scenario), {0, 2 * 0.25});
}

TEST_CASE(
    "mindflayer's worker that returns within a round adds its trials to those it made before") {
  // f = (x - 1)^2/2 without noise: every gradient at x = 0 is -1. The second worker has made two of its three
  // trials when it goes at 2.5 s and makes three more when it is back: 3 + 5 gradients of 3 + 5 trials, a step
  // of eta. Were its first two trials forgotten, it would be 8/6 eta.
  Json scenario = with_optima(on_workers({1, 1}), 1, 0);
  scenario["cluster"]["failures"] = {
      {"detect_after", "50ms"},
      {"on_failure", "drop"},
      {"list", {{{"worker", "w1x-0"}, {"at", "2500ms"}, {"for", "100ms"}}}}};
  scenario["stop"] = {{"updates", 1}};
  scenario["defaults"]["step_size"] = 0.25;
  for (const Json& chance : {Json("measured"), Json(1)}) {
    const RunResult result = run_of(
        {{"name", "mindflayer"}, {"patience", "inf"}, {"trials", 3}, {"chance", chance}}, scenario);
    CHECK(result.gradients == 8);
    check_losses(result, {0, 0.25});
  }
}

TEST_CASE("what nobody can ever meet is refused, and otherwise ends the run at last") {
  Json scenario = on_workers({1, 0.5});  // gradients of 1 s and 2 s
  const auto refused = [&](const Json& algorithm, const char* why) {
    CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, algorithm)), Catch::Contains(why));
  };
  const auto accepted = [&](const Json& algorithm) {
    CHECK_NOTHROW(experiment_of(with_algorithm(scenario, algorithm)));
  };
  const Json impatient = {{"name", "mindflayer"}, {"patience", 0.99}};
  const Json late = {{"name", "fedavg"}, {"local_steps", 3}, {"deadline", "3s"}};
  refused(impatient, "/patience: must be at least 1, or nothing is ever finished");
  refused(late, "/deadline: must be above 3 s, or no worker ever meets it");
  accepted({{"name", "mindflayer"}, {"patience", 1}});
  accepted({{"name", "fedavg"}, {"local_steps", 3}, {"deadline", "3001ms"}});
  accepted({{"name", "fedavg"}, {"local_steps", 3}, {"deadline", "3s"}, {"late", "partial"}});
  // A worker takes no fewer than the steps of a pass over all data.
  refused({{"name", "fedavg"}, {"local_epochs", 1}, {"deadline", "3s"}},
          "/deadline: must be above");
  // Noise or changes may make a worker faster than it is said to be.
  scenario["cluster"]["noise"] = {{"law", "lognormal"}, {"sigma", 0.1}};
  accepted(impatient);
  accepted(late);

  VainRounds rounds("nobody came");
  for (std::size_t i = 1; i < VainRounds::most; ++i) rounds.count(0);
  rounds.count(1);
  for (std::size_t i = 1; i < VainRounds::most; ++i) rounds.count(0);
  CHECK_THROWS_WITH(rounds.count(0), "nobody came in 1000 rounds in a row");
}

TEST_CASE("a round that would be thousands of passes over the data is refused") {
  Json scenario = on_workers({1, 1});
  scenario["model"]["samples"] = 100;
  const auto refused = [&](const Json& algorithm, const char* why) {
    CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, algorithm)), Catch::Contains(why));
  };
  refused({{"name", "rennala"}, {"batch", 100001}}, "/batch: makes a round of about 100001");
  CHECK_NOTHROW(experiment_of(with_algorithm(scenario, {{"name", "rennala"}, {"batch", 100000}})));
  // Equal workers: all have made S/n when the harmonic mean is S/n.
  refused({{"name", "malenia"}, {"S", 1e18}}, "/S: makes a round of about");
  CHECK_NOTHROW(experiment_of(with_algorithm(scenario, {{"name", "malenia"}, {"S", 99999}})));
}

TEST_CASE("a round of mindflayer takes no longer than its trials may") {
  Json scenario = on_workers({1, 2, 4});
  scenario["cluster"]["noise"] = {{"law", "lognormal"}, {"sigma", 1.5}};
  scenario["stop"] = {{"updates", 40}};
  for (const std::size_t trials : {1, 3}) {
    const RunResult result =
        run_of({{"name", "mindflayer"}, {"patience", 1.5}, {"trials", trials}}, scenario);
    double given_up_s = 0;
    for (std::size_t k = 1; k < result.curve.size(); ++k) {
      // At most the slowest's trials of 1.5 s each; rounds without a gradient are made again.
      CHECK(result.curve[k].time_s - result.curve[k - 1].time_s <=
            4 * 1.5 * static_cast<double>(trials) + 1e-9);
    }
    for (const WorkerResult& worker : result.workers) given_up_s += worker.discarded_s;
    CHECK(given_up_s > 0);
  }
}

// ---- Different data ----

TEST_CASE("where data differ rennala and ringmaster are biased") {
  // Optima from -1 to 3 on workers four times as fast as the slowest and less: whoever counts by gradients is
  // drawn to the fast ones' optima.
  Json scenario = with_optima(on_workers({1, 2, 3, 4}), 4, 2, 0.5);
  scenario["stop"] = {{"time", "400s"}};
  scenario["evaluate"] = {{"every", 50}};
  const auto final_losses = [&](const Json& algorithm) {
    std::vector<double> found;
    for (const int seed : {1, 2, 3, 4, 5}) {
      scenario["seed"] = seed;
      found.push_back(*run_of(algorithm, scenario).final_test_loss);
    }
    return found;
  };
  // By counts the weights are 0.1 to 0.4 and the mean of the optima 1 + 2 * (-0.1 - 0.2/3 + 0.1 + 0.4) = 1.667:
  // f is 2/9 there.
  const double biased = (2.0 / 3) * (2.0 / 3) / 2;
  for (const Json& algorithm :
       {Json{{"name", "rennala"}, {"batch", 10}, {"step_size", 0.1}},
        Json{{"name", "ringmaster"}, {"delay_bound", 10}, {"step_size", 0.01}}}) {
    for (const double loss : final_losses(algorithm)) {
      CAPTURE(algorithm.dump());
      CHECK(loss > biased / 3);
      CHECK(loss < biased * 3);
    }
  }
}

TEST_CASE(
    "where data differ the error of malenia and ringleader falls with the step size to the noise") {
  // A mean of n = 4 workers' gradients has at most the variance v = 0.5^2/4, and x moves by s of it a second:
  // s = eta with malenia, n eta with ringleader, which uses each table n times. The mean of (x - 1)^2/2 is then
  // about s v/4, without a part that stays.
  Json scenario = with_optima(on_workers({1, 2, 3, 4}), 4, 2, 0.5);
  scenario["stop"] = {{"time", "800s"}};
  scenario["evaluate"] = {{"every", 10}};
  const auto mean_loss = [&](const Json& algorithm) {  // of the second half, over seeds
    double sum = 0;
    double count = 0;
    for (const int seed : {1, 2, 3, 4, 5}) {
      scenario["seed"] = seed;
      for (const CurvePoint& point : run_of(algorithm, scenario).curve) {
        if (point.time_s < 400) continue;
        sum += *point.test_loss;
        count += 1;
      }
    }
    return sum / count;
  };
  for (const auto& [name, steps] : {std::pair("malenia", 1.0), std::pair("ringleader", 4.0)}) {
    const auto at = [&, name = name, steps = steps](double s) {
      return mean_loss({{"name", name}, {"step_size", s / steps}});
    };
    const double large = at(0.16);
    const double small = at(0.02);
    CAPTURE(name, large, small);
    const double variance = 0.5 * 0.5 / 4;
    CHECK(large < 2 * 0.16 * variance / 4);
    CHECK(small < 2 * 0.02 * variance / 4);
    CHECK(small < large / 3);  // an eighth but for chance
  }
}

TEST_CASE("the gradient of all samples is the same, however far apart the optima are") {
  QuadraticSpec spec;
  spec.dimension = 3;
  spec.smoothness = 2;
  spec.strong_convexity = 0.5;
  spec.noise = 1;
  spec.samples = 24;
  const Quadratic plain(spec, 1);
  spec.optima = 4;
  spec.optima_distance = 5;
  const Quadratic apart(spec, 1);
  std::vector<Sample> all(24);
  std::iota(all.begin(), all.end(), Sample{0});
  const std::vector<float> x = {0.5F, -2, 3};
  const auto workspace = plain.make_workspace();
  std::vector<float> a(3);
  std::vector<float> b(3);
  plain.gradient(x, all, a, *workspace);
  apart.gradient(x, all, b, *workspace);
  for (std::size_t i = 0; i < 3; ++i) CHECK(b[i] == Approx(a[i]).margin(1e-5));
  // A sample of the first kind has its optimum 5/sqrt(3) below in every coordinate.
  apart.gradient(x, std::vector<Sample>{0, 1}, b, *workspace);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(b[i] == Approx(plain.eigenvalues()[i] * (x[i] - 1 + 5 / std::sqrt(3.0))).epsilon(1e-5));
  }
  CHECK(plain.evaluate(x, 0, 1, *workspace).loss == apart.evaluate(x, 0, 1, *workspace).loss);
}

TEST_CASE("optima that differ must be shared out evenly") {
  Json scenario = with_optima(on_workers({1, 1, 1}), 2, 1);
  CHECK_THROWS_WITH(experiment_of(scenario),
                    Catch::Contains("/model/optima: must divide the number of workers, 3"));
  scenario = with_optima(on_workers({1, 1, 1}), 3, 1);
  scenario["model"]["samples"] = 10;
  CHECK_THROWS_WITH(experiment_of(scenario),
                    Catch::Contains("/model/samples: must be a multiple of twice the number"));
}

}  // namespace
}  // namespace motley
