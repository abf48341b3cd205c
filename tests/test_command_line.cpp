// The commands and their options; what "run" writes and refuses has files of its own.
#include <sys/stat.h>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"
#include "sim/base/shell_word.hpp"
#include "tests/compared.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

TEST_CASE("Without arguments, with --help, -h or help, the program lists its commands") {
  const TemporaryFolder folder;
  const Outcome help = run_motley({"--help"}, folder.path());
  CHECK(help.exit_code == 0);
  CHECK(help.err.empty());
  for (const char* part :
       {"Usage: motley COMMAND [options]\n", "\nRun:\n  run ", "\n  new ", "\n  validate ",
        "\nUnderstand:\n  explain ", "\n  report ", "\nMany runs, many machines:\n  plan ",
        "\n  merge ", "\n  slurm ", "\nFor real:\n  live ", "\n  calibrate ", "\n  compare ",
        "\nReference:\n  algorithms ", "\n  schema ", "\n  bench ",
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
        "Timelines:\n  --trace [FROM:TO] ", "Execution:\n  -j [ --jobs ] N ",
        "Parts:\n  --shard K/N ", "Help:\n  -h [ --help ] "},
       "motley run scenarios/quickstart.json --set /stop/time=60s --out results/short"},
      {"validate",
       "motley validate SCENARIO [options]",
       {"Scenario:\n  --set /pointer=JSON ", "Help:\n  -h [ --help ] "},
       "motley validate scenarios/quickstart.json"},
      {"plan",
       "motley plan SCENARIO [options]",
       {"Scenario:\n  --set /pointer=JSON ", "Results:\n  --out DIR ", "Parts:\n  --shard K/N ",
        "Output:\n  --list "},
       "motley plan scenarios/contention.json --shard 1/4"},
      {"merge",
       "motley merge DIR... --out DIR",
       {"Output:\n  --out DIR "},
       "motley merge shard1 shard2 shard3 --out results/all"},
      {"slurm",
       "motley slurm SCENARIO --tasks N [options]",
       {"Scenario:\n  --set /pointer=JSON ", "Job array:\n  --tasks N ", "Live:\n  --live "},
       "motley slurm scenarios/heterogeneity.json --tasks 16 --partition cpu --submit"},
      {"live",
       "mpirun -n RANKS motley live SCENARIO [options]",
       {"Scenario:\n  --set /pointer=JSON ", "Results:\n  --out DIR ",
        "Timelines:\n  --trace [FROM:TO] ", "Live:\n  --algorithm LABEL "},
       "mpirun -n 9 motley live scenarios/quickstart.json --algorithm async --set /stop/time=30s"},
      {"calibrate",
       "mpirun -n RANKS motley calibrate [SCENARIO] --out FILE [options]",
       {"Scenario:\n  --set /pointer=JSON ", "Results:\n  --out FILE "},
       "mpirun -n 9 motley calibrate scenarios/quickstart.json --out measured.json"},
      {"compare",
       "motley compare SIMULATED LIVE [options]",
       {"Output:\n  --figure FILE "},
       "motley compare results/quickstart results/quickstart_live"},
      {"verdicts",
       "motley verdicts RESULTS --of COLUMN [options]",
       {"Quantity:\n  --of COLUMN ", "Help:\n  -h [ --help ] "},
       "motley verdicts results/quickstart --of final_test_accuracy --more-is-better"},
      {"algorithms",
       "motley algorithms [NAME or WORD] [options]",
       {"Output:\n  --markdown ", "Help:\n  -h [ --help ] "},
       "motley algorithms async"},
      {"new",
       "motley new NAME",
       {"Help:\n  -h [ --help ] "},
       "motley new mine && motley run mine.json"},
      {"schema",
       "motley schema [options]",
       {"Output:\n  --markdown ", "Help:\n  -h [ --help ] "},
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
       "algorithms: too many arguments; usage: motley algorithms [NAME or WORD] [options]"},
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
      {{"slurm", "s.json", "--tasks", "2", "--time", "abc"},
       "--time: must be as Slurm writes it: 90 (minutes), 2:00:00, 1-12 (a day and twelve hours) "
       "or infinite; got 'abc'"},
      {{"slurm", "s.json", "--tasks", "2", "--partition", "a b"},
       "--partition: must be one word, got 'a b'"},
      {{"run", "s.json", "--out", ""}, "--out: must name a folder, got ''"},
      {{"algorithms", "asinc"},
       "algorithms: unknown algorithm 'asinc' (did you mean 'async'?), there are: " +
           names_of_algorithms()}};
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
  CHECK(contains(
      list.out,
      "local         several steps at home, then all models are averaged\n"
      "              Stich, ICLR 2019, arXiv 1805.09767\n"
      "              needs no more than workers; tolerates different data; "
      "models sent per update: 2 (W - 1), every H steps\n"
      "              when a worker is gone: the mean is over those present; one that returns gets "
      "the "
      "model from another worker or the server\n"
      "              step_size, batch_size, momentum = 0.0, weight_decay = 0.0, schedule = "
      "kind \"constant\", rule = kind \"sgd\", local_steps = 8, average = \"all_reduce\", "
      "collective = \"ring\"\n\n"));
  CHECK(contains(list.out, "\nsimuparallel  every worker trains alone"));
  CHECK(contains(list.out, "\nbiased_local  more local steps"));
  CHECK_FALSE(contains(list.out, "default: must be given"));
  for (const std::string name : {"sync", "allreduce", "async", "stale", "local"}) {
    CHECK(contains("\n" + list.out, "\n" + name + " "));
    const Outcome one = run_motley({"algorithms", name}, folder.path());
    INFO(one.out);
    CHECK(one.exit_code == 0);
    CHECK(one.out.starts_with(name + ": "));
    CHECK(contains(one.out,
                   "\n  step_size           eta\n"
                   "                      a number above 0; must be given\n"));
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

TEST_CASE("The algorithms are grouped by family, and found by a word") {
  const TemporaryFolder folder;
  const std::string all = run_motley({"algorithms"}, folder.path()).out;
  std::size_t last = 0;
  for (const char* family :
       {"Synchronous", "Asynchronous", "Local", "Federated", "Decentralised", "Hierarchical"}) {
    CAPTURE(family);
    const std::size_t at = ("\n" + all).find("\n" + std::string(family) + "\n\n");
    REQUIRE(at != std::string::npos);
    CHECK(at >= last);
    last = at;
  }
  CHECK_FALSE(contains(all, "\nOther\n"));
  const auto listed = [&](const std::string& word) {
    const Outcome outcome = run_motley({"algorithms", word}, folder.path());
    CHECK(outcome.exit_code == 0);
    return "\n" + outcome.out;
  };
  const std::string federated = listed("federated");
  CHECK(contains(federated, "\nscaffold "));
  CHECK(contains(federated, "\nfedbuff "));
  CHECK_FALSE(contains(federated, "\nasync "));
  CHECK(listed("FEDERATED") == federated);
  CHECK(contains(listed("Stich"), "\nlocal "));
  CHECK(contains(listed("a graph"), "\nad_psgd "));
  CHECK_FALSE(contains(listed("a graph"), "\nsync "));
  CHECK(contains(listed("failures"), "\nasync "));
  CHECK_FALSE(contains(listed("failures"), "\nallocation "));  // it tolerates neither
  // A name comes before a word; a family of the same name is told, too.
  CHECK(contains(listed("local"), "\nlocal: several steps"));
  CHECK(contains(listed("local"), "\nFamily local: local simuparallel wp_sgd biased_local diloco"));
}

TEST_CASE("Every algorithm says what it needs, tolerates and costs") {
  for (const AlgorithmInfo& info : algorithm_catalog()) {
    CAPTURE(info.name);
    CHECK(info.traits.family != Family::other);
    CHECK(!info.traits.cost.empty());
  }
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
        "0.142857\n"  // speeds 10, 10, 1: mean 7, deviation sqrt(18)
        "data: 200 training and 100 test samples, 5 features, 3 classes of 66 to 67 training "
        "samples\npartition: every worker draws from all training samples\n");

  CHECK_FALSE(place.has("results"));
  check_refused(place.motley({"validate", "s.json", "--set", "/seed=-1"}),
                "s.json: /seed: must be a whole number from 0 to 9007199254740991, got -1");
}

