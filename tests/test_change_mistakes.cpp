// Changes, slow-downs, traces and traffic that cannot be are refused at their place.
#include "sim/base/json.hpp"
#include "sim/study/described_experiment.hpp"
#include "tests/catch.hpp"
#include "tests/mistakes.hpp"
#include "tests/program.hpp"

namespace motley {
namespace {

Json changing_scenario() {
  Json scenario = timing_scenario();
  scenario["cluster"] = Json::parse(R"({
    "workers": [{"name": "gpu", "count": 2, "speed": "1Gf", "per_node": 2,
                 "inside": {"bandwidth": "1GBps", "latency": "1us"},
                 "changes": [{"at": "1s", "for": "1s", "speed": 0.5, "bandwidth": 2}]},
                {"name": "cpu", "count": 2, "speed": "1Gf"}],
    "server": {"speed": "1Gf"},
    "link": {"bandwidth": "100MBps", "latency": "1ms"},
    "changes": [{"worker": "cpu-1", "at": "1s", "speed": 0.5, "bandwidth": 0.5},
                {"class": "server", "at": "1s", "speed": 0.5, "bandwidth": 0.5},
                {"link": "gpu-node0_up", "at": "0s", "bandwidth": 0.5}],
    "slowdowns": {"after": {"law": "exponential", "mean": "1s"}, "for": "1s", "slower": 2},
    "traffic": [{"from": "cpu", "to": "outside", "size": "1MB", "every": "1s"}]
  })");
  return scenario;
}

TEST_CASE("changes that cannot be are refused at their place") {
  const std::string c = "/cluster/changes/0";
  check_mistakes(
      changing_scenario(),
      {{c + "/at",
        {},
        c + ": needs \"at\": a time with its unit, of at least 0 (virtual time at which "
            "it begins)"},
       {c + "/for", "0s", c + "/for: must be a time with its unit, above 0, got \"0s\""},
       {c + "/speed", 0, c + "/speed: must be a number from 1e-06 to 1000000, got 0"},
       {c,
        {{"worker", "cpu-1"}, {"at", "1s"}},
        c + ": needs \"speed\", \"bandwidth\" or both: what it becomes"},
       {c + "/worker", {}, c + ": needs exactly one of \"worker\", \"class\" and \"link\""},
       {c + "/class", "cpu", c + ": needs exactly one of \"worker\", \"class\" and \"link\""},
       {c + "/worker", "cpu-2",
        c + "/worker: must be the name of a worker (did you mean 'cpu-0'?), got \"cpu-2\""},
       {c + "/worker", "gpu-1",
        c + "/bandwidth: gpu-1 has no link of its own: name that of its node, \"link\": "
            "\"gpu-node0_up\""},
       {"/cluster/changes/1/class", "cpv",
        "/cluster/changes/1/class: must be a class of workers, or server (did you mean 'cpu'?), "
        "got "
        "\"cpv\""},
       {"/cluster/changes/2/speed", 2,
        "/cluster/changes/2/speed: has no meaning for a link: say \"bandwidth\""},
       {"/cluster/changes/2/link", "gpu-0_up",
        "/cluster/changes/2/link: must be a link or a group of links as in links.csv (did you mean "
        "'cpu-0_up'?), got \"gpu-0_up\""},
       {"/cluster/workers/0/changes/0/wroker", "gpu-0",
        "/cluster/workers/0/changes/0/wroker: unknown key, known here: at, for, speed or "
        "bandwidth"},
       {"/network", "tcp",
        "/cluster/workers/0/changes/0/bandwidth: that changes needs \"network\": \"fluid\": "
        "SimGrid's tcp never makes a message faster than it began"}});
}

TEST_CASE("changes that overlap may not multiply beyond what one of them may be") {
  const auto complaint = [](const char* what, const Json& change, int count) {
    Json scenario = changing_scenario();
    for (int i = 0; i < count; ++i) {
      Json one = change;
      one["at"] = std::to_string(i + 2) + "s";
      one[what] = 1e-6;
      scenario["cluster"]["changes"].push_back(one);
    }
    return complaint_about(scenario);
  };
  const Json worker = {{"worker", "cpu-0"}};
  const Json link = {{"link", "cpu-0_up"}};
  CHECK(complaint("speed", worker, 1).empty());
  // 1e-360 is no number any more.
  CHECK(complaint("speed", worker, 60) ==
        "/cluster/changes/4/speed: with those that overlap it makes the speed of cpu-0 more than "
        "1e+06 times smaller from 3 s on: changes that overlap multiply");
  CHECK(complaint("bandwidth", link, 60) ==
        "/cluster/changes/4/bandwidth: with those that overlap it makes the bandwidth of cpu-0_up "
        "more than 1e+06 times smaller from 3 s on: changes that overlap multiply");
  // One after the other they do not.
  Json brief = worker;
  brief["for"] = "1s";
  CHECK(complaint("speed", brief, 60).empty());
}

TEST_CASE("slow-downs that cannot be are refused at their place") {
  const std::string s = "/cluster/slowdowns";
  check_mistakes(
      changing_scenario(),
      {{s + "/slower", 0.5, s + "/slower: must be a number from 1 to 1000000, got 0.5"},
       {s + "/for", "0s", s + "/for: must be a time with its unit, above 0, got \"0s\""},
       {s + "/after/mean",
        {},
        s + "/after: needs \"mean\": a time with its unit, above 0 (of the law)"},
       {s + "/after/chance", 0.5,
        s + "/after/chance: has no meaning with \"law\": \"exponential\", only with geometric"},
       {s + "/for",
        {{"law", "uniform"}, {"from", "3s"}, {"to", "2s"}},
        s + "/for/to: must be at least \"from\", got \"2s\""},
       {s + "/slower",
        {{"law", "geometric"}},
        s + "/slower/law: must be one of uniform, half_normal, exponential or pareto, got "
            "\"geometric\""}});
}

TEST_CASE("traffic that cannot be is refused at its place") {
  const std::string t = "/cluster/traffic/0";
  check_mistakes(
      changing_scenario(),
      {{t + "/from", "cqu",
        t + "/from: must be a worker, a class of workers, server (if there is one) or outside (did "
            "you "
            "mean 'cpu'?), got \"cqu\""},
       {t + "/from", "outside",
        t + ": goes from outside to outside, through no link of the cluster"},
       {t,
        {{"from", "cpu-0"}, {"to", "cpu-0"}, {"size", "1B"}, {"every", "1s"}},
        t + "/to: must be another host than it comes from, got \"cpu-0\""},
       {t + "/size", "1s",
        t + "/size: unknown unit 's' for a data size (did you mean 'B'?), use one of B, kB, MB, "
            "GB, KiB, MiB, "
            "GiB, got \"1s\""},
       {"/cluster/fabric",
        Json::parse(R"({"kind": "racks", "racks": [{"hosts": {"gpu": 2, "cpu": 2, "server": 1}}],
                        "uplink": {"oversubscription": 4, "latency": "1us"}})"),
        t + "/to: outside needs one switch that the scenario describes: with racks, sites or a "
            "platform file name a host"}});
}

