// How workers differ: speeds against the laws' closed forms, slow-downs against the laws' means.
#include <cmath>
#include <numeric>

#include "sim/base/json.hpp"
#include "sim/base/random_laws.hpp"
#include "sim/scenario/cluster_plan.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

SpreadSpec spread_of(Json json) {
  SpreadSpec spread;
  SpreadSpec::fields().read(json, {"s.json", "/spread"}, spread);
  return spread;
}

std::vector<double> speeds_of(const Json& json, std::size_t workers, std::uint64_t seed = 1,
                              std::uint32_t class_index = 0) {
  const SpreadSpec spread = spread_of(json);
  check_spread(spread, workers, {"s.json", "/spread"});
  return spread_speeds(spread, workers, seed, class_index);
}

void check_speeds(const Json& json, const std::vector<double>& expected) {
  CAPTURE(json.dump());
  const std::vector<double> speeds = speeds_of(json, expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(speeds[i] == Approx(expected[i]).epsilon(1e-14));
  }
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void check_refused(const Json& json, std::size_t workers, const std::string& message) {
  CAPTURE(json.dump());
  try {
    speeds_of(json, workers);
    FAIL("was accepted");
  } catch (const InputError& e) {
    CHECK(std::string(e.what()) == "s.json: /spread" + message);
  }
}

TEST_CASE("each law gives the speeds of its formula, the fastest worker the speed of its class") {
  check_speeds({{"law", "ratio"}, {"ratio", 8}}, {1, 1, 1. / 8, 1. / 8});
  check_speeds({{"law", "ratio"}, {"ratio", 8}, {"slow_share", 0.25}}, {1, 1, 1, 1. / 8});
  check_speeds({{"law", "ratio"}, {"ratio", 1}}, {1, 1});
  check_speeds({{"law", "linear"}}, {1, 1. / 2, 1. / 3, 1. / 4});
  check_speeds({{"law", "sqrt"}}, {1, 1 / std::sqrt(2.), 1 / std::sqrt(3.), 1. / 2});
  check_speeds({{"law", "straggler"}, {"factor", 5}}, {1, 1, 0.2});
  check_speeds({{"law", "list"}, {"speeds", {2, 4, 1}}}, {0.5, 1, 0.25});
}

TEST_CASE("shares of workers are rounded to the nearest, halves up") {
  // 0.5 * 5 = 2.5 -> 3 slow; 0.3 * 4 = 1.2 -> 1 slow.
  check_speeds({{"law", "ratio"}, {"ratio", 2}}, {1, 1, 0.5, 0.5, 0.5});
  check_speeds({{"law", "ratio"}, {"ratio", 2}, {"slow_share", 0.3}}, {1, 1, 1, 0.5});
  check_speeds({{"law", "ratio"}, {"ratio", 2}, {"slow_share", 0}}, {1, 1, 1});
  check_speeds({{"law", "ratio"}, {"ratio", 2}, {"slow_share", 1}}, {1, 1, 1});
}

TEST_CASE("with keep total, the mean speed is that of the class whatever the spread") {
  // ratio 3, half slow: relative speeds 1 and 1/3, mean 2/3.
  check_speeds({{"law", "ratio"}, {"ratio", 3}, {"keep", "total"}}, {1.5, 0.5});
  // linear: mean of 1, 1/2, 1/3 is 11/18.
  check_speeds({{"law", "linear"}, {"keep", "total"}}, {18. / 11, 9. / 11, 6. / 11});
  for (const Json& law :
       {Json{{"law", "ratio"}, {"ratio", 32}}, Json{{"law", "sqrt"}},
        Json{{"law", "lognormal"}, {"sigma", 1}}, Json{{"law", "pareto"}, {"alpha", 1.5}}}) {
    Json json = law;
    json["keep"] = "total";
    CHECK(mean_of(speeds_of(json, 7)) == Approx(1).epsilon(1e-14));
  }
  // Exactly, where nothing is spread: a sweep's first point is the cluster without a spread.
  for (const double speed : speeds_of({{"law", "ratio"}, {"ratio", 1}, {"keep", "total"}}, 7)) {
    CHECK(speed == 1);
  }
}

TEST_CASE("random speeds come from the seed, the class and the worker alone") {
  const Json law = {{"law", "lognormal"}, {"sigma", 0.7}};
  const std::vector<double> few = speeds_of(law, 4);
  const std::vector<double> more = speeds_of(law, 9);
  // What is kept may rescale all of them; their ratios stay.
  for (std::size_t i = 0; i < few.size(); ++i) {
    CHECK(few[i] / few[0] == Approx(more[i] / more[0]).epsilon(1e-13));
  }
  CHECK(speeds_of(law, 4) == few);
  CHECK(speeds_of(law, 4, 2) != few);
  CHECK(speeds_of(law, 4, 1, 1) != few);
}

TEST_CASE("random speeds follow their law") {
  constexpr std::size_t n = 20000;
  // ln speed = -sigma N + constant: its standard deviation is sigma, and that estimate's own is
  // sigma / sqrt(2n) = 0.0025.
  std::vector<double> logs;
  for (const double speed : speeds_of({{"law", "lognormal"}, {"sigma", 0.5}}, n)) {
    logs.push_back(std::log(speed));
  }
  double squares = 0;
  for (const double x : logs) squares += (x - mean_of(logs)) * (x - mean_of(logs));
  CHECK(std::sqrt(squares / n) == Approx(0.5).margin(0.01));

  // tau = (fastest tau) / speed with fastest tau near 1: P(tau > 4) = 4^-1.5 = 1/8, of deviation
  // sqrt(1/8 * 7/8 / n) = 0.0023.
  double above = 0;
  for (const double speed : speeds_of({{"law", "pareto"}, {"alpha", 1.5}}, n)) {
    if (1 / speed > 4) above += 1;
  }
  CHECK(above / n == Approx(0.125).margin(0.01));
}

TEST_CASE("a spread that does not fit is refused, and so are other laws' parameters") {
  check_refused({{"law", "list"}, {"speeds", {1, 2}}}, 3,
                "/speeds: must have one speed for each of the 3 workers, has 2");
  check_refused({{"law", "straggler"}, {"factor", 2}}, 1,
                "/law: straggler needs more than the one worker of its class");
  check_refused({{"law", "list"}, {"speeds", {1, 0}}}, 2,
                "/speeds/1: must be a number above 0, got 0");
  check_refused({{"law", "ratio"}, {"ratio", 8}, {"slow_share", 0.1}}, 4,
                "/slow_share: makes none of the 4 workers slow: raise it, or say 0, got 0.1");
  check_refused({{"law", "ratio"}, {"ratio", 8}, {"slow_share", 0.9}}, 4,
                "/slow_share: makes all of the 4 workers slow: lower it, or say 1, got 0.9");
  check_refused({{"law", "ratio"}, {"ratio", 0.5}}, 4,
                "/ratio: must be a number of at least 1, got 0.5");
  check_refused({{"law", "linear"}, {"ratio", 8}}, 4,
                "/ratio: has no meaning with \"law\": \"linear\", only with ratio");
  check_refused({{"law", "pareto"}}, 4,
                ": needs \"alpha\": a number above 0 (tail index: P(tau > x) = x^-alpha; small "
                "values give very slow workers)");
  check_refused({{"law", "lognormale"}, {"sigma", 1}}, 4,
                "/law: must be one of ratio, linear, sqrt, straggler, lognormal, pareto or list "
                "(did you mean 'lognormal'?), got \"lognormale\"");
}

TEST_CASE("heterogeneity is measured as defined") {
  // Speeds 4, 4, 1, 1: mean 2.5, deviation 1.5; step times 1/4, 1/4, 1, 1 of harmonic mean 0.4.
  const Heterogeneity uneven = heterogeneity({4, 4, 1, 1});
  CHECK(uneven.speed_ratio == 4);
  CHECK(uneven.speed_cv == Approx(0.6).epsilon(1e-15));
  CHECK(uneven.sync_efficiency == Approx(0.4).epsilon(1e-15));
  const Heterogeneity even = heterogeneity({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
  CHECK(even.speed_ratio == 1);
  CHECK(even.speed_cv == 0);
  CHECK(even.sync_efficiency == 1);
}

NoiseSpec noise_of(Json json) {
  NoiseSpec noise;
  NoiseSpec::fields().read(json, {"s.json", "/noise"}, noise);
  return noise;
}

TEST_CASE(
    "the slow-down of a step depends on seed, worker and step, not on how steps are grouped") {
  const NoiseSpec spec = noise_of({{"law", "lognormal"}, {"sigma", 0.5}});
  StepNoise one_by_one(spec, 3, 2);
  StepNoise in_blocks(spec, 3, 2);
  for (const std::size_t block : {1, 4, 2, 7}) {
    double sum = 0;
    for (std::size_t i = 0; i < block; ++i) sum += one_by_one.take(1);
    CHECK(in_blocks.take(block) == sum);
  }
  const double first = StepNoise(spec, 3, 2).take(1);
  CHECK(StepNoise(spec, 4, 2).take(1) != first);
  CHECK(StepNoise(spec, 3, 1).take(1) != first);
  CHECK(StepNoise(spec, 3, 2).take(1) == first);
}

TEST_CASE("slow-downs have the mean of their law") {
  constexpr std::size_t n = 40000;
  const auto mean_factor = [](const Json& json) {
    return StepNoise(noise_of(json), 5, 0).take(n) / static_cast<double>(n);
  };
  // The margins are some four standard deviations of a mean of n draws.
  CHECK(mean_factor({{"law", "none"}}) == 1);
  CHECK(mean_factor({{"law", "lognormal"}, {"sigma", 0}}) == 1);
  // exp(sigma N - sigma^2/2): mean 1, variance e^0.25 - 1 = 0.284.
  CHECK(mean_factor({{"law", "lognormal"}, {"sigma", 0.5}}) == Approx(1).margin(0.011));
  // |N| has mean sqrt(2/pi) and variance 1 - 2/pi.
  const double half_normal = 1 + 0.5 * std::sqrt(2 / 3.14159265358979);
  CHECK(mean_factor({{"law", "half_normal"}, {"sigma", 0.5}}) ==
        Approx(half_normal).margin(0.0061));
  CHECK(mean_factor({{"law", "exponential"}, {"mean", 0.5}}) == Approx(1.5).margin(0.01));
  // Mean 4/3, variance alpha / ((alpha-1)^2 (alpha-2)) = 2/9.
  CHECK(mean_factor({{"law", "pareto"}, {"alpha", 4}}) == Approx(4. / 3).margin(0.0095));
}

Json noisy_scenario(const Json& noise) {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 3}, {"speed", "1Gf"}}};
  scenario["cluster"]["noise"] = noise;
  scenario["stop"]["updates"] = 8;
  return scenario;
}

