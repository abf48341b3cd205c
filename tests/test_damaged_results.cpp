// Files of a results folder that somebody or something has damaged: they are never trusted, never
// bring the program down, and what they held is done again.
#include <algorithm>
#include <sys/stat.h>

#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"
#include "sim/base/strict_json.hpp"
#include "sim/results/result_files.hpp"
#include "sim/results/run_store.hpp"
#include "tests/mutations.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

using tests::Mutations;
using tests::without_wall_time;

/// A result with something in each of its tables.
RunResult full_result() {
  RunResult result;
  result.virtual_s = 12.5;
  result.updates = 3;
  result.time_to_target_s = 7.25;
  result.best_test_accuracy = 0.75;
  result.curve.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    result.curve[i].time_s = 2.5 * static_cast<double>(i);
    result.curve[i].updates = i;
    result.curve[i].test_loss = 1 / (1.0 + static_cast<double>(i));
  }
  result.workers.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    result.workers[i].name = "w" + std::to_string(i);
    result.workers[i].class_name = "w";
    result.workers[i].speed_flops = 1e9;
  }
  result.links = {{"server_up", 1e9, 1e6, 0.5}};
  result.staleness = {{"w", 0, 2}, {"w", 1, 1}};
  result.decisions = {{0, 1, "batch_size", 8}};
  result.curve[1].kind = EvaluatedModel::oracle;
  result.warnings = {{"chance_level", "never left chance"}};
  return result;
}

const Json description = {{"seed", 1}, {"algorithm", {{"name", "sync"}}}};
const std::string hash = digest(description.dump());

/// A store with one run in it.
class Store : public TemporaryFolder {
 public:
  Store() {
    fs::create_directory(path() / "runs");
    store().save(hash, {{{"version", "1"}}, description, full_result()});
  }
  RunStore store() const { return RunStore(path()); }
  std::string text() const { return read_file(store().file_of(hash)); }
  RunStore::Found with(const std::string& text) const {
    write("runs/" + hash + ".json", text);
    return store().load(hash);
  }
  /// A file whose checksum fits: only what is in it is wrong.
  RunStore::Found with_sealed(const Json& content) const { return with(sealed(content).dump()); }
  Json content() const { return *unsealed(Json::parse(text())); }
};

TEST_CASE("what is saved is found, bit for bit") {
  const Store folder;
  const RunStore::Found found = folder.store().load(hash);
  REQUIRE(found.run);
  CHECK(found.damage.empty());
  CHECK(to_json(found.run->result) == to_json(full_result()));
  CHECK(found.run->description == description);
}

TEST_CASE("a file damaged anywhere is not trusted, unless it means the same") {
  const Store folder;
  const std::string good = folder.text();
  Mutations mutations(1);
  std::size_t refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string bad = mutations.text(good);
    const RunStore::Found found = folder.with(bad);
    if (!found.run) {
      ++refused;
      CHECK(found.damage.starts_with(folder.store().file_of(hash).string() + ": "));
      continue;
    }
    INFO(bad);  // a space more, or the newline less
    REQUIRE(to_json(found.run->result) == to_json(full_result()));
    REQUIRE(found.run->description == description);
  }
  CHECK(refused > 950);
}

TEST_CASE("what has a checksum that fits is read strictly all the same") {
  const Store folder;
  const TemporaryFolder out;
  const Json good = folder.content();
  Mutations mutations(2);
  std::size_t accepted = 0;
  for (int i = 0; i < 150; ++i) {
    Json bad = good;
    bad["result"] = mutations.json(good["result"]);
    const RunStore::Found found = folder.with_sealed(bad);
    CHECK(found.run.has_value() == found.damage.empty());
    if (!found.run) continue;
    // Another number where a number may be: everything that is made of it can be made.
    ++accepted;
    const ResultFiles files(out.path());
    files.write_csvs({}, {found.run->result});
    files.write_statistics({}, found.run->result.algorithm, {found.run->result});
  }
  CHECK(accepted > 0);
  CHECK(accepted < 120);
}

