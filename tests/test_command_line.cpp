#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/input/place.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"

namespace motley {
namespace {

namespace fs = std::filesystem;
using tests::Environment;
using tests::lines_of;
using tests::Outcome;
using tests::read_file;
using tests::rows_of;
using tests::run_motley;
using tests::TemporaryFolder;

const std::string small = R"({
  "name": "small",
  "data": {"kind": "synthetic", "train": 200, "test": 100, "features": 5, "classes": 3},
  "model": {"kind": "softmax"},
  "cluster": {
    "workers": [{"name": "gpu", "count": 2, "speed": "1Gf"}, {"name": "cpu", "speed": "100Mf"}],
    "server": {"speed": "1Gf"},
    "link": {"bandwidth": "1Gbps", "latency": "10us"}
  },
  "target": {"accuracy": 0.5},
  "stop": {"updates": 20},
  "defaults": {"batch_size": 8, "step_size": 0.1},
  "algorithms": [{"name": "sync"}, {"name": "async"}]
})";

/// A folder with the small scenario in it, in which the program runs.
class Workplace : public TemporaryFolder {
 public:
  Workplace() { write("s.json", small); }

  Outcome motley(const std::vector<std::string>& arguments,
                 const Environment& environment = {}) const {
    return run_motley(arguments, path(), environment);
  }
  /// `motley run s.json --out out` and more.
  Outcome run(const std::vector<std::string>& more = {},
              const Environment& environment = {}) const {
    std::vector<std::string> arguments = {"run", "s.json", "--out", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return motley(arguments, environment);
  }
  Outcome run_with(const std::string& override) const { return run({"--set", override}); }
  std::string result(const std::string& name) const { return read_file(path() / "out" / name); }
  bool has(const std::string& name) const { return fs::exists(path() / name); }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void check_refused(const Outcome& outcome, const std::string& message) {
  CHECK(outcome.err == "motley: " + message + "\n");
  CHECK(outcome.out.empty());
  CHECK(outcome.exit_code == 2);
}

/// The overrides one at a time: each must be refused with its message and leave nothing behind.
struct Mistake {
  std::string override;
  std::string message;
};

void check_mistakes(const Workplace& place, const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    INFO(mistake.override);
    check_refused(place.run_with(mistake.override), mistake.message);
    CHECK_FALSE(place.has("out"));
    CHECK_FALSE(place.has("results"));
  }
}

TEST_CASE("Without arguments, with --help, -h or help, the program lists its commands") {
  const TemporaryFolder folder;
  const Outcome help = run_motley({"--help"}, folder.path());
  CHECK(help.exit_code == 0);
  CHECK(help.err.empty());
  for (const char* part :
       {"Usage: motley COMMAND [options]\n", "\nCommands:\n", "\n  run ", "\n  new ",
        "\n  validate ", "\n  plan ", "\n  merge ", "\n  slurm ", "\n  algorithms ",
        "\nExample:\n  motley run scenarios/quickstart.json\n"}) {
    INFO(part);
    CHECK(contains(help.out, part));
  }
  CHECK(run_motley({}, folder.path()).out == help.out);
  CHECK(run_motley({"-h"}, folder.path()).out == help.out);
  CHECK(run_motley({"help"}, folder.path()).out == help.out);
}

TEST_CASE("The help of every command has its usage, its named groups of options and an example") {
  struct Help {
    std::string command;
    std::string usage;
    std::vector<std::string> groups;
    std::string example;
  };
  const std::vector<Help> all = {
      {"run",
       "motley run SCENARIO [options]",
       {"Scenario:\n  --set /pointer=JSON ", "Results:\n  --out DIR ",
        "Execution:\n  -j [ --jobs ] N ", "Parts:\n  --shard K/N ", "Help:\n  -h [ --help ] "},
       "motley run scenarios/quickstart.json --set /stop/time=60s --out results/short"},
      {"validate",
       "motley validate SCENARIO [options]",
       {"Scenario:\n  --set /pointer=JSON ", "Help:\n  -h [ --help ] "},
       "motley validate scenarios/quickstart.json"},
      {"plan",
       "motley plan SCENARIO [options]",
       {"Scenario:\n  --set /pointer=JSON ", "Results:\n  --out DIR ", "Parts:\n  --shard K/N "},
       "motley plan scenarios/contention.json --shard 1/4"},
      {"merge",
       "motley merge DIR... --out DIR",
       {"Output:\n  --out DIR "},
       "motley merge shard1 shard2 shard3 --out results/all"},
      {"slurm",
       "motley slurm SCENARIO --tasks N [options]",
       {"Scenario:\n  --set /pointer=JSON ", "Job array:\n  --tasks N "},
       "motley slurm scenarios/heterogeneity.json --tasks 16 --partition cpu --submit"},
      {"algorithms",
       "motley algorithms [NAME]",
       {"Help:\n  -h [ --help ] "},
       "motley algorithms async"},
      {"new",
       "motley new NAME",
       {"Help:\n  -h [ --help ] "},
       "motley new mine && motley run mine.json"},
      {"schema",
       "motley schema",
       {"Help:\n  -h [ --help ] "},
       "motley schema > scenarios/schema.json"}};
  const TemporaryFolder folder;
  for (const Help& expected : all) {
    const Outcome help = run_motley({expected.command, "--help"}, folder.path());
    INFO(help.out);
    CHECK(help.exit_code == 0);
    CHECK(help.err.empty());
    CHECK(contains(help.out, "\n\nUsage: " + expected.usage + "\n\n"));
    for (const std::string& group : expected.groups) CHECK(contains(help.out, "\n\n" + group));
    CHECK(contains(help.out, "\n\nExample:\n  " + expected.example + "\n"));
    CHECK(run_motley({expected.command, "-h"}, folder.path()).out == help.out);
  }
}

TEST_CASE("--version tells the version and the commit") {
  const TemporaryFolder folder;
  const Outcome version = run_motley({"--version"}, folder.path());
  CHECK(version.exit_code == 0);
  CHECK(version.err.empty());
  CHECK_THAT(version.out,
             Catch::Matchers::Matches(R"(motley [0-9]+\.[0-9]+\.[0-9]+ \([-0-9a-z.]+\)\n)"));
}

TEST_CASE("A command line that cannot be understood is refused with what is near") {
  const Workplace place;
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"rnu"}, "unknown command 'rnu' (did you mean 'run'?); see 'motley --help'"},
      {{"--verson"}, "unknown command '--verson'; see 'motley --help'"},
      {{"run", "s.json", "--otu", "x"},
       "run: unknown option '--otu' (did you mean '--out'?); see 'motley run --help'"},
      {{"run", "s.json", "--thread", "2"},
       "run: unknown option '--thread' (did you mean '--threads'?); see 'motley run --help'"},
      {{"run", "s.json", "-x"}, "run: unknown option '-x'; see 'motley run --help'"},
      {{"validate", "s.json", "--out", "x"},
       "validate: unknown option '--out'; see 'motley validate --help'"},
      {{"run"}, "run: needs a scenario file, such as scenarios/quickstart.json"},
      {{"validate"}, "validate: needs a scenario file, such as scenarios/quickstart.json"},
      {{"run", "s.json", "s.json"},
       "run: too many arguments; usage: motley run SCENARIO [options]"},
      {{"algorithms", "sync", "async"},
       "algorithms: too many arguments; usage: motley algorithms [NAME]"},
      {{"run", "s.json", "--set"},
       "run: the required argument for option '--set' is missing; see 'motley run --help'"},
      {{"run", "s.json", "--set", "seed=1"},
       "--set: must be /pointer=JSON, such as /stop/time=\"10s\", got 'seed=1'"},
      {{"run", "s.json", "--quiet=1"},
       "run: option '--quiet' does not take any arguments; see 'motley run --help'"},
      {{"run", "s.json", "--jobs", "0"}, "--jobs: must be from 1 to 1024, got 0"},
      {{"run", "s.json", "--jobs=-3"}, "--jobs: must be from 1 to 1024, got -3"},
      {{"run", "s.json", "-j", "two"},
       "run: the argument ('two') for option '--jobs' is invalid; see 'motley run --help'"},
      {{"run", "s.json", "--threads", "0"}, "--threads: must be from 1 to 1024, got 0"},
      {{"run", "s.json", "--threads", "1000000"}, "--threads: must be from 1 to 1024, got 1000000"},
      {{"run", "s.json", "--threads", "1.5"},
       "run: the argument ('1.5') for option '--threads' is invalid; see 'motley run --help'"},
      {{"run", "s.json", "--shard", "3/2"},
       "--shard: must be K/N with K from 1 to N, such as 2/8, got '3/2'"},
      {{"merge", "a"},
       "merge: needs results folders and --out; usage: motley merge DIR... --out DIR"},
      {{"slurm", "s.json"},
       "slurm: needs --tasks N; usage: motley slurm SCENARIO --tasks N [options]"},
      {{"slurm", "s.json", "--tasks", "2", "--partition", "a b"},
       "--partition: must be one word, got 'a b'"},
      {{"run", "s.json", "--out", ""}, "--out: must name a folder, got ''"},
      {{"algorithms", "asinc"},
       "algorithms: unknown algorithm 'asinc' (did you mean 'async'?), there are: sync, allreduce, "
       "async, stale, local, grouping, simuparallel, wp_sgd, biased_local, od_sgd, allocation, "
       "backup"}};
  for (const auto& [arguments, message] : cases) {
    INFO(arguments.back());
    check_refused(place.motley(arguments), message);
    CHECK_FALSE(place.has("results"));
  }
}

