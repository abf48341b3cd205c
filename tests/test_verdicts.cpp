// motley verdicts: what comparisons.csv is for times to target, for any other column of runs.csv.
#include <cmath>
#include <iomanip>
#include <sstream>

#include "sim/cli/tables/prediction.hpp"
#include "sim/results/statistics/comparison.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

using Rows = std::vector<std::map<std::string, std::string>>;

Rows verdicts(const TemporaryFolder& folder, const std::string& runs,
              const std::vector<std::string>& more, const std::string& complaint = "") {
  folder.write("runs.csv", runs);
  std::vector<std::string> words = {"verdicts", ".", "--of"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run_motley(words, folder.path());
  CHECK(outcome.err == complaint);
  CHECK(outcome.exit_code == 0);
  return rows_of(outcome.out);
}

/// The row of two algorithms, which must be there once.
std::map<std::string, std::string> of_pair(const Rows& rows, const std::string& algorithm,
                                           const std::string& against,
                                           const std::map<std::string, std::string>& point = {}) {
  Rows found;
  for (std::map<std::string, std::string> row : rows) {
    bool is_it = row["algorithm"] == algorithm && row["against"] == against;
    for (const auto& [axis, value] : point) is_it = is_it && row[axis] == value;
    if (is_it) found.push_back(row);
  }
  REQUIRE(found.size() == 1);
  return found.front();
}

TEST_CASE("a quantity is tested on the logarithms of its ratios, pair by pair") {
  // Logarithms of b/a: 1 and 3, with mean 2 and standard error 1. Of Student's t with one degree of
  // freedom, Cauchy's law, the chance to be beyond 2 on either side is 1 - 2 atan(2) / pi = 0.295.
  const std::string b0 = std::to_string(std::exp(1.0));
  const std::string b1 = std::to_string(std::exp(3.0));
  const TemporaryFolder folder;
  const std::string runs = "algorithm,replica,loss\na,0,1\na,1,1\nb,1," + b1 + "\nb,0," + b0 + "\n";
  const Rows rows = verdicts(folder, runs, {"loss"});
  CHECK(rows.size() == 2);
  auto row = of_pair(rows, "a", "b");
  CHECK(row["pairs"] == "2");
  CHECK(std::stod(row["ratio"]) == Approx(std::exp(2)).epsilon(1e-6));
  CHECK(std::stod(row["p_value"]) == Approx(1 - 2 * std::atan(2) / M_PI).epsilon(1e-5));
  CHECK(std::stod(row["p_holm"]) == std::stod(row["p_value"]));
  CHECK(row["verdict"] == "undecided");
  CHECK(std::stod(of_pair(rows, "b", "a")["ratio"]) == Approx(std::exp(-2)).epsilon(1e-6));
  // Of an accuracy the larger one is the better one.
  auto more = of_pair(verdicts(folder, runs, {"loss", "--more-is-better"}), "b", "a");
  CHECK(std::stod(more["ratio"]) == Approx(std::exp(2)).epsilon(1e-6));
}

TEST_CASE("verdicts and p-values are those that comparisons.csv would have of the same numbers") {
  std::vector<RunResult> results;
  std::string runs = "algorithm,replica,value,/x\n";
  for (const int x : {1, 2}) {
    for (std::uint64_t replica = 0; replica < 4; ++replica) {
      const auto r = static_cast<double>(replica);
      const std::map<std::string, double> values = {{"a", 10 + 0.1 * r},
                                                    {"b", 20 + std::sin(r)},
                                                    {"c", 10.3 + 0.3 * std::cos(5 * r)},
                                                    {"d", 11 + x * r}};
      for (const auto& [algorithm, value] : values) {
        RunResult& run = results.emplace_back();
        run.algorithm = algorithm;
        run.replica = replica;
        run.virtual_s = 100;
        run.time_to_target_s = value;  // without a curve it has no resolution
        run.point = {x};
        std::ostringstream line;
        line << std::setprecision(17) << algorithm << "," << replica << "," << value << "," << x;
        runs += line.str() + "\n";
      }
    }
  }
  const TemporaryFolder folder;
  const Rows rows = verdicts(folder, runs, {"value"});
  CHECK(rows.size() == 2 * 4 * 3);
  std::map<std::string, int> seen;
  for (const ComparisonRow& expected : compare(results, "a")) {
    for (const ComparisonRow::Against& against : expected.against) {
      auto row = of_pair(rows, expected.algorithm, against.algorithm,
                         {{"/x", expected.point.at(0).dump()}});
      CHECK(std::stod(row["ratio"]) == Approx(against.result.ratio->value).epsilon(1e-12));
      CHECK(std::stod(row["ratio_low"]) == Approx(against.result.ratio->interval->low));
      CHECK(std::stod(row["ratio_high"]) == Approx(against.result.ratio->interval->high));
      CHECK(std::stod(row["p_value"]) == Approx(*against.result.p_value).epsilon(1e-9));
      CHECK(std::stod(row["p_holm"]) == Approx(*against.result.p_holm).epsilon(1e-9));
      const std::map<Verdict, std::string> words = {{Verdict::faster, "better"},
                                                    {Verdict::slower, "worse"},
                                                    {Verdict::undecided, "undecided"}};
      CHECK(row["verdict"] == words.at(against.result.verdict));
      ++seen[row["verdict"]];
    }
  }
  CHECK(seen.size() == 3);  // of each there is one
}

TEST_CASE("of pairs that never vary nothing is decided, and they are no part of the correction") {
  const TemporaryFolder folder;
  const Rows rows =
      verdicts(folder,
               "algorithm,replica,epochs\n"
               "a,0,1\na,1,1\na,2,1\nb,0,23\nb,1,23\nb,2,23\nc,0,40\nc,1,41\nc,2,42\n",
               {"epochs"});
  auto constant = of_pair(rows, "a", "b");
  CHECK(std::stod(constant["ratio"]) == Approx(23));
  for (const char* column : {"ratio_low", "ratio_high", "p_value", "p_holm"}) {
    CHECK(constant[column].empty());
  }
  CHECK(constant["verdict"] == "undecided");
  // Two pairs are tested, so that the smaller p-value counts twice, and not three times.
  auto clear = of_pair(rows, "a", "c");
  CHECK(std::stod(clear["p_holm"]) == Approx(2 * std::stod(clear["p_value"])));
  CHECK(clear["verdict"] == "better");
}

TEST_CASE("runs without a value and failed ones are left out, and so are values without a ratio") {
  const TemporaryFolder folder;
  const Rows rows = verdicts(
      folder,
      "algorithm,replica,status,loss\na,0,ok,1\na,1,ok,1\na,2,ok,1\na,3,ok,1\n"
      "b,0,ok,2\nb,1,diverged,\nb,2,failed,9\nb,3,ok,0\n",
      {"loss"},
      "motley: left out of the pairs, of 8 runs: 2 failed or diverged, 0 without a value, 1 "
      "not above 0\n");
  CHECK(of_pair(rows, "a", "b")["pairs"] == "1");
}

TEST_CASE("verdicts says what it lacks") {
  const Workplace place;
  place.write("runs.csv", "algorithm,replica,status,x\na,0,ok,1\na,0,ok,2\n");
  const std::string usage = "usage: motley verdicts RESULTS --of COLUMN [options]";
  check_refused(place.motley({"verdicts", "."}),
                "verdicts: needs a results folder and --of; " + usage);
  check_refused(place.motley({"verdicts", "runs.csv", "--of", "y"}),
                "--of: no column 'y' in runs.csv (did you mean 'x'?)");
  check_refused(place.motley({"verdicts", "runs.csv", "--of", "time_to_target_s"}),
                "--of: times to target are compared in comparisons.csv, with the runs that never "
                "arrive and the resolution of the times");
  place.write("zero.csv", "algorithm,replica,status,x\na,0,ok,0\nb,0,failed,2\n");
  check_refused(place.motley({"verdicts", "zero.csv", "--of", "x"}),
                "--of: zero.csv has no run with a value of x above 0 to compare");
  check_refused(place.motley({"verdicts", "runs.csv", "--of", "status"}),
                "--of: status must be a column of numbers, got 'ok'");
  check_refused(place.motley({"verdicts", "runs.csv", "--of", "x"}),
                "verdicts: two runs of a have the replica 0 at the same point");
}

TEST_CASE("what compare calls too close is told as a rule for predictions, with its number") {
  const long percent = std::lround(100 * Ordering::too_close);
  CHECK(contains(read_file(std::string(MOTLEY_SOURCE_DIR) + "/docs/live.md"),
                 "These " + std::to_string(percent) + " % are a rule for predictions only"));
}

}  // namespace
}  // namespace motley