/// Where the compute time of every worker is the sum of its gradients' slow-downs.
void check_compute_times(const RunResult& result, const NoiseSpec& spec) {
  REQUIRE(result.status == RunStatus::ok);
  for (std::size_t rank = 0; rank < result.workers.size(); ++rank) {
    const WorkerResult& worker = result.workers[rank];
    CAPTURE(worker.name, worker.gradients);
    // A gradient of one sample takes a second without noise; one more may be under way at the end.
    StepNoise noise(spec, 1, rank);
    const double finished = noise.take(worker.gradients);
    CHECK(worker.compute_s >= finished - 1e-9);
    CHECK(worker.compute_s <= finished + noise.take(1) + 1e-9);
  }
}

TEST_CASE("every algorithm meets the same slow-downs at the same steps of each worker") {
  const Json noise = {{"law", "exponential"}, {"mean", 0.8}};
  Json scenario = noisy_scenario(noise);
  scenario["algorithms"] = {{{"name", "sync"}},
                            {{"name", "async"}},
                            {{"name", "allreduce"}},
                            {{"name", "local"}, {"local_steps", 4}}};
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    check_compute_times(simulate(scenario, i), noise_of(noise));
  }
}

TEST_CASE("the first update of sync waits for the largest of the first slow-downs") {
  const Json noise = {{"law", "pareto"}, {"alpha", 2}};
  Json scenario = noisy_scenario(noise);
  // Links so wide and quick that only computing takes time, to 1e-9.
  scenario["cluster"]["link"] = {{"bandwidth", "1000000TBps"}, {"latency", "0s"}};
  const RunResult result = simulate(scenario);
  double expected = 0;
  for (std::size_t step = 0; step < 3; ++step) {
    double slowest = 0;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      StepNoise factors(noise_of(noise), 1, rank);
      if (step > 0) factors.take(step);
      slowest = std::max(slowest, factors.take(1));
    }
    expected += slowest;
    CHECK(result.curve[step + 1].time_s == Approx(expected).epsilon(1e-9));
  }
}