TEST_CASE("traffic that a link can never carry is refused unless it has an end") {
  const auto complaint = [](const std::vector<Json>& traffic) {
    Json scenario = changing_scenario();
    scenario["cluster"]["traffic"] = traffic;
    return complaint_about(scenario);
  };
  const auto too_much = [](const char* where, const char* link, const char* offered,
                           const char* carried) {
    return "/cluster/traffic/" + std::string(where) + ": is too much for " + link +
           ": with what comes before it, it sends " + offered +
           " B/s on average and for ever through a link of " + carried +
           " B/s, where messages would pile up without end: make it less, or give it a \"for\"";
  };
  // cpu-0 has 100 MB/s; two send to it, 90 MB/s each.
  const Json one = {{"from", "outside"}, {"to", "cpu-0"}, {"size", "9MB"}, {"every", "100ms"}};
  CHECK(complaint({one}).empty());
  CHECK(complaint({one, one}) == too_much("1", "cpu-0_down", "1.8e+08", "1e+08"));
  Json with_end = one;
  with_end["for"] = "10s";
  CHECK(complaint({one, with_end}).empty());
  // Both send through the card of their node, which has half its bandwidth.
  const Json among = {{"from", "gpu"},
                      {"to", "cpu"},
                      {"size", {{"law", "uniform"}, {"from", "2MB"}, {"to", "10MB"}}},
                      {"every", {{"law", "exponential"}, {"mean", "100ms"}}}};
  CHECK(complaint({among}) == too_much("0", "gpu-node0_up", "1.2e+08", "5e+07"));
  // Inside a node the card is not crossed.
  const Json inside = {{"from", "gpu-0"}, {"to", "gpu-1"}, {"size", "90MB"}, {"every", "100ms"}};
  CHECK(complaint({inside}).empty());
  Json wide = inside;
  wide["size"] = "110MB";
  CHECK(complaint({wide}) == too_much("0", "gpu-0_inside_up", "1.1e+09", "1e+09"));
  // Pareto: least * alpha / (alpha - 1), here three times the least. Geometric: period / chance.
  Json heavy = one;
  heavy["size"] = {{"law", "pareto"}, {"least", "3MB"}, {"alpha", 1.5}};
  heavy["every"] = {{"law", "geometric"}, {"period", "10ms"}, {"chance", 0.1}};
  CHECK(complaint({heavy}).empty());
  heavy["every"]["chance"] = 0.2;
  CHECK(complaint({heavy}) == too_much("0", "cpu-0_down", "1.8e+08", "1e+08"));
}

