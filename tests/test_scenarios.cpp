// Every shipped scenario is an example and a test at once.
#include <algorithm>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"

namespace motley::tests {
namespace {

const std::filesystem::path source = MOTLEY_SOURCE_DIR;

std::vector<std::filesystem::path> shipped_scenarios() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source / "scenarios")) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "schema.json") continue;
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// What makes a cluster of more than a few hundred workers small: a sanitizer's actors are threads.
std::vector<std::string> smaller_cluster(const std::filesystem::path& file) {
  std::vector<std::string> words;
  const Json scenario = Json::parse(read_file(file), nullptr, true, true);
  if (!scenario["cluster"].contains("workers")) return words;
  const Json& classes = scenario["cluster"]["workers"];
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].value("count", 1) <= 100) continue;
    words.push_back("--set");
    words.push_back("/cluster/workers/" + std::to_string(i) + "/count=100");
  }
  return words;
}

TEST_CASE("every shipped scenario is valid and runs, shortened") {
  REQUIRE(shipped_scenarios().size() >= 3);
  for (const std::filesystem::path& file : shipped_scenarios()) {
    const TemporaryFolder folder;
    CAPTURE(file);
    CHECK(run_motley({"validate", file.string()}, folder.path()).exit_code == 0);
    std::vector<std::string> words = {"run",   file.string(), "--set", R"(/stop={"updates": 3})",
                                      "--set", "/replicas=1", "--out", "short"};
    for (const std::string& word : smaller_cluster(file)) words.push_back(word);
    const Outcome outcome = run_motley(words, folder.path());
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    for (const auto& row : rows_of(read_file(folder.path() / "short" / "runs.csv"))) {
      CHECK(row.at("status") == "ok");
      CHECK(row.at("updates") == "3");
    }
  }
}

TEST_CASE("the results are the same bytes for any number of jobs and threads") {
  const TemporaryFolder folder;
  const std::string file = (source / "scenarios" / "quickstart.json").string();
  const auto run = [&](const std::string& out, const std::string& jobs,
                       const std::string& threads) {
    const Outcome outcome =
        run_motley({"run", file, "--set", "/stop/time=8s", "--set", "/evaluate/every=1s", "--out",
                    out, "--jobs", jobs, "--threads", threads, "--fresh"},
                   folder.path());
    REQUIRE(outcome.exit_code == 0);
  };
  run("first", "1", "1");
  for (const auto& [jobs, threads] : {std::pair{"2", "1"}, {"1", "2"}, {"2", "3"}, {"1", "8"}}) {
    CAPTURE(jobs, threads);
    run("again", jobs, threads);
    for (const char* name : {"curves.csv", "workers.csv", "scenario.json"}) {
      CHECK(read_file(folder.path() / "first" / name) == read_file(folder.path() / "again" / name));
    }
    CHECK(without_wall_time(read_file(folder.path() / "first" / "runs.csv")) ==
          without_wall_time(read_file(folder.path() / "again" / "runs.csv")));
  }
}

#ifndef MOTLEY_SANITIZED  // minutes there, and nothing new to see
TEST_CASE("quickstart reaches its target with every algorithm") {
  const TemporaryFolder folder;
  const std::string file = (source / "scenarios" / "quickstart.json").string();
  const Outcome outcome = run_motley({"run", file, "--out", "all"}, folder.path());
  CAPTURE(outcome.out);
  REQUIRE(outcome.exit_code == 0);
  const auto rows = rows_of(read_file(folder.path() / "all" / "runs.csv"));
  REQUIRE(rows.size() == 6);
  for (const auto& row : rows) {
    CAPTURE(row.at("algorithm"));
    CHECK_FALSE(row.at("time_to_target_s").empty());
    CHECK(std::stod(row.at("best_test_accuracy")) >= 0.82);
  }
}
#endif

}  // namespace
}  // namespace motley::tests
