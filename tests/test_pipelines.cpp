// What programs get from motley: documents, progress, assertions, differences.
#include <set>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

Json document(const Outcome& outcome) {
  INFO(outcome.out << outcome.err);
  const Json json = Json::parse(outcome.out, nullptr, false);
  REQUIRE(json.is_object());
  return json;
}

TEST_CASE("run --json prints one document with the rows of the results") {
  const Workplace place;
  const Outcome outcome = place.run({"--json"});
  CHECK(outcome.exit_code == 0);
  const Json json = document(outcome);
  CHECK(json["name"] == "small");
  CHECK(json["results"] == "out");
  CHECK(json["complete"] == true);
  REQUIRE(json["runs"].size() == 2);
  CHECK(json["runs"][0]["algorithm"] == "sync");
  CHECK(json["runs"][0]["updates"] == 20);
  CHECK(json["runs"][0]["status"] == "ok");
  REQUIRE(json["summary"].size() == 2);
  // One replica has no interval.
  CHECK(json["summary"][0]["time_to_target_low_s"].is_null());
  CHECK(json["whatif"].size() > 0);
}

TEST_CASE("With --json a mistake is a document with its file and pointer") {
  const Workplace place;
  for (const char* command : {"run", "validate", "plan"}) {
    const Outcome outcome =
        place.motley({command, "s.json", "--json", "--set", "/stop/updates=-1"});
    CHECK(outcome.exit_code == 2);
    const Json error = document(outcome)["error"];
    CHECK(error["file"] == "s.json");
    CHECK(error["pointer"] == "/stop/updates");
    CHECK(error["exit_code"] == 2);
    CHECK("motley: " + error["message"].get<std::string>() + "\n" == outcome.err);
  }
  const Json no_place = document(place.motley({"run", "--json"}))["error"];
  CHECK(no_place["file"].is_null());
}

TEST_CASE("A mistake at a point of a sweep keeps its place") {
  const Workplace place;
  const Json error = document(place.motley(
      {"validate", "s.json", "--json", "--set", R"(/sweep={"/stop/updates": [5, -1]})"}))["error"];
  CHECK(error["pointer"] == "/stop/updates");
  CHECK(contains(error["message"], "in the sweep, at /stop/updates = -1"));
}

TEST_CASE("validate, plan, explain and algorithms have documents") {
  const Workplace place;
  REQUIRE(place.run({"--set", "/replicas=2", "--no-whatif", "--quiet"}).exit_code == 0);
  const Json valid = document(place.motley({"validate", "s.json", "--json"}));
  CHECK(valid["valid"] == true);
  CHECK(valid["runs"] == 2);
  CHECK(valid["scenario"]["network"] == "fluid");  // a default that the file does not have
  const Json plan =
      document(place.motley({"plan", "s.json", "--out", "out", "--set", "/replicas=3", "--json"}));
  CHECK(plan["states"] == Json({{"done", 4}, {"missing", 2}}));
  CHECK(plan["runs"].size() == 6);
  CHECK(plan["runs"][0]["state"] == "done");
  const Json explained = document(place.motley({"explain", "out", "async", "sync", "--json"}));
  CHECK(explained["text"] == place.motley({"explain", "out", "async", "sync"}).out);
  const Json& ways = explained["explanation"];
  REQUIRE(ways.is_object());
  // Speed times learning is the whole ratio.
  CHECK(ways["speed_factor"].get<double>() * ways["samples_factor"].get<double>() ==
        Approx(ways["ratio"].get<double>()));
  const Json algorithms = document(place.motley({"algorithms", "--json"}))["algorithms"];
  std::set<std::string> names;
  for (const Json& each : algorithms) names.insert(each["name"]);
  CHECK(names.contains("sync"));
  CHECK(names.size() == algorithms.size());
  const Json one = document(place.motley({"algorithms", "async", "--json"}))["algorithms"];
  REQUIRE(one.size() == 1);
  CHECK(one[0]["parameters"][0].contains("schema"));
}

TEST_CASE("Progress for programs is an object a line and comes to its end") {
  const Workplace place;
  const Outcome outcome = place.run({"--progress", "json", "--no-whatif"});
  REQUIRE(outcome.exit_code == 0);
  Json last;
  for (const std::string& line : lines_of(outcome.err)) last = Json::parse(line);
  CHECK(last["event"] == "finished");
  CHECK(last["done"] == 2);
  CHECK(last["total"] == 2);
  check_refused(place.run({"--progress", "xml"}),
                "--progress: must be text, json or none, got 'xml'");
}