TEST_CASE("what happens very often beside the algorithm is warned of at its place") {
  const auto warned = [](const Json& section, const Json& stop) {
    Json scenario = changing_scenario();
    for (const char* key : {"slowdowns", "traffic", "changes"}) scenario["cluster"].erase(key);
    scenario["cluster"].update(section);
    scenario["stop"] = stop;
    const std::string text = described_experiment(experiment_of(scenario));
    const std::size_t at = text.find("warning: ");
    return at == std::string::npos ? "" : text.substr(at);
  };
  const std::string meant = ": a run takes long; are the units what was meant?";
  const Json time = {{"time", "10s"}};
  const Json updates = {{"updates", 10}};
  Json traffic = {
      {"traffic", {{{"from", "cpu"}, {"to", "server"}, {"size", "1B"}, {"every", "1us"}}}}};
  // Two workers.
  CHECK(warned(traffic, time) ==
        "warning: /cluster/traffic/0: about 2e+07 messages in 10 s of virtual time" + meant);
  CHECK(warned(traffic, updates) ==
        "warning: /cluster/traffic/0: about 2e+06 messages in every second of virtual time" +
            meant);
  traffic["traffic"][0]["for"] = "1s";
  CHECK(warned(traffic, updates).empty());
  // Four.
  CHECK(warned({{"slowdowns", {{"after", "30ns"}, {"for", "10ns"}, {"slower", 2}}}}, updates) ==
        "warning: /cluster/slowdowns: about 1e+08 slow-downs in every second of virtual time" +
            meant);
  CHECK(
      warned({{"slowdowns", {{"after", "30s"}, {"for", "10s"}, {"slower", 2}}}}, updates).empty());
  CHECK(
      warned({{"failures",
               {{"detect_after", "1s"},
                {"laws",
                 {{{"class", "cpu"}, {"mean_time_between", "100s"}, {"mean_time_to_return", "1s"}},
                  {{"class", "gpu"},
                   {"mean_time_between", "1us"},
                   {"mean_time_to_return", "1us"}}}}}}},
             updates) ==
      "warning: /cluster/failures/laws/1: about 1e+06 failures in every second of virtual time" +
          meant);
}

TEST_CASE("a trace that cannot be is refused with its file and line") {
  const tests::TemporaryFolder folder;
  Json scenario = changing_scenario();
  const auto complaint = [&](const std::string& text, const Json& more = Json::object()) {
    const std::string file = folder.write("t.csv", text);
    Json trace = {{"file", file}};
    trace.update(more);
    scenario["cluster"]["trace"] = trace;
    std::string said = complaint_about(scenario);
    const std::size_t name = said.find(file);
    if (name != std::string::npos) said.replace(name, file.size(), "t.csv");
    return said;
  };
  const std::string head = "worker,time_s,factor\n";
  const std::string at = "/cluster/trace: 't.csv', line ";
  CHECK(complaint(head + "gpu-0,0,0.5\n1,0,2\ncpu-1,0,1\n").empty());
  CHECK(complaint("") == at + "1: is empty: it needs a header");
  CHECK(complaint(head) == at + "1: has no rows below its header");
  CHECK(complaint("worker,factor\n0,1\n") ==
        at + "1: must be a header with a column time_s or time");
  CHECK(complaint("worker,time_s,factor,step_time_s\n0,0,1,1\n") ==
        at + "1: has both factor and step_time_s: keep one");
  CHECK(complaint(head + "0,0\n") == at + "2: has 2 cells, fewer than the header");
  CHECK(complaint(head + "0,0,1\n0,x,1\n") ==
        at + "3: the time must be a number of at least 0, got \"x\"");
  CHECK(complaint(head + "0,0,0\n") == at + "2: factor must be a number above 0, got \"0\"");
  CHECK(complaint(head + "0,0,nan\n") == at + "2: factor must be a number above 0, got \"nan\"");
  CHECK(complaint(head + "0,0,1e9\n") ==
        at + "2: makes the worker more than 1e6 times faster or slower than the scenario says, got "
             "1000000000.0");
  CHECK(complaint(head + "0,5,1\n1,0,1\n0,4,1\n") ==
        at + "4: goes back in time: rows of worker 0 must be in the order of time");
  CHECK(complaint(head + "4,0,1\n") ==
        at + "2: worker must be the name of a worker, or a rank below 4, got \"4\"");
  CHECK(complaint(head + "0,0,1\ngpu-0,0,1\n") ==
        at + "3: gpu-0 is in the file by its name and by its rank: keep one");
  const std::string times = "worker,time_s,step_time_s\n0,0,1\n";
  CHECK(complaint(times) ==
        "/cluster/trace: needs \"batch_size\" (of the mini-batches that were timed) or \"nominal\" "
        "(the step time at full speed, or \"median\"), since 't.csv' has step times");
  CHECK(complaint(times, {{"nominal", "median"}}).empty());
  CHECK(complaint(times, {{"nominal", 1}, {"batch_size", 1}}) ==
        "/cluster/trace/batch_size: is instead of \"nominal\": remove one of them");
  CHECK(complaint(head + "0,0,1\n", {{"batch_size", 1}}) ==
        "/cluster/trace/batch_size: has no meaning: 't.csv' has factors, not step times");
  scenario["cluster"]["trace"] = "none.csv";
  CHECK(complaint_about(scenario).find("none.csv") != std::string::npos);
}

}  // namespace
}  // namespace motley