TEST_CASE("Training data of one class only is a warning") {
  const Workplace place;
  const std::string warning =
      "\nwarning: all training samples are of one class: there is nothing to learn\n";
  const auto validated = [&](const std::string& rows) {
    place.write("d.csv", "x,kind\n" + rows);
    return place.motley(
        {"validate", "s.json", "--set", R"(/data={"kind":"csv","path":"d.csv","label":"kind"})"});
  };
  const Outcome one = validated("1,a\n2,a\n3,a\n4,a\n5,a\n");
  CHECK(one.exit_code == 0);
  CHECK(contains(one.out, warning));
  const Outcome two = validated("1,a\n2,b\n3,a\n4,b\n5,a\n6,b\n");
  CHECK(two.exit_code == 0);
  CHECK_FALSE(contains(two.out, warning));
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
      const bool of_images =
          scenario["model"]["kind"] == "cnn" || scenario["model"]["kind"] == "resnet";
      arguments.insert(
          arguments.end(),
          {"--set", of_images ? R"(/data={"kind":"synthetic","features":784,"shape":[1,28,28]})"
                              : R"(/data={"kind":"synthetic"})"});
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
                  "mine.json: exists already; choose another name");
  }
  CHECK(read_file(folder.file("mine.json")) == text);
  // The schema is not written again either.
  folder.write("schema.json", "{}");
  CHECK(run_motley({"new", "other.json"}, folder.path()).out ==
        "wrote other.json; run it with: motley run other.json\n"
        "left schema.json as it is, though this version has another; to renew it: motley schema > "
        "schema.json\n");
  CHECK(read_file(folder.file("schema.json")) == "{}");
  check_refused(run_motley({"new"}, folder.path()), "new: needs a name for the scenario");
  check_refused(
      run_motley({"new", "a b"}, folder.path()),
      "new: must be letters, digits, '-', '_' or '.', not beginning with '.', got \"a b\"");
  check_refused(run_motley({"new", "no/where"}, folder.path()),
                "no/where.json: cannot be written: No such file or directory");
  for (const std::string& place : {"a/" + std::string(5000, 'x'), std::string(300, 'x')}) {
    check_refused(run_motley({"new", place + "/b"}, folder.path()),
                  place + "/b.json: cannot be written: File name too long");
  }
}

