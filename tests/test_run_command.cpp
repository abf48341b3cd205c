// What "motley run" writes, prints and returns.
#include <fstream>
#include <set>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"
#include "sim/results/tables/all_tables.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

TEST_CASE("The baseline is the first algorithm or the one named") {
  const Workplace place;
  CHECK(contains(place.run().out, "   vs sync   "));
  CHECK(Json::parse(place.result("scenario.json"))["baseline"] == "sync");
  CHECK(contains(place.run_with("/baseline=async").out, "   vs async   "));
  check_refused(place.run_with("/baseline=asyncc"),
                "s.json: /baseline: must be the label of an algorithm (did you mean 'async'?), "
                "there are: async, sync, got \"asyncc\"");
}

TEST_CASE("A run writes its files, with the columns that are documented") {
  const Workplace place;
  REQUIRE(place.run().exit_code == 0);
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(place.path() / "out")) {
    files.push_back(entry.path().filename().string());
  }
  CHECK_THAT(files, Catch::Matchers::UnorderedEquals(std::vector<std::string>{
                        ".lock", "scenario.json", "plan.json", "provenance.json", "runs",
                        "runs.csv", "curves.csv", "workers.csv", "staleness.csv", "links.csv",
                        "decisions.csv", "warnings.csv", "summary.csv", "comparisons.csv",
                        "bands.csv", "whatif.csv", "whatif.json", "limits.csv"}));
  // Each begins with its columns as they are described.
  for (const TableInfo& table : all_tables()) {
    // Only with --trace, with "tune", by compare and calibrate.
    if (std::set<std::string>{"events", "tuned", "compare", "timings"}.contains(table.name))
      continue;
    std::string header;
    for (const ColumnInfo& column : table.columns) {
      if (column.is_axes || !column.only_with.empty()) continue;
      header += (header.empty() ? "" : ",") + column.name;
    }
    CHECK(lines_of(place.result(table.name + ".csv"))[0] == header);
  }

  const auto runs = rows_of(place.result("runs.csv"));
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].at("run") == "sync-0");
  CHECK(runs[0].at("algorithm") == "sync");
  CHECK(runs[1].at("run") == "async-0");
  for (const auto& run : runs) {
    CHECK(run.at("status") == "ok");
    CHECK(run.at("replica") == "0");
    CHECK(run.at("seed") == "1");
    CHECK(run.at("updates") == "20");
    CHECK(run.at("reason").empty());
    for (const char* column : {"final_test_accuracy", "best_test_accuracy", "final_test_loss"}) {
      INFO(column);
      CHECK_FALSE(run.at(column).empty());
    }
  }
  // One row per algorithm, which says of its only run what runs.csv says.
  const auto summary = rows_of(place.result("summary.csv"));
  REQUIRE(summary.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(summary[i].at("algorithm") == runs[i].at("algorithm"));
    CHECK(summary[i].at("n") == "1");
    CHECK(summary[i].at("baseline") == "sync");
    CHECK(summary[i].at("time_to_target_mean_s") == runs[i].at("time_to_target_s"));
    CHECK(summary[i].at("time_to_target_low_s").empty());
    CHECK(summary[i].at("final_accuracy_mean") == runs[i].at("final_test_accuracy"));
    CHECK(summary[i].at("best_accuracy_mean") == runs[i].at("best_test_accuracy"));
  }
  // One row per worker of each run, in the order of ranks.
  std::string workers;
  for (const auto& row : rows_of(place.result("workers.csv"))) {
    workers += row.at("run") + ":" + row.at("worker") + ":" + row.at("class") + " ";
  }
  CHECK(workers ==
        "sync-0:gpu-0:gpu sync-0:gpu-1:gpu sync-0:cpu-0:cpu "
        "async-0:gpu-0:gpu async-0:gpu-1:gpu async-0:cpu-0:cpu ");
  // Both curves begin at the initial model.
  for (const auto& point : rows_of(place.result("curves.csv"))) {
    if (point.at("updates") != "0") continue;
    CHECK(point.at("time_s") == "0");
    CHECK(point.at("train_loss").empty());
  }
}

TEST_CASE("The stored scenario is complete, and running it gives the same results") {
  const Workplace place;
  REQUIRE(place.run({"--set", "/seed=7"}).exit_code == 0);
  const Json scenario = Json::parse(place.result("scenario.json"));
  CHECK(scenario["seed"] == 7);
  CHECK(scenario["cost"]["model_size"] == "auto");
  CHECK(scenario["algorithms"][1]["name"] == "async");
  CHECK(scenario["algorithms"][1]["step_size"] == 0.1);
  CHECK(scenario["algorithms"][1]["fetch_every"] == 1);
  REQUIRE(place.motley({"run", "out/scenario.json", "--out", "again"}).exit_code == 0);
  for (const char* name : {"curves.csv", "workers.csv", "scenario.json"}) {
    INFO(name);
    CHECK(read_file(place.path() / "again" / name) == place.result(name));
  }
  // The override did something: another seed is another run.
  REQUIRE(place.motley({"run", "s.json", "--out", "other"}).exit_code == 0);
  CHECK(read_file(place.path() / "other" / "curves.csv") != place.result("curves.csv"));
}