TEST_CASE("noise of no size and no noise give the same bits") {
  const Json without = to_json(simulate(noisy_scenario({{"law", "none"}})))["curve"];
  Json absent = noisy_scenario({});
  absent["cluster"].erase("noise");
  CHECK(to_json(simulate(absent))["curve"] == without);
  CHECK(to_json(simulate(noisy_scenario({{"law", "lognormal"}, {"sigma", 0}})))["curve"] ==
        without);
  CHECK(to_json(simulate(noisy_scenario({{"law", "lognormal"}, {"sigma", 0.1}})))["curve"] !=
        without);
}

TEST_CASE("a class may have noise of its own, or none, in a noisy cluster") {
  Json scenario = noisy_scenario({{"law", "half_normal"}, {"sigma", 0.5}});
  scenario["cluster"]["workers"] = {
      {{"name", "a"}, {"speed", "1Gf"}},
      {{"name", "b"}, {"speed", "1Gf"}, {"noise", {{"law", "none"}}}},
      {{"name", "c"}, {"speed", "1Gf"}, {"noise", {{"law", "pareto"}, {"alpha", 3}}}}};
  const Experiment experiment = experiment_of(scenario);
  const ClusterPlan& plan = experiment.cluster();
  CHECK(plan.workers[0].noise.law == NoiseSpec::Law::half_normal);
  CHECK(plan.workers[1].noise.law == NoiseSpec::Law::none);
  CHECK(plan.workers[2].noise.law == NoiseSpec::Law::pareto);
}

