// What a sweep means: its axes, its points, the names and hashes of its runs, its shards.
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <unistd.h>

#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"
#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/scenario/sweep.hpp"
#include "sim/study/shards.hpp"
#include "sim/study/study.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

std::vector<Json> values_of(const std::string& json) {
  return read_axes(Json{{"/stop/updates", Json::parse(json)}}, {"s.json", "/sweep"}).at(0).values;
}

Study study_of(const Json& scenario, const std::vector<Override>& overrides = {}) {
  const tests::TemporaryFolder folder;
  return Study(folder.write("s.json", scenario.dump()), overrides);
}

/// Two axes of three and two values, two replicas, two algorithms: 24 runs.
Json swept_scenario() {
  Json scenario = learning_scenario();
  scenario["replicas"] = 2;
  scenario["sweep"] = {{"/cluster/workers/1/speed", {"1Gf", "2Gf", "4Gf"}},
                       {"/algorithms/1/step_size", {0.01, 0.02}}};
  scenario["algorithms"] = {{{"name", "sync"}}, {{"name", "async"}}};
  return scenario;
}

std::vector<std::string> hashes_of(const Study& study) {
  std::vector<std::string> hashes;
  for (const RunEntry& run : study.table().runs) hashes.push_back(run.hash);
  return hashes;
}

TEST_CASE("an axis is a list of values, or from, to and steps on a scale") {
  CHECK(values_of("[1, \"x\", {\"a\": 2}]") == std::vector<Json>{1, "x", {{"a", 2}}});
  CHECK(values_of(R"({"from": 1, "to": 32, "steps": 6, "scale": "log"})") ==
        std::vector<Json>{1, 2, 4, 8, 16, 32});
  CHECK(values_of(R"({"from": 0, "to": 1, "steps": 5})") ==
        std::vector<Json>{0, 0.25, 0.5, 0.75, 1});
  CHECK(values_of(R"({"from": 3, "to": 1, "steps": 3})") == std::vector<Json>{3, 2, 1});
  CHECK(values_of(R"({"from": "1Gbps", "to": "100Gbps", "steps": 3, "scale": "log"})") ==
        std::vector<Json>{"1Gbps", "10Gbps", "100Gbps"});
}

TEST_CASE("a range that falls between whole numbers where only these will do says what to write") {
  Json scenario = swept_scenario();
  scenario["sweep"] = {
      {"/cluster/workers/0/count", {{"from", 1}, {"to", 10}, {"steps", 3}, {"scale", "log"}}}};
  try {
    study_of(scenario);
    FAIL("10^(1/2) workers");
  } catch (const InputError& e) {
    const std::string text = e.what();
    CHECK(text.find("/cluster/workers/0/count: must be a whole number") != std::string::npos);
    CHECK(text.find("; list whole numbers: [1,3,10] (in the sweep, at ") != std::string::npos);
  }
}

TEST_CASE("a run is planned with the hash of what is run, whatever its replica") {
  Json scenario = swept_scenario();
  scenario["replicas"] = 3;
  for (const char* law : {"linear", "lognormal"}) {
    Json spread = {{"law", law}};
    if (std::string(law) == "lognormal") spread["sigma"] = 0.5;
    scenario["cluster"]["workers"][0]["spread"] = spread;
    const Study study = study_of(scenario);
    REQUIRE(study.size() == 36);
    std::set<std::string> hashes;
    for (std::size_t run = 0; run < study.size(); ++run) {
      CHECK(study.entry(run).seed == study.experiment(run).scenario().seed);
      CHECK(study.description(run).at("seed") == study.entry(run).seed);
      CHECK(study.entry(run).hash == digest(study.description(run).dump()));
      hashes.insert(study.entry(run).hash);
    }
    // sync does not have the second axis: its runs at both values are one.
    CHECK(hashes.size() == 3 * 3 * (1 + 2));
  }
}

