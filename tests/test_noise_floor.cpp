#include <cmath>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/simulated.hpp"

/// Where plain SGD on a quadratic settles, against the variance that theory gives.
///
/// One worker, batch 1, every eigenvalue a: the error of each coordinate goes e <- rho e - eta n
/// with rho = 1 - eta a and n = +-s, so e = -eta (n_0 + rho n_1 + rho^2 n_2 + ...), n_0 the newest.
/// Over the set of samples n has the mean 0 and the variance s^2, where d s^2 = noise^2 in d
/// dimensions, and the expected loss is d a/2 E[e^2].
namespace motley {
namespace {

constexpr int samples = 100;  // few, so that the order matters
constexpr int updates = 20000;
constexpr int begun = 500;  // by then rho^begun = 1e-23 is left of the initial error
constexpr double a = 1;
constexpr double eta = 0.1;
constexpr double noise = 0.5;
constexpr double rho = 1 - eta * a;

/// Independent draws: E[e^2] = eta^2 s^2 (1 + rho^2 + rho^4 + ...) = eta s^2 / (a (2 - eta a)).
double floor_of_independent_draws() {
  const double e2_over_s2 = eta / (a * (2 - eta * a));
  return a / 2 * noise * noise * e2_over_s2;
}

/// Shuffled passes: two different draws n, n' of one pass have E[n n'] = -s^2 / (samples - 1), as
/// all of a pass add up to 0; passes are independent of each other. After m draws of a pass
///   E[e^2] = eta^2 s^2 (sum_j rho^2j - sum over pairs j != k of one pass of rho^(j+k) /
///   (samples-1)),
/// the pairs of the present pass being (A_m)^2 less its squares, A_m = 1 + rho + ... + rho^(m-1),
/// and those of the p-th before it rho^2(m + p samples) (A_samples)^2 less its squares. The mean
/// over m.
double floor_of_shuffled_passes() {
  const auto series = [](int m) { return (1 - std::pow(rho, m)) / (1 - rho); };
  const double squares = 1 / (1 - rho * rho);
  const double whole = std::pow(series(samples), 2) / (1 - std::pow(rho, 2 * samples));
  double sum = 0;
  for (int m = 1; m <= samples; ++m) {
    const double all_pairs = std::pow(series(m), 2) + std::pow(rho, 2 * m) * whole;
    sum += squares - (all_pairs - squares) / (samples - 1);
  }
  return a / 2 * noise * noise * eta * eta * sum / samples;
}

/// The mean test loss, which is that of the quadratic without noise, after the beginning.
double measured_floor(const char* order) {
  Json scenario = timing_scenario();
  scenario["model"] = {{"kind", "quadratic"}, {"dimension", 50},    {"smoothness", a},
                       {"noise", noise},      {"samples", samples}, {"strong_convexity", a},
                       {"order", order}};
  scenario["cluster"]["workers"] = {{{"name", "only"}, {"speed", "1Tf"}}};
  scenario["defaults"] = {{"batch_size", 1}, {"step_size", eta}};
  scenario["stop"] = {{"updates", updates}};
  const RunResult run = simulate(scenario);
  REQUIRE(run.curve.size() == updates + 1);
  double sum = 0;
  for (std::size_t i = begun; i < run.curve.size(); ++i) sum += run.curve[i].test_loss.value();
  return sum / static_cast<double>(run.curve.size() - begun);
}

// Coordinates squared are correlated over (1 + rho^2)/(1 - rho^2) = 9.5 updates, and 50 pairs of
// samples make the 50 coordinates worth about 25 independent ones: 20000/9.5 x 25 = 52,000 values
// of relative standard deviation sqrt(2), so 0.6 % for their mean. Four of these:
constexpr double tolerance = 0.025;

TEST_CASE("independent draws give the noise floor of theory") {
  const double theory = floor_of_independent_draws();
  CHECK(std::abs(measured_floor("independent") - theory) < tolerance * theory);
}

TEST_CASE("shuffled passes cancel noise: their floor lies below theory's by what they cancel") {
  const double shuffled = floor_of_shuffled_passes();
  const double measured = measured_floor("shuffled");
  CHECK(std::abs(measured - shuffled) < tolerance * shuffled);
  CHECK(measured < (1 - 4 * tolerance) * floor_of_independent_draws());
}

}  // namespace
}  // namespace motley