TEST_CASE("the reason names the place") {
  const Store folder;
  const Json good = folder.content();
  const std::string file = folder.store().file_of(hash).string();
  const auto damage_of = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    return folder.with_sealed(bad).damage;
  };
  CHECK(damage_of("/result/curve/1", Json::array()) ==
        file + ": /result/curve/1: must be a list of 12, got []");
  CHECK(damage_of("/result/decisions/0/1", 1000000) ==
        file + ": /result/decisions/0/1: must be the rank of one of the 2 workers, got 1000000");
  CHECK(damage_of("/result/status", "weird") ==
        file + ": /result/status: must be ok, diverged or failed, got \"weird\"");
  CHECK(damage_of("/result/virtual_s", nullptr) ==
        file + ": /result/virtual_s: must be a finite number, got null");
  CHECK(damage_of("/result/updates", -1) ==
        file + ": /result/updates: must be a whole number from 0, got -1");
  CHECK(damage_of("/result/virtual_s", -1) ==
        file + ": /result/virtual_s: must be at least 0, got -1");
  CHECK(damage_of("/result/time_to_target_s", -1) ==
        file + ": /result/time_to_target_s: must be at least 0, got -1");
  CHECK(damage_of("/result/updates", 18446744073709551615U) ==
        file +
            ": /result/updates: must be a count that a run can reach, got "
            "18446744073709551615");
  CHECK(damage_of("/result/staleness/0/2", 18446744073709551615U) ==
        file +
            ": /result/staleness/0/2: must be a count that a run can reach, got "
            "18446744073709551615");
  for (const char* table : {"curve", "workers"}) {
    CHECK(damage_of((std::string("/result/") + table).c_str(), Json::array()) ==
          file + ": /result/" + table + ": must have rows, got []");
  }
  CHECK(damage_of("/result/failures", {{"lost_updates", 0}, {"workers", {{0, 0, 0}}}}) ==
        file + ": /result/failures/workers: must be as many as there are workers, got [[0,0,0]]");
  for (const Json& program : {Json("x"), Json::array({1}), Json()}) {
    CHECK(damage_of("/program", program) ==
          file + ": /program: must be an object, got " + program.dump());
  }
  CHECK(damage_of("/description/seed", 2) == file + ": is the file of another run");
  CHECK(folder.with(good.dump()).damage == file + ": has no checksum");
  CHECK(folder.with("{").damage == file + ": is not the JSON of a run");
  CHECK(folder.with(R"({"checksum": 1, "checksum": 2})").damage ==
        file + ": /checksum: is given twice");
  const std::string too_deep = ": /: is nested more than 100 lists and objects deep";
  CHECK(folder.with(std::string(200'000, '[')).damage == file + too_deep);
  CHECK(
      folder.with(R"({"checksum": )" + std::string(100'000, '[') + std::string(100'000, ']') + "}")
          .damage == file + too_deep);
  Json without_program = good;
  without_program.erase("program");
  CHECK(folder.with_sealed(without_program)
            .damage.starts_with(file + ": /: must have a member \"program\", got "));
}

TEST_CASE("a plan is read strictly, and names no file but those of its runs") {
  const TemporaryFolder folder;
  RunTable table;
  table.axes = {"/seed"};
  table.baseline = "sync";
  table.runs = {{"sync-0-seed=1", hash, "sync", 0, 1, {1}},
                {"sync-0-seed=2", hash, "sync", 0, 2, {2}},
                {"async-0-seed=1", "", "async", 0, 1, {1}, 0, hash},
                {"async-0-seed=2", hash, "async", 0, 2, {2}, 0, hash}};
  table.tuning = {
      {"async", {1}, {"step_size"}, hash, {{{{"step_size", 1}}, 0, {hash, hash}}}, 0, true}};
  const Json good = to_json(table);
  folder.write("plan.json", good.dump(2));
  CHECK(to_json(read_run_table(folder.path() / "plan.json")) == good);

  Mutations mutations(3);
  std::size_t refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const Json changed = mutations.json(*unsealed(good));
    const bool sealed_again = i % 2 == 0 && changed.is_object();
    folder.write("plan.json", sealed_again ? sealed(changed).dump() : mutations.text(good.dump()));
    try {
      const RunTable read = read_run_table(folder.path() / "plan.json");
      if (!sealed_again) REQUIRE(to_json(read) == good);
      for (const std::string& known : read.hashes()) {
        REQUIRE(known.size() == 32);
        REQUIRE(known.find_first_not_of("0123456789abcdef") == std::string::npos);
      }
      for (const RunEntry& run : read.runs) {
        if (run.hash.empty()) REQUIRE(run.tuned_by < read.tuning.size());
        REQUIRE(run.name.find('/') == std::string::npos);
        REQUIRE(run.point.size() == read.axes.size());
      }
    } catch (const InputError& e) {
      ++refused;
      REQUIRE(std::string(e.what()).starts_with(folder.file("plan.json") + ": "));
    }
  }
  CHECK(refused > 600);
}

/// The small scenario run, and its files within reach.
class Results : public Workplace {
 public:
  Results() { REQUIRE(run().exit_code == 0); }

  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path() / "out/runs")) {
      names.push_back("out/runs/" + entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  Json content(const std::string& file) const {
    return *unsealed(Json::parse(read_file(path() / file)));
  }
  void seal(const std::string& file, const Json& content) const {
    write(file, sealed(content).dump());
  }
  std::string state() const { return without_wall_time(result("runs.csv")) + result("curves.csv"); }
};

TEST_CASE("a damaged or foreign file of a run is named, and its run is done again") {
  const Results place;
  const std::string good = place.state();
  const std::string file = place.files()[0];
  const Json content = place.content(file);
  std::string text = read_file(place.path() / file);
  const std::size_t digit = text.find("\"virtual_s\":") + 12;
  text[digit] = text[digit] == '1' ? '2' : '1';
  Json weird = content;
  weird["result"]["status"] = "weird";
  Json short_row = content;
  short_row["result"]["curve"][0] = Json::array();
  Json far_rank = content;
  far_rank["result"]["decisions"] = {{0.0, 1000000, "batch_size", 8.0}};
  const std::vector<std::pair<std::string, std::string>> bad = {
      {text, "its checksum does not fit"},
      {"", "is not the JSON of a run"},
      {read_file(place.path() / place.files()[1]), "is the file of another run"},
      {sealed(weird).dump(), "/result/status: must be ok, diverged or failed, got \"weird\""},
      {sealed(short_row).dump(), "/result/curve/0: must be a list of 12, got []"},
      {sealed(far_rank).dump(),
       "/result/decisions/0/1: must be the rank of one of the 3 workers, got 1000000"}};
  for (const auto& [damaged, why] : bad) {
    CAPTURE(why);
    place.write(file, damaged);
    const Outcome plan = place.motley({"plan", "s.json", "--out", "out"});
    CHECK(plan.exit_code == 0);
    CHECK(contains(plan.out, "\n1 damaged, 1 done, "));
    const Outcome merged = place.motley({"merge", "out", "--out", "merged"});
    CHECK(merged.exit_code == 1);
    CHECK(merged.err.starts_with("motley: " + file + ": " + why +
                                 ": the file is damaged and left out\nmotley: 1 run is missing"));
    fs::remove_all(place.path() / "merged");
    const Outcome again = place.run({"--quiet"});
    CHECK(again.exit_code == 0);
    CHECK(again.err ==
          "motley: " + file + ": " + why + ": the file is damaged; its run is done again\n");
    CHECK(place.state() == good);
    CHECK(place.run({"--quiet"}).err.empty());
  }
}

TEST_CASE("what lies where a run's file goes and is no file does not stop the program for ever") {
  const Results place;
  const std::string good = place.state();
  const std::string file = place.files()[0];
  fs::remove(place.path() / file);
  REQUIRE(mkfifo(place.file(file).c_str(), 0600) == 0);
  CHECK(place.run().exit_code == 0);
  CHECK(place.state() == good);

  fs::remove(place.path() / file);
  fs::create_directory(place.path() / file);
  check_refused(place.run(), file + ": is a folder where a run's file goes: remove it");
}

TEST_CASE("explain says what is wrong with the table of runs, and waits for no pipe") {
  const Results place;
  const auto explained = [&] { return place.motley({"explain", "out", "async", "sync"}); };
  REQUIRE(explained().exit_code == 0);
  place.write("out/runs.csv", "");
  check_refused(explained(), "out/runs.csv: has no runs");
  fs::remove(place.path() / "out/runs.csv");
  REQUIRE(mkfifo(place.file("out/runs.csv").c_str(), 0600) == 0);
  check_refused(explained(),
                "out/runs.csv: is a FIFO (a pipe), not a file: write what comes out of it to one");
}

TEST_CASE("damage anywhere in a results folder ends in the same results or a refusal") {
  const Results place;
  const std::string good = place.state();
  Mutations mutations(4);
  for (int i = 0; i < 12; ++i) {
    std::vector<std::string> files = place.files();
    for (const char* name : {"plan.json", "scenario.json", "runs.csv", "provenance.json"}) {
      files.push_back(std::string("out/") + name);
    }
    const std::string file = files[mutations.below(files.size())];
    const std::string text = read_file(place.path() / file);
    const bool keep_checksum = text.starts_with("{\"checksum\"") && mutations.below(2) == 0;
    Json content = keep_checksum ? place.content(file) : Json();
    if (keep_checksum) {
      // Numbers that are possible cannot be told from others by their looks.
      content["result"] = mutations.below(2) == 0 ? Json() : Json::array({mutations.json(content)});
    }
    place.write(file, keep_checksum ? sealed(content).dump() : mutations.text(text));
    CAPTURE(i, file, read_file(place.path() / file));
    const Outcome merged = place.motley({"merge", "out", "--out", "merged"});
    REQUIRE(merged.exit_code <= 2);
    fs::remove_all(place.path() / "merged");
    REQUIRE(place.run().exit_code == 0);
    REQUIRE(place.state() == good);
  }
}

TEST_CASE("merge writes nothing outside its folder, whatever a plan says") {
  const Results place;
  Json plan = place.content("out/plan.json");
  fs::copy(place.path() / place.files()[0], place.path() / "out/evil.json");
  plan["runs"][0]["hash"] = "../evil";
  place.seal("out/plan.json", plan);
  fs::create_directory(place.path() / "merged");
  check_refused(place.motley({"merge", "out", "--out", "merged/inner"}),
                "out/plan.json: /runs/0/hash: must be 32 hexadecimal digits, got \"../evil\"");
  CHECK(fs::is_empty(place.path() / "merged"));

  plan["runs"][0]["hash"] = "0";
  place.write("out/plan.json", plan.dump());
  check_refused(place.motley({"merge", "out", "--out", "merged/inner"}),
                "out/plan.json: is damaged, or of another version of motley: its checksum is "
                "missing");
}

TEST_CASE("merge takes a run from the folder where its file is whole") {
  const Results place;
  fs::copy(place.path() / "out", place.path() / "twin", fs::copy_options::recursive);
  const std::string file = place.files()[0];
  place.write(file, "{}");
  const Outcome merged = place.motley({"merge", "out", "twin", "--out", "merged"});
  CHECK(merged.exit_code == 0);
  CHECK(merged.err == "motley: " + file + ": has no checksum: the file is damaged and left out\n");
  CHECK(place.motley({"merge", "twin", "--out", "out"}).exit_code == 0);
  CHECK(read_file(place.path() / file) ==
        read_file(place.path() / "twin/runs" / fs::path(file).filename()));
}

}  // namespace
}  // namespace motley