TEST_CASE("The algorithms are listed with paper and parameters, and each is explained") {
  const TemporaryFolder folder;
  const Outcome list = run_motley({"algorithms"}, folder.path());
  CHECK(list.exit_code == 0);
  CHECK(list.err.empty());
  CHECK(
      contains(list.out,
               "local       several steps at home, then all models are averaged\n"
               "            Stich, ICLR 2019, arXiv 1805.09767\n"
               "            step_size, batch_size, momentum = 0.0, weight_decay = 0.0, schedule = "
               "kind \"constant\", local_steps = 8, average = \"all_reduce\"\n\n"));
  for (const std::string name : {"sync", "allreduce", "async", "stale", "local"}) {
    CHECK(contains("\n" + list.out, "\n" + name + " "));
    const Outcome one = run_motley({"algorithms", name}, folder.path());
    INFO(one.out);
    CHECK(one.exit_code == 0);
    CHECK(one.out.starts_with(name + ": "));
    CHECK(contains(one.out,
                   "\n  step_size           eta\n"
                   "                      a number above 0; default: must be given\n"));
  }
  const std::string async = run_motley({"algorithms", "async"}, folder.path()).out;
  CHECK(contains(async,
                 "\n  softsync            n: one update of the mean of floor(W/n) gradients; "
                 "absent: of every gradient\n"
                 "                      a whole number of at least 1; default: none\n"));
  CHECK(contains(async,
                 "\n    floor               smallest step size, as a share of step_size\n"
                 "                        a number from 0 to 1; default: 0.0; only with kind "
                 "cosine\n"));
}

