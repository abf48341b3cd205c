#include <cmath>

#include "sim/results/statistics/bands.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

std::vector<CurvePoint> curve_of(const std::vector<std::pair<double, double>>& accuracies) {
  std::vector<CurvePoint> curve;
  for (const auto& [time, accuracy] : accuracies) {
    CurvePoint point;
    point.time_s = time;
    point.updates = static_cast<std::uint64_t>(10 * time);
    point.epochs = time / 10;
    point.test_accuracy = accuracy;
    curve.push_back(point);
  }
  return curve;
}

double time_of(const CurvePoint& point) {
  return point.time_s;
}

TEST_CASE("a band is the t interval at common places and ends with the first replica") {
  const auto a = curve_of({{0, 0}, {1, 0.1}, {2, 0.1}});
  const auto b = curve_of({{0, 0}, {1, 0.3}});
  const std::vector<BandPoint> band = band_of({&a, &b}, time_of);
  REQUIRE(band.size() == 2);
  CHECK(band[1].x == 1);
  REQUIRE(band[1].accuracy);
  CHECK(band[1].accuracy->value == Approx(0.2));
  // Two values 0.2 apart: the mean's standard error is 0.1; t with one degree of freedom 12.7062.
  // On the scale of log(p / (1 - p)) that is 1.27062 / (0.2 x 0.8) on either side.
  REQUIRE(band[1].accuracy->interval);
  const double factor = std::exp(1.27062047 / 0.16);
  CHECK(band[1].accuracy->interval->high == Approx(1 / (1 + 4 / factor)).epsilon(1e-6));
  CHECK(band[1].accuracy->interval->low == Approx(1 / (1 + 4 * factor)).epsilon(1e-6));
  CHECK_FALSE(band[1].loss);
}

TEST_CASE("replicas evaluated at other places are flat between their evaluations") {
  const auto a = curve_of({{0, 0.1}, {1, 0.5}, {9.9, 0.9}});
  const auto b = curve_of({{0, 0.3}, {4.95, 0.7}, {12, 0.9}});
  const std::vector<BandPoint> band = band_of({&a, &b}, time_of);
  REQUIRE(band.size() == 100);  // from 0 to 9.9
  CHECK(band[1].x == Approx(0.1));
  CHECK(band[9].accuracy->value == Approx(0.2));   // 0.9 s
  CHECK(band[11].accuracy->value == Approx(0.4));  // 1.1 s
  CHECK(band[51].accuracy->value == Approx(0.6));  // 5.1 s
  CHECK(band[99].accuracy->value == Approx(0.8));
}

TEST_CASE("the last of the even places is the end itself, where the last evaluation counts") {
  int rounded_below = 0;
  for (int i = 1; i <= 1000; ++i) {
    const double start = 0.001 * i;
    const double end = 7.296 + 0.013 * i;
    rounded_below += start + (end - start) * 99 / 99 < end;
    const auto a = curve_of({{start, 0}, {end, 0.9}});
    const auto b = curve_of({{start, 0}, {1.5, 0.1}, {end, 0.7}});
    const std::vector<BandPoint> band = band_of({&a, &b}, time_of);
    REQUIRE(band.back().x == end);
    REQUIRE(band.back().accuracy->value == Approx(0.8));
  }
  CHECK(rounded_below > 0);  // such places there are
}

TEST_CASE("bands.csv has one replica as it is, none that failed, and is against three things") {
  RunResult run;
  run.algorithm = "a";
  run.point = {8};
  run.curve = curve_of({{0, 0.25}, {2, 0.5}});
  RunResult failed = run;
  failed.status = RunStatus::failed;
  const std::vector<RunResult> results = {run, failed};
  CHECK(bands_csv({"/x"}, compare(results, "a")) ==
        "algorithm,/x,against,oracle,x,n,test_accuracy_mean,test_accuracy_low,test_accuracy_high,"
        "test_loss_mean,test_loss_low,test_loss_high\n"
        "a,8,time_s,0,0,1,0.25,,,,,\na,8,time_s,0,2,1,0.5,,,,,\n"
        "a,8,epochs,0,0,1,0.25,,,,,\na,8,epochs,0,0.2,1,0.5,,,,,\n"
        "a,8,updates,0,0,1,0.25,,,,,\na,8,updates,0,20,1,0.5,,,,,\n");
}

TEST_CASE("merges that happened are a band of their own, and none is missed beside the oracle") {
  // The oracle is asked every second; the models are merged at 1.5 s and at 3.5 s.
  RunResult run;
  run.algorithm = "a";
  run.curve = curve_of({{0, 0.1}, {1, 0.4}, {1.5, 0.5}, {2, 0.55}, {3, 0.6}, {3.5, 0.7}});
  for (const std::size_t oracle : {1, 3, 4}) run.curve[oracle].kind = EvaluatedModel::oracle;
  const std::vector<RunResult> results = {run};
  const std::string text = bands_csv({}, compare(results, "a"));
  CAPTURE(text);
  CHECK(text.find("\na,time_s,0,0,1,0.1,,,,,\na,time_s,0,1.5,1,0.5,,,,,\n"
                  "a,time_s,0,3.5,1,0.7,,,,,\na,epochs,0,0,") != std::string::npos);
  CHECK(text.find("\na,time_s,1,1,1,0.4,,,,,\na,time_s,1,2,1,0.55,,,,,\n"
                  "a,time_s,1,3,1,0.6,,,,,\na,epochs,1,0.1,") != std::string::npos);
}

}  // namespace
}  // namespace motley