TEST_CASE("a spread that leaves the numbers is refused") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"},
                                     {"count", 8},
                                     {"speed", "1Gf"},
                                     {"spread", {{"law", "lognormal"}, {"sigma", 1000}}}}};
  try {
    experiment_of(scenario);
    FAIL("it was taken");
  } catch (const InputError& e) {
    CHECK(std::string(e.what()).ends_with(
        "/cluster/workers: the slowest worker is more than 1e12 times slower than the fastest: "
        "check their speeds and spread"));
  }
}

TEST_CASE("noise goes with a platform file too") {
  Json scenario = noisy_scenario({{"law", "half_normal"}, {"sigma", 0.5}});
  scenario["cluster"] = {{"platform", std::string(MOTLEY_SOURCE_DIR) + "/platforms/two_racks.xml"},
                         {"noise", {{"law", "half_normal"}, {"sigma", 0.5}}}};
  const Experiment experiment = experiment_of(scenario);
  for (const HostPlan& worker : experiment.cluster().workers) {
    CHECK(worker.noise.law == NoiseSpec::Law::half_normal);
  }
}

TEST_CASE("a spread cluster runs with the speeds planned, and its runs say how uneven it is") {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {
      {{"name", "w"}, {"count", 4}, {"speed", "1Gf"}, {"spread", {{"law", "linear"}}}}};
  const RunResult result = simulate(scenario);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(result.workers[i].class_name == "w");
    CHECK(result.workers[i].speed_flops == Approx(1e9 / static_cast<double>(i + 1)));
  }
  // A round of sync: four models share the server's link, the slowest gradient takes 4 s, and its
  // way back is free: the others' were a second or more ahead.
  const double models = 2e-3 + 4 * 8e6 / 1e8;
  const double gradient = 2e-3 + 8e6 / 1e8;
  CHECK(result.curve[1].time_s == Approx(models + 4 + gradient).epsilon(1e-9));
  const Heterogeneity uneven = result.cluster_heterogeneity().value();
  CHECK(uneven.speed_ratio == Approx(4));
  // Step times 1, 2, 3, 4: harmonic mean 4 / (25/12) = 1.92, over the maximum 0.48.
  CHECK(uneven.sync_efficiency == Approx(0.48));
  CHECK_FALSE(RunResult().cluster_heterogeneity());
}

TEST_CASE("uniform draws lie strictly between 0 and 1 and have the mean of 1/2") {
  RandomStream random(1, Purpose::worker_speed);
  double sum = 0;
  constexpr int n = 10000;
  for (int i = 0; i < n; ++i) {
    const double u = open_uniform(random);
    REQUIRE(u > 0);
    REQUIRE(u < 1);
    sum += u;
  }
  CHECK(sum / n == Approx(0.5).margin(4 * std::sqrt(1. / 12 / n)));
}

}  // namespace
}  // namespace motley