TEST_CASE("validate describes a scenario and writes nothing") {
  const Workplace place;
  const Outcome outcome = place.motley({"validate", "s.json"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out ==
        "valid\nsmall: 2 runs, 3 workers (2 gpu, 1 cpu), 18 parameters, synthetic, 3 Gaussian "
        "classes of 5 features, 4 standard deviations apart, 200 for training, 100 for testing\n"
        "heterogeneity: speed ratio 10, coefficient of variation 0.606092, sync efficiency "
        "0.142857\n");  // speeds 10, 10, 1: mean 7, deviation sqrt(18)

  CHECK_FALSE(place.has("results"));
  check_refused(place.motley({"validate", "s.json", "--set", "/seed=-1"}),
                "s.json: /seed: must be a whole number of at least 0, got -1");
}

TEST_CASE("The scenarios that come with the program are valid") {
  const TemporaryFolder folder;
  std::size_t scenarios = 0;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(MOTLEY_SOURCE_DIR) / "scenarios")) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "schema.json") continue;
    ++scenarios;
    // With made-up data: whether real data is installed is not what is asked here.
    const Json scenario = Json::parse(read_file(entry.path()));
    std::vector<std::string> arguments = {"validate", entry.path().string()};
    if (scenario.contains("data") && scenario["data"]["kind"] != "synthetic") {
      arguments.insert(arguments.end(), {"--set", R"(/data={"kind":"synthetic"})"});
    }
    const Outcome outcome = run_motley(arguments, folder.path());
    INFO(entry.path() << ": " << outcome.err);
    CHECK(outcome.exit_code == 0);
  }
  CHECK(scenarios > 0);
}