TEST_CASE("After the runs, programs are told how far the timing on changed clusters is") {
  const Workplace place;
  const Outcome outcome = place.run({"--progress", "json"});
  REQUIRE(outcome.exit_code == 0);
  std::vector<Json> timing;
  for (const std::string& line : lines_of(outcome.err)) {
    const Json object = Json::parse(line);
    CHECK((object["event"] == "timing" || timing.empty()));
    if (object["event"] == "timing") timing.push_back(object);
  }
  // Every row of whatif.csv that has a throughput was timed.
  std::size_t timed = 0;
  for (const auto& row : rows_of(read_file(place.path() / "out/whatif.csv"))) {
    timed += row.at("updates_per_s").empty() ? 0 : 1;
  }
  REQUIRE(timing.size() >= 2);
  CHECK(timing.front()["done"] == 0);
  CHECK(timing.front()["seconds_left"].is_null());
  CHECK(timing.front()["total"] == timed);
  CHECK(timing.back()["done"] == timed);
  CHECK(timing.back()["seconds_left"] == 0);
  // Nothing is timed again when nothing has changed.
  CHECK(place.run({"--progress", "json"}).err.empty());
}

TEST_CASE("What must hold decides the exit code, and the value is told") {
  const Workplace place;
  const Outcome holds =
      place.run({"--fail-unless", "async.updates == 20", "--fail-unless", "sync.status == ok",
                 "--fail-unless", "sync.updates >= 1 * async.updates"});
  CHECK(holds.exit_code == 0);
  CHECK(contains(holds.out, "\nholds: async.updates == 20: the left side is 20\n"));
  const Outcome fails = place.run({"--fail-unless", "async.updates < 20", "--json"});
  CHECK(fails.exit_code == 1);
  const Json outcome = document(fails)["assertions"][0];
  CHECK(outcome["holds"] == false);
  CHECK(outcome["left"] == 20);
  // A time that was never reached is less than nothing, and more than nothing neither.
  const std::string never = "/target/accuracy=1";
  for (const char* sign : {"<", ">"}) {
    const Outcome unreached = place.run({"--set", never, "--no-whatif", "--fail-unless",
                                         std::string("sync.time_to_target_s ") + sign + " 1"});
    CHECK(unreached.exit_code == 1);
    CHECK(contains(unreached.out, "the left side is nothing (not reached, or not there)"));
  }
}

TEST_CASE("An assertion that cannot be is refused before anything runs") {
  const Workplace place;
  check_refused(place.run({"--fail-unless", "asynk.updates < 3"}),
                "--fail-unless 'asynk.updates < 3': no algorithm 'asynk' (did you mean 'async'?); "
                "there are: async, sync");
  check_refused(place.run({"--fail-unless", "async.update < 3"}),
                "--fail-unless 'async.update < 3': no column 'update' in summary.csv or runs.csv "
                "(did you mean 'updates'?); see 'motley columns'");
  check_refused(place.run({"--fail-unless", "async.updates"}),
                "--fail-unless 'async.updates': needs one of <, <=, >, >=, ==, !=, such as "
                "'async.time_to_target_s < 40' or 'async.status == ok'");
  check_refused(
      place.run({"--fail-unless", "async.time_to_target_s < 40s"}),
      "--fail-unless 'async.time_to_target_s < 40s': beside < must be a number, without a "
      "unit, got '40s'");
  CHECK_FALSE(place.has("out"));
}

TEST_CASE("An assertion at a point that there is not is refused before anything runs") {
  const Workplace place;
  check_refused(place.run({"--fail-unless", "async.updates < 3 at ratio=8"}),
                "--fail-unless 'async.updates < 3 at ratio=8': no such point 'ratio=8': nothing is "
                "swept in this scenario");
  const std::string sweep = R"(/sweep={"/stop/updates": [10, 20]})";
  check_refused(
      place.run({"--set", sweep, "--fail-unless", "async.virtual_s < 3 at updates=30"}),
      "--fail-unless 'async.virtual_s < 3 at updates=30': no such point 'updates=30'; there are: "
      "/stop/updates=10, /stop/updates=20");
  check_refused(place.run({"--set", sweep, "--fail-unless", "async.virtual_s < 3 at "}),
                "--fail-unless 'async.virtual_s < 3 at ': no point stands after 'at'");
  CHECK_FALSE(place.has("out"));
}