TEST_CASE("The provenance names the program and the command") {
  const Workplace place;
  REQUIRE(place.run({"--quiet"}).exit_code == 0);
  const Json provenance = Json::parse(place.result("provenance.json"));
  CHECK(provenance["program"] == "motley");
  CHECK(provenance["command"] == Json({MOTLEY_BINARY, "run", "s.json", "--out", "out", "--quiet"}));
  for (const char* key :
       {"version", "commit", "compiler", "build_type", "simgrid", "eigen", "boost", "host_cpu"}) {
    INFO(key);
    CHECK_FALSE(provenance.value(key, "").empty());
  }
}

TEST_CASE("The table begins with what was trained and what was modelled") {
  const Workplace place;
  CHECK(place.run().out.starts_with("\nTarget: "));
  // Softmax of 5 features and 3 classes: 18 parameters, 15 weights with 2 + 2 flops each; alexnet's
  // 60,965,224 parameters and 724,406,816 multiply-adds, of which conv1's 105,415,200 have no gradient of
  // their inputs: 6 flops each, but 4 of conv1.
  const Outcome modelled = place.run_with(R"(/cost={"profile": "alexnet"})");
  CHECK(modelled.out.starts_with(
      "\nTrained: softmax, 0.07 kB and 60 f per sample. Modelled: alexnet, 243.86 MB and 4.136 Gf "
      "per "
      "sample. Times and bytes are those of the modelled architecture; accuracy is that of the "
      "trained model.\n\nTarget: "));
}

TEST_CASE("The table goes to stdout and the progress to stderr, unless it shall be quiet") {
  const Workplace place;
  const Outcome outcome = place.run();
  CHECK(contains(outcome.out, "\nTarget: test accuracy 0.5\n\n  algorithm   time to target "));
  CHECK(contains(outcome.out, "\n  sync "));
  CHECK(contains(outcome.out, "\n  async "));
  CHECK(outcome.out.ends_with("\nResults: out\n"));
  CHECK(contains(outcome.err, "small: 2 runs, 3 workers (2 gpu, 1 cpu), "));
  CHECK(contains(outcome.err, "/2 sync-0           20 updates in "));
  CHECK(contains(outcome.err, "/2 async-0          20 updates in "));
  CHECK(contains(outcome.err, "\n  1/2 "));
  CHECK(contains(outcome.err, "\n  2/2 "));
  CHECK_FALSE(contains(outcome.err, "\033"));  // no terminal: nothing is rewritten

  for (const char* option : {"--quiet", "-q"}) {
    const Outcome quiet = place.run({option});
    CHECK(quiet.exit_code == 0);
    CHECK(quiet.err.empty());
    CHECK(quiet.out == outcome.out);
  }
}

TEST_CASE("Without --out the results go to results/ and the name of the scenario") {
  const Workplace place;
  const Outcome outcome = place.motley({"run", "s.json", "-q", "--set", "/name=other"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out.ends_with("\nResults: results/other\n"));
  CHECK(place.has("results/other/runs.csv"));
}

TEST_CASE("A column of runs.csv for every axis is named by its pointer") {
  const Workplace place;
  REQUIRE(place
              .run({"--set", R"(/sweep={"/cluster/link/bandwidth": ["1Gbps", "2Gbps"],
                                        "/model": [{"kind": "softmax"}]})",
                    "--set", "/replicas=2"})
              .exit_code == 0);
  const std::vector<std::string> lines = lines_of(place.result("runs.csv"));
  REQUIRE(lines.size() == 1 + 2 * 2 * 2);
  CHECK(lines[0].ends_with(",sync_efficiency,/cluster/link/bandwidth,/model"));
  CHECK(lines[1].starts_with("sync-0-bandwidth=1Gbps-model="));
  CHECK(lines[1].ends_with(",1Gbps,\"{\"\"kind\"\":\"\"softmax\"\"}\""));
  CHECK(lines[8].starts_with("async-1-bandwidth=2Gbps-model="));
  CHECK(contains(lines[8], ",async,1,2,ok,"));
}

TEST_CASE("Jobs and threads change no result") {
  const Workplace place;
  REQUIRE(place.run({"--jobs", "1", "--threads", "1"}).exit_code == 0);
  const std::string curves = place.result("curves.csv");
  const std::string workers = place.result("workers.csv");
  REQUIRE(place.run({"-j", "2", "-t", "3", "--fresh"}).exit_code == 0);
  CHECK(place.result("curves.csv") == curves);
  CHECK(place.result("workers.csv") == workers);
}