TEST_CASE("A new scenario runs as it is, and what is there is never overwritten") {
  const TemporaryFolder folder;
  const Outcome made = run_motley({"new", "mine"}, folder.path());
  CHECK(made.exit_code == 0);
  CHECK(made.err.empty());
  CHECK(made.out ==
        "wrote mine.json; run it with: motley run mine.json\n"
        "wrote schema.json, from which editors complete and check it\n");
  CHECK(contains(read_file(folder.file("mine.json")), "\n  \"name\": \"mine\",\n"));
  const Outcome run = run_motley({"run", "mine.json", "--set", "/stop/time=5s"}, folder.path());
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  for (const auto& row : rows_of(read_file(folder.path() / "results" / "mine" / "runs.csv"))) {
    CHECK(row.at("status") == "ok");
    CHECK(row.at("speed_ratio") == "4");
  }

  const std::string text = read_file(folder.write("mine.json", "{}"));
  for (const char* name : {"mine", "mine.json"}) {
    check_refused(run_motley({"new", name}, folder.path()),
                  "mine.json: is there already; choose another name");
  }
  CHECK(read_file(folder.file("mine.json")) == text);
  // The schema is not written again either.
  folder.write("schema.json", "{}");
  CHECK(run_motley({"new", "other.json"}, folder.path()).out ==
        "wrote other.json; run it with: motley run other.json\n"
        "left schema.json as it is, though this version's is another; to renew it: motley schema > "
        "schema.json\n");
  CHECK(read_file(folder.file("schema.json")) == "{}");
  check_refused(run_motley({"new"}, folder.path()), "new: needs a name for the scenario");
  check_refused(
      run_motley({"new", "a b"}, folder.path()),
      "new: must be letters, digits, '-', '_' or '.', not beginning with '.', got \"a b\"");
  check_refused(run_motley({"new", "no/where"}, folder.path()),
                "no/where.json: cannot be written: No such file or directory");
}

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
                        "decisions.csv", "summary.csv", "bands.csv"}));
  CHECK(lines_of(place.result("runs.csv"))[0] ==
        "run,algorithm,replica,seed,status,virtual_s,updates,gradients,samples,epochs,bytes,"
        "final_test_accuracy,best_test_accuracy,final_test_loss,time_to_target_s,compute_s,"
        "transfer_s,wait_s,discarded_s,mean_staleness,max_staleness,wall_s,peak_rss_mb,reason,"
        "speed_ratio,speed_cv,sync_efficiency");
  CHECK(lines_of(place.result("curves.csv"))[0] ==
        "run,time_s,updates,samples,epochs,bytes,train_loss,test_loss,test_accuracy");
  CHECK(lines_of(place.result("workers.csv"))[0] ==
        "run,worker,class,speed,compute_s,transfer_s,wait_s,discarded_s,gradients,samples,"
        "mean_staleness,max_staleness,data_samples");
  CHECK(lines_of(place.result("staleness.csv"))[0] == "run,class,staleness,count");
  CHECK(lines_of(place.result("links.csv"))[0] ==
        "run,link,bandwidth_Bps,bytes,busy_share,utilisation,max_utilisation,links");

  CHECK(lines_of(place.result("summary.csv"))[0] ==
        "algorithm,n,reached,failed,diverged,time_to_target_mean_s,time_to_target_median_s,"
        "time_to_target_low_s,time_to_target_high_s,baseline,speedup,speedup_low,speedup_high,"
        "speedup_pairs,final_accuracy_mean,final_accuracy_low,final_accuracy_high,"
        "best_accuracy_mean,best_accuracy_low,best_accuracy_high,accuracy_at_25,accuracy_at_50,"
        "accuracy_at_75,accuracy_at_100,utilisation,bytes_to_target");

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
  // One row an algorithm, that says of its only run what runs.csv says.
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
  // One row a worker of each run, in the order of ranks.
  std::string workers;
  for (const auto& row : rows_of(place.result("workers.csv"))) {
    workers += row.at("run") + ":" + row.at("worker") + ":" + row.at("class") + " ";
  }
  CHECK(workers ==
        "sync-0:gpu0:gpu sync-0:gpu1:gpu sync-0:cpu0:cpu "
        "async-0:gpu0:gpu async-0:gpu1:gpu async-0:cpu0:cpu ");
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

