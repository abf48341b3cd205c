// Mistakes in what "motley run" is given: one line each, and nothing written.
#include <fstream>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"
#include "tests/compared.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

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

TEST_CASE("A mistake in the scenario is one line with its place, and nothing is written") {
  const Workplace place;
  check_mistakes(
      place,
      {{"/stop/updates=many",
        R"(s.json: /stop/updates: must be a whole number from 1 to 9007199254740991, got "many")"},
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
        "s.json: /model/hidden/1: must be a whole number from 1 to 1000000, got 0"},
       {"/name=../elsewhere",
        "s.json: /name: must be letters, digits, '-', '_' or '.', not beginning with '.', got "
        "\"../elsewhere\""},
       {"/algorithms=[]", "s.json: /algorithms: must list at least one algorithm"},
       {R"(/algorithms={"name":"sync"})",
        R"(s.json: /algorithms: must be a list in square brackets, got {"name":"sync"})"},
       {"/algorithms/7/step_size=1",
        "--set: /algorithms/7/step_size: there is no /algorithms/7 in the scenario to set it in"},
       {"/a\nb=1",
        "s.json: /a b: unknown key, known here: $schema, name, seed, plugins, data, model, "
        "cluster, cost, "
        "network, solver, approximate, target, stop, evaluate, defaults, algorithms, baseline, "
        "replicas, sweep, tune or emulate"}});
}

TEST_CASE("A mistake in an algorithm's parameters is one line with its place") {
  const Workplace place;
  check_mistakes(
      place,
      {{"/algorithms/0/name=snyc",
        "s.json: /algorithms/0/name: unknown algorithm 'snyc' (did you mean 'sync'?), there are: " +
            names_of_algorithms()},
       {"/algorithms/1=async",
        "s.json: /algorithms/1: must be an object with the \"name\" of an algorithm, got "
        "\"async\""},
       {"/algorithms/1={}",
        "s.json: /algorithms/1: must be an object with the \"name\" of an algorithm, got {}"},
       {"/algorithms/1/name=5", "s.json: /algorithms/1/name: must be text in quotes, got 5"},
       {"/algorithms/1/stepsize=1",
        "s.json: /algorithms/1/stepsize: unknown key (did you mean 'step_size'?), known here: "
        "name, label, tune, step_size, batch_size, momentum, weight_decay, schedule, rule, "
        "fetch_every, "
        "push_every, staleness_scaling, softsync, overlap, placement or compress"},
       {"/algorithms/1/lable=mine",
        "s.json: /algorithms/1/lable: unknown key (did you mean 'label'?), known here: "
        "name, label, tune, step_size, batch_size, momentum, weight_decay, schedule, rule, "
        "fetch_every, "
        "push_every, staleness_scaling, softsync, overlap, placement or compress"},
       {"/algorithms/1/batch_size=1e15",
        "s.json: /algorithms/1/batch_size: must be a whole number of at most 1000000000, got "
        "1e+15"},
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
        "weight_decay, schedule, rule, overlap, placement, compress, collective or bucket_size"},
       {"/defaults={\"step_size\":0.1}",
        "s.json: /algorithms/0: needs \"batch_size\": a whole number of at least 1 (samples of one "
        "gradient of one worker; or by class of workers: {\"a100\": 128, \"t4\": 16})"}});
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
        "s.json: /data/path: no.csv: cannot be read (no such file, or no permission)"}});
}

TEST_CASE("What needs more memory than the machine has is refused before anything is written") {
  const Workplace place;
  // Two matrices of 1e12 and some smaller ones on three workers and the server, 4 bytes per number.
  const std::string override = R"(/model={"kind":"mlp","hidden":[1000000,1000000,1000000]})";
  const std::string message =
      "s.json: /model: sync with 2000011000003 parameters on each of 3 workers needs about 32 TB "
      "of memory, more than the ";
  const Outcome run = place.run_with(override);
  CHECK(run.exit_code == 2);
  CHECK(run.err.starts_with("motley: " + message));
  CHECK(lines_of(run.err).size() == 1);
  CHECK_FALSE(place.has("out"));
  // Where it is only checked, it may be meant for another machine.
  const Outcome checked = place.motley({"validate", "s.json", "--set", override});
  CHECK(checked.exit_code == 0);
  CHECK(contains(checked.out, "\nwarning: " + message));
}