TEST_CASE("A new scenario is not written through links that lead nowhere") {
  const TemporaryFolder folder;
  fs::create_symlink("elsewhere.json", folder.path() / "mine.json");
  check_refused(run_motley({"new", "mine"}, folder.path()),
                "mine.json: exists already; choose another name");
  fs::create_symlink("elsewhere.json", folder.path() / "schema.json");
  CHECK(run_motley({"new", "other"}, folder.path()).exit_code == 0);
  CHECK_FALSE(fs::exists(folder.path() / "elsewhere.json"));
  // Nor is a pipe waited for.
  fs::remove(folder.path() / "schema.json");
  REQUIRE(mkfifo(folder.file("schema.json").c_str(), 0600) == 0);
  CHECK(run_motley({"new", "third"}, folder.path()).exit_code == 0);
}

TEST_CASE("A results folder whose name is too long does not exist") {
  const TemporaryFolder folder;
  const std::string name(5000, 'x');
  check_refused(run_motley({"report", name}, folder.path()), "report: no such folder: " + name);
  check_refused(run_motley({"explain", name, "sync", "async"}, folder.path()),
                name + "/runs.csv: no such file; is this a results folder of motley run?");
}

TEST_CASE("slurm --live writes a job with a rank for each worker and server") {
  const Workplace place;
  const Outcome outcome =
      place.motley({"slurm", "s.json", "--live", "--dry-run", "--time", "10:00"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.out, "#SBATCH --ntasks=4\n"));
  CHECK(contains(outcome.out, "#SBATCH --signal=B:TERM@60\n"));
  CHECK(contains(outcome.out, "  mpirun -n 4 --bind-to none "));
  // Where a rank is killed the others are ended, too. A thread of each computes, another moves messages.
  CHECK(contains(outcome.out, "#SBATCH --cpus-per-task=2\n"));
  CHECK(contains(outcome.out, "srun --mpi=pmix --kill-on-bad-exit=1 --cpus-per-task=2 "));
  const Outcome chosen = place.motley({"slurm", "s.json", "--live", "--dry-run", "--cpus", "3",
                                       "--algorithm", "async", "--trace", ":2s"});
  CHECK(contains(chosen.out, "srun --mpi=pmix --kill-on-bad-exit=1 --cpus-per-task=3 "));
  CHECK(contains(chosen.out, " --algorithm async --trace=:2s --out "));
  CHECK(contains(place.motley({"slurm", "s.json", "--live", "--dry-run", "--trace"}).out,
                 " --trace=: --out "));
  for (const char* limit : {"90", "2:00:00", "1-12:30:00", "UNLIMITED", "infinite"}) {
    CHECK(place.motley({"slurm", "s.json", "--live", "--dry-run", "--time", limit}).exit_code == 0);
  }
  check_refused(place.motley({"slurm", "s.json", "--live", "--algorithm", "asinc"}),
                "--algorithm: must be the label of an algorithm of the scenario (did you mean "
                "'async'?), there are: async, sync, got 'asinc'");
  check_refused(place.motley({"slurm", "s.json", "--tasks", "2", "--algorithm", "async"}),
                "--algorithm: is for live runs; add --live or leave it out");
  check_refused(place.motley({"slurm", "s.json", "--live", "--trace=later"}),
                "--trace: must be FROM:TO, such as 10s:20s, 10s: or :20s, got 'later'");
  // What the job would refuse waits in no queue.
  const Outcome swept = place.motley(
      {"slurm", "s.json", "--live", "--dry-run", "--set", R"(/sweep={"/seed": [1, 2]})"});
  CHECK(swept.exit_code == 2);
  CHECK(contains(swept.err, "/sweep: a live run has one cluster"));
  const Outcome tasks = place.motley({"slurm", "s.json", "--live", "--dry-run", "--tasks", "2"});
  CHECK(tasks.exit_code == 2);
  CHECK(contains(tasks.err, "--tasks: a live run is one job"));
  CHECK_FALSE(place.has("results"));
}

TEST_CASE("slurm writes the scripts of a job array and of the job that merges") {
  const Workplace place;
  const std::string out = place.path().string() + "/results/small";
  const std::string program = shell_quoted(MOTLEY_BINARY);  // its folder may have a space
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
      out + "/plan.json ]; then\n  " + program + " merge " + out +
      " --no-whatif --out \"$shard\" >/dev/null 2>&1 || :\nfi\nexec " + program + " run " +
      place.file("s.json") + " --set '/name=\"small\"' --shard \"$SLURM_ARRAY_TASK_ID/2\"" +
      " --jobs 3 --threads 1 --out \"$shard\"\n";
  const std::string merge =
      head + "-merge\n#SBATCH --partition=cpu\n#SBATCH --output=\"" + out +
      "/slurm/merge.log\"\n#SBATCH --open-mode=append\n"
      "# Joins what the tasks have finished; it fails when something is missing.\n"
      "set --\nfor task in $(seq 2); do\n  if [ -d " +
      out + "/shards/$task ]; then set -- \"$@\" " + out + "/shards/$task; fi\ndone\n" + "exec " +
      program + " merge \"$@\" --out " + out + "\n";
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

}  // namespace
}  // namespace motley