TEST_CASE("slurm writes the scripts of a job array and of the job that merges") {
  const Workplace place;
  const std::string out = place.path().string() + "/results/small";
  const std::string head = "#!/bin/sh\n#SBATCH --job-name=motley-small";
  const std::string array =
      head + "\n#SBATCH --partition=cpu\n#SBATCH --output=\"" + out +
      "/slurm/task-%a.log\"\n#SBATCH --open-mode=append\n#SBATCH --array=1-2\n"
      "#SBATCH --cpus-per-task=3\n#SBATCH --time=1:00:00\n"
      "shard=" +
      out +
      "/shards/\"$SLURM_ARRAY_TASK_ID\"\n"
      "# Each task is a shard; submitted again, it does only what is missing there and in the\n"
      "# joined results.\nif [ -f " +
      out + "/plan.json ]; then\n  " MOTLEY_BINARY " merge " + out +
      " --out \"$shard\" >/dev/null 2>&1 || :\nfi\nexec " MOTLEY_BINARY " run " +
      place.file("s.json") + " --set '/name=\"small\"' --shard \"$SLURM_ARRAY_TASK_ID/2\"" +
      " --jobs 3 --threads 1 --out \"$shard\"\n";
  const std::string merge =
      head + "-merge\n#SBATCH --partition=cpu\n#SBATCH --output=\"" + out +
      "/slurm/merge.log\"\n#SBATCH --open-mode=append\n"
      "# Joins what the tasks have finished; it fails when something is missing.\n"
      "set --\nfor task in $(seq 2); do\n  if [ -d " +
      out + "/shards/$task ]; then set -- \"$@\" " + out + "/shards/$task; fi\ndone\n" +
      "exec " MOTLEY_BINARY " merge \"$@\" --out " + out + "\n";
  std::vector<std::string> command = {"slurm",   "s.json", "--set",       "/name=\"small\"",
                                      "--tasks", "9",      "--partition", "cpu",
                                      "--cpus",  "3",      "--time",      "1:00:00"};
  const Outcome written = place.motley(command);
  CHECK(written.exit_code == 0);
  CHECK(read_file(out + "/slurm/array.sh") == array);
  CHECK(read_file(out + "/slurm/merge.sh") == merge);
  CHECK(contains(written.out, "sbatch --dependency=afterany:$array " + out + "/slurm/merge.sh\n"));

  fs::remove_all(place.path() / "results");
  command.push_back("--dry-run");
  CHECK(place.motley(command).out ==
        array + "\n" + merge +
            "\n# submitted by: array=$(sbatch --parsable array.sh) && sbatch "
            "--dependency=afterany:$array merge.sh\n");
  CHECK_FALSE(place.has("results"));
  command.back() = "--submit";
  const Outcome nowhere = place.motley(command, {{"PATH", "/nowhere"}});
  CHECK(nowhere.exit_code == 1);
  CHECK(contains(nowhere.err, "failed; is this a Slurm cluster?\n"));
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
       "the test loss is not finite after 1 updates: try a smaller step_size"},
      {{"/defaults/step_size=1e30"},
       "the test loss is more than 1000 times the initial one after 1 updates: try a "
       "smaller "
       "step_size"},
      {{"/defaults/step_size=1e4", "/stop/diverged_above=20.5"},
       "the test loss is more than 20.5 times the initial one after 1 updates: try a smaller "
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

std::string platform_of(const std::string& hosts) {
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n<zone id=\"zone\" routing=\"Full\">\n" +
         hosts + "</zone>\n</platform>\n";
}

std::string host(const std::string& name, const std::string& role) {
  return "<host id=\"" + name + "\" speed=\"1Gf\">" +
         (role.empty() ? "" : "<prop id=\"role\" value=\"" + role + "\"/>") + "</host>\n";
}

TEST_CASE("When one run fails the others are kept and the exit code is 1") {
  const Workplace place;
  // The ring has a way around, but nobody reaches the server.
  place.write("cut.xml",
              platform_of(host("a", "worker") + host("b", "worker") + host("c", "server") +
                          "<link id=\"ab\" bandwidth=\"1GBps\" latency=\"1us\"/>\n"
                          "<route src=\"a\" dst=\"b\"><link_ctn id=\"ab\"/></route>\n"));
  const Outcome outcome = place.run(
      {"--set", R"(/cluster={"platform":"cut.xml"})", "--set", "/algorithms/0/name=local"});
  CHECK(outcome.exit_code == 1);
  CHECK(contains(outcome.out, "\n  async failed: "));
  CHECK(outcome.out.ends_with("\nResults: out\n"));
  const auto runs = rows_of(place.result("runs.csv"));
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].at("algorithm") == "local");
  CHECK(runs[0].at("status") == "ok");
  CHECK(runs[1].at("algorithm") == "async");
  CHECK(runs[1].at("status") == "failed");
  CHECK(contains(runs[1].at("reason"), "there is no connecting path between these two hosts"));
}