TEST_CASE("a sweep that cannot be used is refused with its place") {
  const auto refusal = [](const char* sweep) -> std::string {
    try {
      read_axes(Json::parse(sweep), {"s.json", "/sweep"});
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  CHECK(refusal("[]") ==
        "s.json: /sweep: must be an object of JSON pointers, each with its values, got []");
  CHECK(refusal(R"({"stop": [1]})") ==
        "s.json: /sweep/stop: is not a JSON pointer into the scenario (an example: "
        "/cost/model_size)");
  CHECK(refusal(R"({"": [1]})") == "s.json: /sweep/: must name a key");
  CHECK(refusal(R"({"/a": 1})") ==
        "s.json: /sweep/~1a: must be a list of values, or {\"from\": 1, \"to\": 32, \"steps\": 6, "
        "\"scale\": \"log\"}, got 1");
  CHECK(refusal(R"({"/a": []})") ==
        "s.json: /sweep/~1a: must be a list of values, or {\"from\": 1, \"to\": 32, \"steps\": 6, "
        "\"scale\": \"log\"}, got []");
  CHECK(refusal(R"({"/a": [1, 2, 1]})") == "s.json: /sweep/~1a/2: is there twice, got 1");
  CHECK(refusal(R"({"/a": {"from": 1, "to": 2, "step": 3}})") ==
        "s.json: /sweep/~1a/step: unknown key (did you mean 'steps'?), known here: from, to, steps "
        "or scale");
  CHECK(refusal(R"({"/a": {"from": "1s", "to": "2ms", "steps": 3}})") ==
        "s.json: /sweep/~1a/to: must have the unit of \"from\", got \"2ms\"");
  CHECK(refusal(R"({"/a": {"from": true, "to": 2, "steps": 3}})") ==
        "s.json: /sweep/~1a/from: must be a number, or a number with its unit in quotes, got true");
  CHECK(refusal(R"({"/a": {"from": 0, "to": 2, "steps": 3, "scale": "log"}})") ==
        "s.json: /sweep/~1a: needs \"from\" and \"to\" above 0 for the scale log, got "
        "{\"from\":0,\"to\":2,\"steps\":3,\"scale\":\"log\"}");
  CHECK(refusal(R"({"/replicas": [1, 2]})") ==
        "s.json: /sweep/~1replicas: cannot be swept: /replicas is of all runs together");
  CHECK(
      refusal(R"({"/algorithms/-": [{"name": "sync"}]})") ==
      "s.json: /sweep/~1algorithms~1-: must name a value that can be replaced; \"-\" would append "
      "one");
  CHECK(refusal(R"({"/stop/time": ["1s"], "/stop": [{"time": "2s"}]})") ==
        "s.json: /sweep/~1stop: must come before /stop/time, which it would overwrite");
  CHECK(refusal(R"({"/stop": [{"time": "2s"}], "/stop/time": ["1s"]})") == "accepted");
}

TEST_CASE("a range whose width no number holds is refused") {
  const std::string wide =
      "s.json: /sweep/~1stop~1updates: spans more than numbers can: bring \"from\" and \"to\" "
      "nearer, got ";
  for (const std::string range : {R"({"from":-1e308,"to":1e308,"steps":3})",
                                  R"({"from":1e-300,"to":1e300,"steps":3,"scale":"log"})",
                                  R"({"from":1e300,"to":1e-300,"steps":3,"scale":"log"})"}) {
    INFO(range);
    CHECK_THROWS_WITH(values_of(range), Catch::Matchers::StartsWith(wide));
  }
  CHECK(values_of(R"({"from": -1e307, "to": 1e307, "steps": 3})") ==
        std::vector<Json>{-1e307, 0, 1e307});
}

TEST_CASE("values given twice are found among very many, whatever their type") {
  Json values = Json::array();
  for (int i = 0; i < 200'000; ++i)
    values.push_back(i % 2 == 0 ? Json(i) : Json(std::to_string(i)));
  CHECK(values_of(values.dump()).size() == 200'000);
  values.push_back(777 * 2.0);  // 1554.0 is 1554
  CHECK_THROWS_WITH(values_of(values.dump()),
                    "s.json: /sweep/~1stop~1updates/200000: is there twice, got 1554.0");
}

TEST_CASE("null in a sweep is the scenario without that key") {
  Json scenario = learning_scenario();
  scenario["cluster"].erase("noise");
  const std::string plain = study_of(scenario).table().runs[0].hash;
  scenario["sweep"] = {{"/cluster/noise", {nullptr, {{"law", "lognormal"}, {"sigma", 0.5}}}}};
  const Study study = study_of(scenario);
  const std::size_t algorithms = study.size() / 2;
  CHECK(study.table().runs[0].hash == plain);
  CHECK(study.table().runs[algorithms].hash != plain);
}

TEST_CASE("data that was let go is made again, the same") {
  Json full = {{"kind", "synthetic"}, {"train", 100}, {"test", 10}, {"features", 5}};
  const auto spec = read_by_kind(data_catalog(), full, {"s.json", "/data"});
  // 110 samples of 5 floats and a label of two bytes: 2420 bytes, of which two fit.
  SharedDatasets datasets(5000);
  const auto get = [&](std::uint64_t seed) {
    return datasets.get(full, *spec, seed, {"s.json", "/data"});
  };
  std::vector<std::weak_ptr<const Dataset>> seen;
  std::vector<float> firsts;  // of each set one number
  for (const std::uint64_t seed : {0, 1, 0, 2}) {
    const SharedDatasets::Entry entry = get(seed);
    seen.push_back(entry.data);
    firsts.push_back(entry.data->train.features(0, 0));
  }
  CHECK(seen[0].lock() == seen[2].lock());  // asked for again before it had to go
  CHECK(seen[1].expired());
  CHECK_FALSE(seen[3].expired());
  CHECK(get(1).data->train.features(0, 0) == firsts[1]);
  CHECK(firsts[0] != firsts[1]);
}

TEST_CASE("a mistake at any point of the sweep is found before anything runs") {
  Json scenario = swept_scenario();
  const auto refusal = [](const Json& json) -> std::string {
    try {
      study_of(json);
    } catch (const InputError& e) {
      const std::string text = e.what();
      return text.substr(text.find("s.json"));
    }
    return "accepted";
  };
  CHECK(refusal(scenario) == "accepted");
  scenario["sweep"]["/algorithms/1/step_size"] = {0.01, -1};
  CHECK(refusal(scenario) ==
        "s.json: /algorithms/1/step_size: must be a number above 0, got -1 (in the sweep, at "
        "/cluster/workers/1/speed = \"1Gf\", /algorithms/1/step_size = -1)");
  scenario["sweep"] = {{"/algorithms/2/step_size", {0.01}}};
  CHECK(refusal(scenario) ==
        "s.json: /sweep/~1algorithms~12~1step_size: there is no /algorithms/2 in the scenario to "
        "set it in");
}

TEST_CASE("the plan is every algorithm in every replica at every point, in that order") {
  const Study study = study_of(swept_scenario());
  REQUIRE(study.size() == 24);
  CHECK(study.table().axes ==
        std::vector<std::string>{"/cluster/workers/1/speed", "/algorithms/1/step_size"});
  const std::vector<RunEntry>& runs = study.table().runs;
  CHECK(runs[0].name == "sync-0-speed=1Gf-step_size=0.01");
  CHECK(runs[1].name == "async-0-speed=1Gf-step_size=0.01");
  CHECK(runs[2].name == "sync-1-speed=1Gf-step_size=0.01");
  CHECK(runs[4].name == "sync-0-speed=1Gf-step_size=0.02");
  CHECK(runs[8].name == "sync-0-speed=2Gf-step_size=0.01");
  CHECK(runs[23].name == "async-1-speed=4Gf-step_size=0.02");
  CHECK(runs[23].point == std::vector<Json>{"4Gf", 0.02});
  for (const RunEntry& run : runs) CHECK(run.seed == 3 + run.replica);
  std::set<std::string> names;
  for (const RunEntry& run : runs) names.insert(run.name);
  CHECK(names.size() == 24);
}

TEST_CASE("runs that differ in nothing but their name are one run") {
  const Study study = study_of(swept_scenario());
  // sync does not have async's step size: its runs at both values are the same. So 3 speeds x 2
  // replicas x (1 + 2).
  const std::vector<std::string> hashes = hashes_of(study);
  CHECK(std::set<std::string>(hashes.begin(), hashes.end()).size() == 18);
  CHECK(hashes[0] == hashes[4]);
  CHECK(hashes[1] != hashes[5]);
  CHECK(runs_of_shard(study, {}).size() == 18);
}

TEST_CASE("a changed scenario changes the hashes of what it changes and nothing else") {
  const Json scenario = swept_scenario();
  const std::vector<std::string> before = hashes_of(study_of(scenario));
  const auto changed = [&](const char* pointer, const Json& value) {
    const std::vector<std::string> after = hashes_of(study_of(scenario, {{pointer, value}}));
    std::string pattern;
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < 4; ++i) pattern += after[i] == before[i] ? '=' : '!';
    return pattern;  // of sync-0, async-0, sync-1, async-1 at the first point
  };
  CHECK(changed("/name", "other") == "====");
  CHECK(changed("/~1~1", "a comment") == "====");
  CHECK(changed("/algorithms/0/label", "plain") == "====");
  CHECK(changed("/algorithms/0/momentum", 0.5) == "!=!=");
  CHECK(changed("/defaults/batch_size", 4) == "!!!!");
  CHECK(changed("/seed", 4) == "!!!!");
  CHECK(changed("/target", {{"accuracy", 0.5}}) == "!!!!");
  CHECK(changed("/cluster/link/latency", "2ms") == "!!!!");
  CHECK(changed("/defaults/momentum", 0) == "====");  // the default, said

  // A replica or a point more leaves the others as they are.
  Json longer = scenario;
  longer["replicas"] = 3;
  longer["sweep"]["/cluster/workers/1/speed"].push_back("8Gf");
  const std::vector<std::string> more = hashes_of(study_of(longer));
  const std::set<std::string> all(more.begin(), more.end());
  for (const std::string& hash : before) CHECK(all.contains(hash));
  // Replica 1 is the run of the next seed.
  Json next = scenario;
  next["seed"] = 4;
  CHECK(hashes_of(study_of(next))[0] == before[2]);
}

TEST_CASE("a hash is the same on every machine") {
  // UUID version 5 of the nil name space: sixteen zero bytes and the text, by SHA-1. The same from
  // Python: uuid.uuid5(uuid.UUID(int=0), "motley").hex
  CHECK(digest("motley") == "cc24ecba04015e5f8b3d7588f69d5898");
  CHECK(digest("motley").size() == 32);
  CHECK(digest("") != digest(" "));
}

TEST_CASE("a run depends on what is in its files, not on where they are") {
  const tests::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "a");
  std::filesystem::create_directory(folder.path() / "b");
  Json scenario = learning_scenario();
  scenario["data"] = {{"kind", "csv"}, {"path", "d.csv"}, {"label", "y"}};
  const auto hash = [&](const std::string& where, const std::string& first) {
    std::string rows = "x,y\n" + first + ",p\n";
    for (int i = 0; i < 20; ++i) rows += std::to_string(i) + (i % 2 == 0 ? ",p\n" : ",q\n");
    folder.write(where + "/d.csv", rows);
    return hashes_of(Study(folder.write(where + "/s.json", scenario.dump()), {}))[0];
  };
  CHECK(hash("a", "1") == hash("b", "1"));
  CHECK(hash("a", "1") != hash("b", "2"));

  // The seed chooses the rows for testing: replica 1 is the run of the next seed here, too.
  scenario["replicas"] = 2;
  const std::string file = folder.write("a/s.json", scenario.dump());
  const Study study(file, {});
  const Study next(file, {parse_override("/seed=" + std::to_string(study.entry(0).seed + 1))});
  for (std::size_t run = 0; run < study.size(); ++run) {
    CHECK(study.entry(run).hash == digest(study.description(run).dump()));
    if (study.entry(run).replica == 1) {
      CHECK(study.entry(run).hash == next.entry(run - study.size() / 2).hash);
    }
  }
}

TEST_CASE("the stored scenario of a sweep gives the same runs again") {
  const tests::TemporaryFolder folder;
  Json scenario = learning_scenario();
  // Beside a swept kind no default may be filled in: "features" has no meaning for csv.
  scenario["data"] = {{"kind", "synthetic"}, {"train", 10}, {"test", 5}};
  scenario["sweep"] = {
      {"/data", {{{"kind", "synthetic"}}, {{"kind", "csv"}, {"path", "d.csv"}, {"label", "y"}}}},
      {"/network", {"fluid", "tcp"}},
      {"/model/weight_decay", {{"from", 0}, {"to", 0.1}, {"steps", 2}}}};
  folder.write("d.csv", "x,y\n1,p\n2,q\n3,p\n4,q\n5,p\n6,q\n");
  const Study study(folder.write("s.json", scenario.dump()), {});
  const tests::TemporaryFolder elsewhere;
  const Study again(elsewhere.write("scenario.json", study.full().dump()), {});
  CHECK(hashes_of(again) == hashes_of(study));
  CHECK(again.full() == study.full());
}

TEST_CASE("points whose values cannot stand in a name have different names") {
  const std::vector<std::string> names =
      point_names({{"/cluster/link/bandwidth", {"1Gbps", "2 Gbps"}},
                   {"/cluster/server/link/bandwidth", {"a/b", "a b"}},
                   {"/cluster/workers/0", {{{"name", "x"}, {"speed", "1Gf"}}}}});
  REQUIRE(names.size() == 4);
  CHECK(names[0].starts_with("-cluster_link_bandwidth=1Gbps-server_link_bandwidth=a_b-workers_0="));
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == 4);
  for (const std::string& name : names) {
    CHECK(name.find_first_of("/ ,\"{}") == std::string::npos);
  }
}

TEST_CASE("shards share the runs out, evenly by their cost") {
  Json scenario = swept_scenario();
  scenario["sweep"] = {{"/stop/updates", {10, 20, 40, 80}}};
  const Study study = study_of(scenario);
  std::vector<std::size_t> all;
  std::vector<double> costs;
  for (std::size_t k = 1; k <= 3; ++k) {
    const std::vector<std::size_t> runs = runs_of_shard(study, {k, 3});
    all.insert(all.end(), runs.begin(), runs.end());
    costs.push_back(0);
    for (const std::size_t run : runs) costs.back() += study.cost(run);
  }
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> expected(study.size());
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  CHECK(all == expected);
  // Largest first to the least loaded: no two parts differ by more than the largest run.
  const auto [least, most] = std::minmax_element(costs.begin(), costs.end());
  CHECK(*most - *least <= study.cost(study.size() - 1));
  CHECK(study.cost(study.size() - 1) > study.cost(0));
}

TEST_CASE("a run is expected to cost what its algorithm's updates and its evaluations take") {
  Json scenario = learning_scenario();
  scenario["algorithms"] = {{{"name", "sync"}},
                            {{"name", "async"}},
                            {{"name", "local"}, {"local_steps", 4}},
                            {{"name", "async"}, {"softsync", 2}}};
  scenario["evaluate"]["every"] = 1000000;
  const Study study = study_of(scenario);
  // Four workers: of one gradient, of four, of sixteen; beyond the one evaluation at the start.
  const double evaluation = (4 * study.cost(1) - study.cost(0)) / 3;
  CHECK(study.cost(2) - evaluation == Approx(4 * (study.cost(0) - evaluation)));
  CHECK(study.cost(3) - evaluation == Approx(2 * (study.cost(1) - evaluation)));
  CHECK(study.cost(0) > 2 * study.cost(1));
  scenario["evaluate"]["every"] = 1;
  CHECK(study_of(scenario).cost(0) - study.cost(0) == Approx(40 * evaluation).epsilon(1e-3));
}

TEST_CASE("runs expected to cost the same are not dealt out by algorithm") {
  Json scenario = swept_scenario();
  scenario["algorithms"] = {{{"name", "sync"}}, {{"name", "allreduce"}}};
  scenario["replicas"] = 20;
  const Study study = study_of(scenario);
  std::set<std::string> labels;
  for (const std::size_t run : runs_of_shard(study, {1, 2})) {
    labels.insert(study.table().runs[run].label);
  }
  CHECK(labels.size() == 2);
}

TEST_CASE("a value that is swept cannot be set") {
  CHECK_THROWS_WITH(study_of(swept_scenario(), {{"/algorithms/1/step_size", 0.5}}),
                    "--set /algorithms/1/step_size: the scenario sweeps this value; set its list "
                    "instead: --set '/sweep/~1algorithms~11~1step_size=[...]'");
}

TEST_CASE("comments in swept objects change nothing") {
  Json scenario = swept_scenario();
  scenario["sweep"] = {{"/cluster/link", {{{"bandwidth", "1Gbps"}, {"latency", "0s"}}}}};
  const std::vector<std::string> plain = hashes_of(study_of(scenario));
  scenario["sweep"]["/cluster/link"][0]["//"] = "an old switch";
  const Study commented = study_of(scenario);
  CHECK(hashes_of(commented) == plain);
  CHECK_FALSE(commented.table().runs[0].point[0].contains("//"));
}

TEST_CASE("a shard is K/N") {
  CHECK(parse_shard("2/8").index == 2);
  CHECK(parse_shard("2/8").count == 8);
  for (const char* text : {"", "2", "/8", "0/8", "9/8", "2/8x", "-1/8", "2/", "a/b", "1/1000000"}) {
    CHECK_THROWS_WITH(parse_shard(text), std::string("--shard: must be K/N with K from 1 to N, "
                                                     "such as 2/8, got '") +
                                             text + "'");
  }
}

}  // namespace
}  // namespace motley