TEST_CASE("Of a sweep an assertion is about every point or about one") {
  const Workplace place;
  const std::string sweep = R"(/sweep={"/stop/updates": [10, 20]})";
  const auto code = [&](const std::string& assertion) {
    return place.run({"--set", sweep, "--no-whatif", "--quiet", "--fail-unless", assertion})
        .exit_code;
  };
  CHECK(code("async.updates >= 10") == 0);
  CHECK(code("async.updates >= 20") == 1);
  CHECK(code("async.updates >= 20 at updates=20") == 0);
}

TEST_CASE("diff tells what changed in the scenario and in the results") {
  const Workplace place;
  const auto run = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run",         "s.json",  "--out", out,
                                      "--no-whatif", "--quiet", "--set", "/replicas=2"};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(place.motley(words).exit_code == 0);
  };
  run("a", {});
  run("same", {});
  run("b", {"--set", "/defaults/step_size=0.2", "--set", R"(/algorithms=[{"name": "sync"}])"});
  const Outcome same = place.motley({"diff", "a", "same", "--exit-code", "--json"});
  CHECK(same.exit_code == 0);
  CHECK(document(same)["same_results"] == true);
  CHECK(document(same)["scenario"].empty());
  CHECK(place.motley({"diff", "a", "b", "--exit-code"}).exit_code == 1);
  const Json diff = document(place.motley({"diff", "a", "b", "--json"}));
  CHECK(diff["only_in_a"] == Json({"async-0", "async-1"}));
  REQUIRE(diff["results"].size() == 1);
  CHECK(diff["results"][0]["algorithm"] == "sync");
  CHECK(diff["results"][0]["pairs"] == 2);
  CHECK(diff["results"][0]["same_runs"] == 0);
  bool found = false;
  for (const Json& change : diff["scenario"]) {
    if (change["pointer"] != "/defaults/step_size") continue;
    found = true;
    CHECK(change["a"] == 0.1);
    CHECK(change["b"] == 0.2);
  }
  CHECK(found);
  check_refused(place.motley({"diff", "a"}),
                "diff: needs two results folders; usage: motley diff A B [options]");
  check_refused(place.motley({"diff", "a", "nowhere"}),
                "nowhere: is not a results folder: it has no plan.json");
}

TEST_CASE("A difference is seen from its other side as its inverse") {
  const Workplace place;
  for (const char* out : {"a", "b"}) {
    const std::string step = out[0] == 'a' ? "0.05" : "0.2";
    REQUIRE(place
                .motley({"run", "s.json", "--out", out, "--no-whatif", "--quiet", "--set",
                         "/replicas=4", "--set", "/defaults/step_size=" + step, "--set",
                         "/stop/updates=60", "--set", R"(/evaluate={"every": 2})"})
                .exit_code == 0);
  }
  const Json forth =
      document(place.motley({"diff", "a", "b", "--json"}))["results"][0]["b_against_a"];
  const Json back =
      document(place.motley({"diff", "b", "a", "--json"}))["results"][0]["b_against_a"];
  REQUIRE(forth.is_object());
  CHECK(forth["mean"].get<double>() * back["mean"].get<double>() == Approx(1));
  CHECK(forth["low"].get<double>() * back["high"].get<double>() == Approx(1));
}

TEST_CASE("The manual and the completions know every command and option") {
  const Workplace place;
  const std::string manual = place.motley({"manual"}).out;
  const std::string bash = place.motley({"completion", "bash"}).out;
  const std::string zsh = place.motley({"completion", "zsh"}).out;
  for (const std::string& line : lines_of(place.motley({"--help"}).out)) {
    if (!line.starts_with("  ") || line.starts_with("  motley")) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    INFO(name);
    std::string dashed;
    for (const char c : name) dashed += c == '-' ? "\\-" : std::string(1, c);
    CHECK(contains(manual, ".SS " + dashed + "\n"));
    CHECK(contains(bash, "    " + name + ") options='"));
    CHECK(contains(zsh, "    " + name + ")\n"));
  }
  CHECK(contains(bash, "--fail-unless"));
  CHECK(contains(zsh, "--fail-unless="));
  CHECK(contains(manual, "\\-\\-fail\\-unless"));
  // bash understands what is for it, and completes a command.
  place.write(
      "ask.sh",
      bash +
          "COMP_WORDS=(motley va); COMP_CWORD=1; _motley; echo \"${COMPREPLY[@]}\"\n"
          "COMP_WORDS=(motley run --fail); COMP_CWORD=2; _motley; echo \"${COMPREPLY[@]}\"\n");
  CHECK(tests::run_program("/bin/bash", {"ask.sh"}, place.path()).out ==
        "validate\n--fail-unless\n");
}

}  // namespace
}  // namespace motley