TEST_CASE("A mistake in the scenario is one line with its place, and nothing is written") {
  const Workplace place;
  check_mistakes(
      place,
      {{"/stop/updates=many",
        R"(s.json: /stop/updates: must be a whole number of at least 1, got "many")"},
       {"/cluster/workers/0/speed=-1Tf",
        "s.json: /cluster/workers/0/speed: must be a speed in flops per second with its unit, "
        "above "
        R"(0, got "-1Tf")"},
       {"/cluster/workers/0/speed=0Tf",
        "s.json: /cluster/workers/0/speed: must be a speed in flops per second with its unit, "
        "above "
        R"(0, got "0Tf")"},
       {"/cluster/workers/0/speed=1Tflops",
        "s.json: /cluster/workers/0/speed: unknown unit 'Tflops' for a speed in flops per second "
        "(did "
        "you mean 'Tf'?), "
        R"(use one of f, kf, Mf, Gf, Tf, Pf, got "1Tflops")"},
       {"/cluster/link/bandwidth=10",
        "s.json: /cluster/link/bandwidth: must be a data rate with its unit, such as \"10Gbps\" in "
        "quotes, got 10"},
       {"/cluster/workers/0/count=0",
        "s.json: /cluster/workers/0/count: must be a whole number from 1 to 10000000, got 0"},
       {"/cluster/workers/0/count=1e12",
        "s.json: /cluster/workers/0/count: must be a whole number from 1 to 10000000, got "
        "1000000000000.0"},
       {"/cluster/workers=[]",
        "s.json: /cluster/workers: must list at least one class of workers, or give \"platform\""},
       {"/cluster/workers/0/samples_per_s=5",
        R"(s.json: /cluster/workers/0: needs exactly one of "speed" and "samples_per_s")"},
       {"/target/accuracy=1.5",
        "s.json: /target/accuracy: must be a number above 0 and at most 1, got 1.5"},
       {R"(/model={"kind":"mlp","hidden":[8,0]})",
        "s.json: /model/hidden/1: must be a whole number of at least 1, got 0"},
       {"/name=../elsewhere",
        "s.json: /name: must be letters, digits, '-', '_' or '.', not beginning with '.', got "
        "\"../elsewhere\""},
       {"/algorithms=[]", "s.json: /algorithms: must list at least one algorithm"},
       {R"(/algorithms={"name":"sync"})",
        R"(s.json: /algorithms: must be a list in square brackets, got {"name":"sync"})"},
       {"/algorithms/7/step_size=1",
        "--set: /algorithms/7/step_size: there is no /algorithms/7 in the scenario to set it in"},
       {"/a\nb=1",
        "s.json: /a b: unknown key, known here: $schema, name, seed, data, model, cluster, cost, "
        "network, approximate, target, stop, evaluate, defaults, algorithms, baseline, "
        "replicas or sweep"}});
}

