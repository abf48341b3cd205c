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

Json scenario_in(const std::filesystem::path& file) {
  return Json::parse(read_file(file), nullptr, true, true);
}

/// What makes a cluster of more than a few hundred workers small: a sanitizer's actors are threads.
std::vector<std::string> smaller_cluster(const Json& scenario) {
  std::vector<std::string> words;
  if (!scenario["cluster"].contains("workers")) return words;
  const Json& classes = scenario["cluster"]["workers"];
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i].value("count", 1) <= 100) continue;
    words.push_back("--set");
    words.push_back("/cluster/workers/" + std::to_string(i) + "/count=100");
  }
  return words;
}

bool needs_download(const Json& scenario) {
  return scenario.value("/data/kind"_json_pointer, "") == "cifar10";
}

/// What makes the data of a scenario that trains a network on images small. Where they would have to
/// be fetched, made-up images of the same shape and number of classes stand in for them, so that this
/// runs anywhere.
std::vector<std::string> smaller_images(const Json& scenario) {
  if (!needs_download(scenario)) {
    const bool has_images =
        scenario["model"]["kind"] == "cnn" || scenario["model"]["kind"] == "resnet" ||
        scenario.value("/sweep"_json_pointer, Json::object()).contains("/model");
    if (!has_images) return {};
    return {"--set", "/data/train=500", "--set", "/data/test=100"};
  }
  Json data = {{"kind", "synthetic"}, {"train", 500},         {"test", 100},
               {"features", 3072},    {"shape", {3, 32, 32}}, {"classes", 10}};
  if (scenario["data"].contains("augment")) data["augment"] = scenario["data"]["augment"];
  return {"--set", "/data=" + data.dump()};
}

/// What makes the tuning of a scenario that has one short. Large networks, and those on made-up
/// images, are not tuned at all, have small batches and are not timed again.
std::vector<std::string> less_tuning(const Json& scenario) {
  if (scenario["model"]["kind"] == "resnet" || needs_download(scenario)) {
    std::vector<std::string> words = {"--set", "/defaults/batch_size=4", "--no-whatif"};
    if (!scenario.value("/sweep"_json_pointer, Json::object()).contains("/defaults/step_size")) {
      words.insert(words.end(), {"--set", "/defaults/step_size=0.01"});
    }
    if (scenario.contains("tune")) words.insert(words.end(), {"--set", "/tune=null"});
    return words;
  }
  // Of clusters that are swept and only timed, timing all of them again is most of the work.
  if (scenario["model"]["kind"] == "none" && scenario.contains("sweep")) return {"--no-whatif"};
  if (!scenario.contains("tune")) return {};
  return {"--set", "/tune/runs=4", "--set", "/tune/at=first_point"};
}

/// A table without what is quoted in it: swept objects, with commas of their own.
std::string without_quoted(const std::string& table) {
  std::string rest;
  bool quoted = false;
  for (const char c : table) {
    if (c == '"') quoted = !quoted;
    if (!quoted && c != '"') rest += c;
  }
  return rest;
}

/// With small images where they are images.
Outcome validated(const std::filesystem::path& file, const TemporaryFolder& folder) {
  std::vector<std::string> words = {"validate", file.string()};
  for (const std::string& word : smaller_images(scenario_in(file))) words.push_back(word);
  return run_motley(words, folder.path());
}

TEST_CASE("every shipped scenario is valid and runs, shortened") {
  REQUIRE(shipped_scenarios().size() >= 3);
  for (const std::filesystem::path& file : shipped_scenarios()) {
    const TemporaryFolder folder;
    CAPTURE(file);
    const Json scenario = scenario_in(file);
    CHECK(validated(file, folder).exit_code == 0);
    std::vector<std::string> words = {"run",   file.string(), "--set", R"(/stop={"updates": 3})",
                                      "--set", "/replicas=1", "--out", "short"};
    for (const std::string& word : smaller_images(scenario)) words.push_back(word);
    for (const std::string& word : smaller_cluster(scenario)) words.push_back(word);
    for (const std::string& word : less_tuning(scenario)) words.push_back(word);
    const Outcome outcome = run_motley(words, folder.path());
    CAPTURE(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    for (const auto& row :
         rows_of(without_quoted(read_file(folder.path() / "short" / "runs.csv")))) {
      CHECK(row.at("status") == "ok");
      // Where workers have models of their own, all updates of a moment count.
      CHECK(std::stoul(row.at("updates")) >= 3);
    }
  }
}

TEST_CASE("a shipped scenario whose data is not there says how to fetch it") {
  const TemporaryFolder folder;
  std::size_t seen = 0;
  for (const std::filesystem::path& file : shipped_scenarios()) {
    if (!needs_download(scenario_in(file))) continue;
    CAPTURE(file);
    ++seen;
    for (const char* command : {"validate", "run"}) {
      const Outcome outcome =
          run_motley({command, file.string()}, folder.path(), {{"MOTLEY_DATA", folder.file("no")}});
      CHECK(outcome.exit_code == 2);
      CHECK_THAT(outcome.err, Catch::Contains("/data: CIFAR-10 is not there") &&
                                  Catch::Contains("./motley data cifar10 fetches it"));
    }
  }
  CHECK(seen >= 2);
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

/// An algorithm gives its step size itself, or the defaults give it; with neither it is tuned.
bool has_step_size(const Json& algorithm, const Json& scenario) {
  return algorithm.contains("step_size") ||
         scenario.value("/defaults/step_size"_json_pointer, 0.0) > 0;
}

TEST_CASE("shipped scenarios that compare algorithms tune them, or say why not") {
  for (const std::filesystem::path& file : shipped_scenarios()) {
    CAPTURE(file);
    const Json scenario = scenario_in(file);
    if (scenario["algorithms"].size() < 2 || scenario.contains("//step_size")) continue;
    REQUIRE(scenario.contains("tune"));
    for (const Json& algorithm : scenario["algorithms"]) {
      CAPTURE(algorithm);
      CHECK_FALSE(has_step_size(algorithm, scenario));
    }
  }
}

TEST_CASE("the tuning of a shipped scenario tries every value of its grids") {
  for (const std::filesystem::path& file : shipped_scenarios()) {
    CAPTURE(file);
    if (!scenario_in(file).contains("tune")) continue;
    const TemporaryFolder folder;
    const Outcome outcome = validated(file, folder);
    CAPTURE(outcome.out, outcome.err);
    REQUIRE(outcome.exit_code == 0);
    CHECK((outcome.out + outcome.err).find("tuning") != std::string::npos);
    CHECK((outcome.out + outcome.err).find("even sample") == std::string::npos);
  }
}

TEST_CASE("quickstart is its tuned scenario with step sizes that were among those tried") {
  Json quick = scenario_in(source / "scenarios" / "quickstart.json");
  Json tuned = scenario_in(source / "scenarios" / "quickstart_tuned.json");
  CHECK_THAT(quick["//step_size"].get<std::string>(),
             Catch::Contains("scenarios/quickstart_tuned.json"));
  const Json tried = tuned["tune"]["step_size"];
  for (Json& algorithm : quick["algorithms"]) {
    CAPTURE(algorithm);
    REQUIRE(algorithm.contains("step_size"));
    CHECK(std::find(tried.begin(), tried.end(), algorithm["step_size"]) != tried.end());
    algorithm.erase("step_size");
  }
  for (const char* own : {"//", "//step_size", "name", "replicas", "tune"}) {
    quick.erase(own);
    tuned.erase(own);
  }
  CHECK(quick == tuned);
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