TEST_CASE(
    "Bytes that are not UTF-8 in names do no harm, or are refused before anything is written") {
  const Workplace place;
  const std::string odd = "odd\xff";
  const Outcome fine = place.motley({"run", "s.json", "--quiet", "--out", odd});
  CHECK(fine.exit_code == 0);
  CHECK(fine.err.empty());
  CHECK(contains(read_file(place.path() / odd / "provenance.json"), "\"odd\uFFFD\""));
  check_refused(place.run_with("/name=" + odd),
                "--set: must be text in UTF-8, got '/name=odd\uFFFD'");
  check_refused(place.run_with("/" + odd + "=1"),
                "--set: must be text in UTF-8, got '/odd\uFFFD=1'");
  CHECK_FALSE(place.has("out"));

  const fs::path folder = place.path() / ("in" + odd);
  fs::create_directory(folder);
  fs::copy_file(place.path() / "s.json", folder / (odd + ".json"));
  CHECK(run_motley({"run", odd + ".json", "--quiet", "--out", "out"}, folder).exit_code == 0);
  std::ofstream(folder / "d.csv") << "x,kind\n1,a\n2,b\n3,a\n4,b\n5,a\n";
  check_refused(
      run_motley({"run", odd + ".json", "--out", "other", "--set",
                  R"(/data={"kind":"csv","path":"d.csv","label":"kind"})"},
                 folder),
      "odd\uFFFD.json: /data/path: the path to it, " + place.path().string() +
          "/inodd\uFFFD/d.csv, is not UTF-8, so that the scenario kept with the results could not "
          "name it: rename the folder");
  CHECK_FALSE(fs::exists(folder / "other"));
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

TEST_CASE("a folder of somebody else's is refused and left alone") {
  const Workplace place;
  fs::create_directories(place.path() / "mine" / "notes");
  fs::create_directories(place.path() / "mine" / "slurm");  // but not with our scripts
  fs::create_directories(place.path() / "mine" / "shards");
  for (const char* name : {"runs.csv", "plan.json", ".lock"}) {
    std::ofstream(place.path() / "mine" / name) << "mine";
  }
  CHECK(place.motley({"slurm", "s.json", "--tasks", "2", "--out", "mine"}).exit_code == 2);
  check_refused(place.motley({"run", "s.json", "--out", "mine"}),
                "--out: mine is not empty and holds no results of motley: name a folder that is "
                "empty or does not exist yet");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : fs::directory_iterator(place.path() / "mine")) ++files;
  CHECK(files == 6);
  fs::create_directories(place.path() / "empty");
  for (const char* folder : {"empty", "new", "new"}) {  // the last holds results
    CHECK(place.motley({"run", "s.json", "--out", folder, "--quiet"}).exit_code == 0);
  }
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
        "s.json: /cluster/platform: describes the whole cluster: remove workers, server, servers, "
        "link and fabric"}});
}