TEST_CASE("A mistake in an algorithm's parameters is one line with its place") {
  const Workplace place;
  check_mistakes(
      place,
      {{"/algorithms/0/name=snyc",
        "s.json: /algorithms/0/name: unknown algorithm 'snyc' (did you mean 'sync'?), there are: "
        "sync, allreduce, async, stale, local, grouping, simuparallel, wp_sgd, biased_local, "
        "od_sgd, allocation, backup"},
       {"/algorithms/1=async",
        "s.json: /algorithms/1: must be an object with the \"name\" of an algorithm, got "
        "\"async\""},
       {"/algorithms/1={}",
        "s.json: /algorithms/1: must be an object with the \"name\" of an algorithm, got {}"},
       {"/algorithms/1/name=5", "s.json: /algorithms/1/name: must be text in quotes, got 5"},
       {"/algorithms/1/stepsize=1",
        "s.json: /algorithms/1/stepsize: unknown key (did you mean 'step_size'?), known here: "
        "step_size, batch_size, momentum, weight_decay, schedule, fetch_every, push_every, "
        "staleness_scaling, softsync, overlap or placement"},
       {"/algorithms/1/step_size=0",
        "s.json: /algorithms/1/step_size: must be a number above 0, got 0"},
       {"/algorithms/1/softsync=4",
        "s.json: /algorithms/1/softsync: must be at most the number of workers, 3, got 4"},
       {R"(/algorithms/1={"name":"sync","label":"sync"})",
        "s.json: /algorithms/1/label: must differ from the other algorithms' labels, got \"sync\""},
       {"/algorithms/1/schedule={\"kind\":\"step\",\"factor\":0.5}",
        "s.json: /algorithms/1/schedule: needs \"every_epochs\": a number above 0 (epochs between "
        "two steps)"},
       {"/defaults=[]", "s.json: /defaults: must be an object in braces, got []"},
       {"/defaults/local_steps=4",
        "s.json: /defaults/local_steps: unknown key, known here: step_size, batch_size, momentum, "
        "weight_decay, schedule, overlap or placement"},
       {"/defaults={\"step_size\":0.1}",
        "s.json: /algorithms/0: needs \"batch_size\": a whole number of at least 1 (samples of one "
        "gradient of one worker)"}});
  Json no_server = Json::parse(small);
  no_server["cluster"].erase("server");
  place.write("s.json", no_server.dump());
  check_refused(place.run(),
                "s.json: /algorithms/0: sync needs a server: add \"server\" to /cluster");
  CHECK_FALSE(place.has("out"));
}