TEST_CASE("A diverging run is a result and not an error") {
  struct Divergence {
    std::vector<std::string> overrides;
    std::string reason;
  };
  const std::vector<Divergence> cases = {
      {{"/defaults/step_size=1e38"},
       "the test loss is not finite after 1 update: try a smaller step_size"},
      {{"/defaults/step_size=1e30"},
       "the test loss is more than 1000 times the initial one after 1 update: try a "
       "smaller "
       "step_size"},
      {{"/defaults/step_size=1e4", "/stop/diverged_above=20.5"},
       "the test loss is more than 20.5 times the initial one after 1 update: try a smaller "
       "step_size"}};
  for (const Divergence& divergence : cases) {
    const Workplace place;
    std::vector<std::string> more;
    for (const std::string& override : divergence.overrides) {
      more.insert(more.end(), {"--set", override});
    }
    const Outcome outcome = place.run(more);
    INFO(divergence.overrides[0]);
    CHECK(outcome.exit_code == 0);
    const auto runs = rows_of(place.result("runs.csv"));
    REQUIRE(runs.size() == 2);
    for (const auto& run : runs) {
      CHECK(run.at("status") == "diverged");
      CHECK(run.at("reason") == divergence.reason);
      CHECK(run.at("updates") == "1");
      CHECK(run.at("final_test_accuracy").empty());
      CHECK(run.at("final_test_loss").empty());
      CHECK(contains(outcome.out,
                     "  " + run.at("algorithm") + " diverged: " + divergence.reason + "\n"));
      CHECK(contains(outcome.err, " diverged: " + divergence.reason + "\n"));
    }
    CHECK_FALSE(contains(place.result("curves.csv"), "inf"));
    CHECK_FALSE(contains(place.result("curves.csv"), "nan"));
  }
}

TEST_CASE("When one run fails the others are kept and the exit code is 1") {
  const Workplace place;
  fs::create_directories(place.path() / "out/traces/async-0.json");  // in the way of its trace
  std::ofstream(place.path() / "out/.lock").close();                 // as left by an earlier run
  const Outcome outcome = place.run({"--trace"});
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.out, "\n  async failed: "));
  CHECK(outcome.out.ends_with("\nResults: out\n"));
  const auto runs = rows_of(place.result("runs.csv"));
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].at("algorithm") == "sync");
  CHECK(runs[0].at("status") == "ok");
  CHECK(runs[1].at("algorithm") == "async");
  CHECK(runs[1].at("status") == "failed");
  CHECK(contains(runs[1].at("reason"), "Is a directory"));
}

TEST_CASE("a bound that never acted is told of every algorithm that has one") {
  const Workplace place;
  const auto idle = [&](const std::string& staleness, const std::string& delay_bound,
                        const std::string& allocation) {
    const Outcome outcome =
        place.run({"--fresh", "--quiet", "--no-whatif", "--set", "/baseline=\"stale\"", "--set",
                   R"(/algorithms=[{"name": "stale", "staleness": )" + staleness +
                       R"(}, {"name": "ringmaster", "delay_bound": )" + delay_bound +
                       R"(}, {"name": "allocation", )" + allocation + "}]"});
    CHECK(outcome.exit_code == 0);
    std::string told;
    for (const auto& row : rows_of(place.result("warnings.csv"))) {
      if (row.at("kind") == "bound_idle") told += row.at("text") + "\n";
    }
    return told;
  };
  // Of 20 updates none is 100 old, nobody is 100 ahead, and batches are not looked at again.
  CHECK(idle("100", "100", "\"period\": 100") ==
        "has a staleness that never acted: it ran as if without it\n"
        "has a delay_bound that never acted: it ran as if without it\n"
        "has a period that never acted: it ran as if without it\n");
  // The gpus are ten times as fast as the cpu.
  CHECK(idle("0", "1", "\"period\": 2").empty());
  // Nothing is bounded: that they are then other algorithms is told, too.
  CHECK(idle("\"inf\"", "\"inf\"", "\"mode\": \"equal\"") ==
        "has a staleness of inf that never acted: it ran as if without it\n"
        "has a delay_bound of inf that never acted: it ran as if without it\n");
}

TEST_CASE("backup that waits for everybody is told to be idle") {
  const Workplace place;
  const auto idle = [&](const std::string& option) {
    const Outcome outcome =
        place.run({"--fresh", "--quiet", "--no-whatif", "--set", "/baseline=\"backup\"", "--set",
                   R"(/algorithms=[{"name": "backup", )" + option + "}]"});
    CHECK(outcome.exit_code == 0);
    std::string told;
    for (const auto& row : rows_of(place.result("warnings.csv"))) told += row.at("text") + "\n";
    return told;
  };
  CHECK(idle("\"backup\": 0") == "has a backup that never acted: it ran as if without it\n");
  CHECK(idle("\"wait_for\": 3") == "has a wait_for that never acted: it ran as if without it\n");
  CHECK(idle("\"backup\": 1").empty());
  CHECK(idle("\"wait_for\": 2, \"late\": \"cancel\"").empty());
}

}  // namespace
}  // namespace motley