TEST_CASE("a platform file that cannot be simulated is refused with host, link and attribute") {
  const Workplace place;
  place.write("off.state", "5 0\n");
  place.write("zero.profile", "# bandwidths or shares of the speed\n0 1\n5 0\n");
  place.write("nan.profile", "0 1\n5 nan\n");
  place.write("huge.profile", "1 1e308\n");
  place.write("off_at_once.state", "0 0\n10 1\n");
  place.write("words.profile", "# shares\n0 1\nhello world\n");
  place.write("half.profile", "PERIODICITY 60\n0 1\n5 0.5x\n");
  place.write("back.profile", "5 1\n\n1 0.5\n");
  struct Case {
    std::string server;  // attributes
    std::string link;
    std::string route;
    std::string message;
  };
  const std::string route = "<route src=\"a\" dst=\"b\"><link_ctn id=\"wire\"/></route>\n";
  const std::string fast = R"(bandwidth="1GBps" latency="1us")";
  const std::vector<Case> cases = {
      {R"(speed="1Gf")", R"(bandwidth="0Bps" latency="1us")", route,
       "link wire: bandwidth must be from 0.001Bps to 1e+18Bps, got 0Bps"},
      {R"(speed="1Gf")", R"(bandwidth="-5Bps" latency="1us")", route,
       "link wire: bandwidth must be from 0.001Bps to 1e+18Bps, got -5Bps"},
      {R"(speed="1Gf")", R"(bandwidth="infBps" latency="1us")", route,
       "link wire: bandwidth must be from 0.001Bps to 1e+18Bps, got infBps"},
      {R"(speed="1Gf")", R"(bandwidth="1GBps" latency="-1s")", route,
       "link wire: latency must be 0, or from 1e-15s to 1e+12s, got -1s"},
      {R"(speed="0f")", fast, route, "host b: speed must be from 0.001f to 1e+27f, got 0f"},
      {R"(speed="-1f")", fast, route, "host b: speed must be from 0.001f to 1e+27f, got -1f"},
      {R"(speed="1Gf" state_file="off.state")", fast, route,
       "host b: its state_file leaves it off: a server must return"},
      {R"(speed="1Gf")", fast + R"( state_file="off_at_once.state")", route,
       "link wire: is off from the start, which is not modelled"},
      {R"(speed="1Gf")", fast + R"( state_file="off.state")", route,
       "link wire: state_file 'off.state', line 1: only hosts may be switched off: a link that "
       "goes off is not modelled, let its bandwidth_file make it slow"},
      {R"(speed="1Gf" state_file="&#111;ff.state")", fast, route,
       "host b: its state_file leaves it off: a server must return"},
      {R"(speed="nanf")", fast, route, "host b: speed must be from 0.001f to 1e+27f, got nanf"},
      {R"(speed="1Gf" availability_file="zero.profile")", fast, route,
       "host b: availability_file 'zero.profile', line 3: must be a number above 0, of a size that "
       "can be "
       "reckoned with"},
      {R"(speed="1Gf" speed_file="nan.profile")", fast, route,
       "host b: speed_file 'nan.profile', line 2: must be a number above 0, of a size that can be "
       "reckoned with"},
      {R"(speed="1Gf" speed_file="huge.profile")", fast, route,
       "host b: speed_file 'huge.profile', line 1: must be a number above 0, of a size that can be "
       "reckoned with"},
      {R"(speed="1Gf" speed_file="words.profile")", fast, route,
       "host b: speed_file 'words.profile', line 3: must be a time of at least 0 and a value, or "
       "PERIODICITY and a time, got 'hello world'"},
      {R"(speed="1Gf" speed_file="half.profile")", fast, route,
       "host b: speed_file 'half.profile', line 3: must be a time of at least 0 and a value, or "
       "PERIODICITY and a time, got '5 0.5x'"},
      {R"(speed="1Gf")", fast + R"( bandwidth_file="back.profile")", route,
       "link wire: bandwidth_file 'back.profile', line 3: must not come before the line above it, "
       "got '1 0.5'"},
      {R"(speed="1Gf")", fast + R"( bandwidth_file="zero.profile")", route,
       "link wire: bandwidth_file 'zero.profile', line 3: bandwidth must be from 0.001Bps to "
       "1e+18Bps"},
      {R"(speed="1Gf")", fast + R"( latency_file="zero.profile")", route,
       "link wire: latency_file: latencies that change are not modelled"},
      {R"(speed="1Gf")", R"(bandwidth="1e300GBps" latency="1us")", route,
       "link wire: bandwidth must be from 0.001Bps to 1e+18Bps, got infBps"},
      {R"(speed="1Gf")", fast,
       route + "<trace id=\"t\" file=\"off.state\" periodicity=\"-1\"/>\n"
               "<trace_connect kind=\"HOST_AVAIL\" trace=\"t\" element=\"b\"/>\n",
       "b: is switched off by a trace_connect: name the profile in a state_file of the host"},
      {R"(speed="1Gf" availability_file="none.profile")", fast, route,
       "host b: availability_file: no such file: none.profile (paths are relative to the platform "
       "file)"},
      {R"(speed="1Gf")", fast + R"( bandwidth_file="none.profile")", route,
       "link wire: bandwidth_file: no such file: none.profile (paths are relative to the platform "
       "file)"},
      {R"(speed="1Gf")", fast, route + "<trace id=\"t\" file=\"none.state\" periodicity=\"-1\"/>\n",
       "trace t: file: no such file: none.state (paths are relative to the platform file)"},
      {R"(speed="1Gf" core="0")", fast, route,
       "host b: core must be a whole number of at least 1, got \"0\""},
      {R"(speed="1Gf" core="-2")", fast, route,
       "host b: core must be a whole number of at least 1, got \"-2\""},
      {R"(speed="1Gf")", fast, "", "no route from host a to host b"}};
  for (const Case& c : cases) {
    place.write("p.xml",
                platform_of(host("a", "worker") + "<host id=\"b\" " + c.server +
                            "><prop id=\"role\" value=\"server\"/></host>\n<link id=\"wire\" " +
                            c.link + "/>\n" + c.route));
    check_refused(place.run_with(R"(/cluster={"platform":"p.xml"})"),
                  "s.json: /cluster/platform: 'p.xml': " + c.message);
  }
  place.write("p.xml",
              platform_of("<host id=\"a\" speed=\"1Gf\"><prop id=\"role\" value=\"worker\"/>"
                          "<prop id=\"class\" value=\"server\"/></host>\n"));
  check_refused(
      place.run_with(R"(/cluster={"platform":"p.xml"})"),
      "s.json: /cluster/platform: 'p.xml': host a has the property class 'server', which is "
      "what servers are called in results: choose another");
  // What stands in a comment, however long, is not there.
  place.write("p.xml",
              platform_of("<!-- <host id='b' state_file='off.state'/> " +
                          std::string(300'000, 'x') + " -->\n" + host("a", "worker") +
                          host("b", "server") + "<link id=\"wire\" " + fast + "/>\n" + route));
  CHECK(place.run_with(R"(/cluster={"platform":"p.xml"})").exit_code == 0);

  place.write("p.xml", platform_of(host("a\xff", "worker")));
  check_refused(
      place.run_with(R"(/cluster={"platform":"p.xml"})"),
      "s.json: /cluster/platform: 'p.xml': host \"a\xef\xbf\xbd\": its name must be UTF-8");
}

}  // namespace
}  // namespace motley