TEST_CASE("A scenario file that cannot be read is refused with the reason") {
  const Workplace place;
  place.write("broken.json", "{\n  \"name\": \"x\",\n  \"seed\" 1\n}\n");
  place.write("twice.json", R"({"name": "x", "stop": {"time": "1s", "time": "2s"}})");
  fs::create_directory(place.path() / "folder");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"broken.json",
       "broken.json: not valid JSON at line 3, column 10: syntax error while parsing object "
       "separator - unexpected number literal; expected ':'"},
      {"twice.json", "twice.json: /stop/time: is given twice"},
      {"none.json", "none.json: cannot be read (no such file, or no permission)"},
      {"folder", "folder: is a folder, not a file"}};
  for (const auto& [file, message] : cases) {
    check_refused(place.motley({"run", file, "--out", "out"}), message);
    CHECK_FALSE(place.has("out"));
  }
}

TEST_CASE("Missing data is refused with where it was looked for or what to install") {
  const Workplace place;
  fs::create_directory(place.path() / "empty");
  const std::string empty = place.file("empty");
  check_refused(
      place.run({"--set", R"(/data={"kind":"fashion_mnist"})"}, {{"MOTLEY_FASHION_MNIST", empty}}),
      "s.json: /data: Fashion-MNIST is not installed: apt-get install "
      "dataset-fashion-mnist (looked in " +
          empty + ")");
  check_mistakes(
      place,
      {{R"(/data={"kind":"idx","path":"empty"})",
        "s.json: /data/path: empty/train-images-idx3-ubyte: no such file, neither plain nor .gz"},
       {R"(/data={"kind":"csv","path":"no.csv","label":"x"})",
        "s.json: /data/path: no.csv: no such file, or it cannot be read"}});
}

TEST_CASE("An output folder that cannot be made is refused") {
  const Workplace place;
  // Below a regular file: no user, not even root, can make a folder there.
  for (const std::string folder : {"s.json/out", "s.json"}) {
    check_refused(place.motley({"run", "s.json", "--out", folder}),
                  folder +
                      ": the output folder cannot be made: Not a directory (choose another "
                      "with --out)");
  }
  CHECK(read_file(place.file("s.json")) == small);
}

TEST_CASE("A platform file that cannot be used is refused with the reason") {
  const Workplace place;
  place.write("text.xml", "hello\n");
  place.write("no_worker.xml", platform_of(host("a", "") + host("b", "server")));
  place.write("boss.xml", platform_of(host("a", "worker") + host("b", "boss")));
  const auto with = [](const std::string& file) {
    return R"(/cluster={"platform":")" + file + "\"}";
  };
  check_mistakes(
      place,
      {{with("none.xml"), "s.json: /cluster/platform: no such file: none.xml"},
       {with("text.xml"),
        "s.json: /cluster/platform: SimGrid cannot read the platform file 'text.xml': Parse error "
        "at text.xml:1: Invalid XML (XML input line 1, state 1): Unexpected character `h' in "
        "prolog."},
       {with("no_worker.xml"),
        "s.json: /cluster/platform: 'no_worker.xml' has no worker: give hosts <prop id=\"role\" "
        "value=\"worker\"/>"},
       {with("boss.xml"),
        "s.json: /cluster/platform: 'boss.xml': host b has role 'boss', which must be worker or "
        "server"},
       {"/cluster/platform=boss.xml",
        "s.json: /cluster/platform: describes the whole cluster: remove workers, server, servers "
        "and link"}});
}

}  // namespace
}  // namespace motley
