// What a traced run tells of each thing that happens, in events.csv and in Perfetto's trace.
#include <set>
#include <sstream>

#include "catch.hpp"
#include "sim/base/json.hpp"
#include "sim/results/timeline.hpp"
#include "sim/results/trace_files.hpp"
#include "traced.hpp"

using namespace motley;
using namespace motley::tests;

namespace {

Json trace_of(const TemporaryFolder& folder, const Json& scenario, const std::string& run) {
  events_of(folder, scenario, {"--trace"});
  return Json::parse(read_file(folder.path() / "out" / "traces" / (run + ".json")));
}

Json asynchronous(Json scenario) {
  scenario["algorithms"] = {{{"name", "async"}}};
  return scenario;
}

/// state, version and staleness of what a host did, but for waiting.
std::vector<std::string> told_of(const Rows& rows, const std::string& host) {
  std::vector<std::string> told;
  for (const auto& row : of_host(rows, host)) {
    if (row.at("state") == "wait") continue;
    told.push_back(row.at("state") + " " + row.at("version") + " " + row.at("staleness"));
  }
  return told;
}

}  // namespace

TEST_CASE("Perfetto's trace has one process per host and an arrow from every push to its update") {
  const TemporaryFolder folder;
  Json scenario = cluster_of(1, 1);
  scenario["stop"]["updates"] = 3;
  events_of(folder, scenario, {"--trace"});
  const Json trace = Json::parse(read_file(folder.path() / "out" / "traces" / "sync-0.json"));
  std::map<int, std::string> processes;
  std::map<std::string, int> phases;
  std::map<int, Json> starts;
  for (const Json& event : trace["traceEvents"]) {
    ++phases[event["ph"].get<std::string>()];
    if (event["ph"] == "M" && event["name"] == "process_name") {
      processes[event["pid"]] = event["args"]["name"];
    }
    if (event["ph"] == "s") starts[event["id"]] = event;
  }
  CHECK(processes ==
        std::map<int, std::string>{{1, "fast-0"}, {2, "slow-0"}, {3, "server"}, {4, "links"}});
  CHECK(phases["s"] == 6);  // two pushes an update
  CHECK(phases["f"] == 6);
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "f") continue;
    const Json& start = starts.at(event["id"]);
    CHECK(event["pid"] == 3);
    CHECK(start["pid"] != 3);
    CHECK(event["ts"].get<double>() > start["ts"].get<double>());
    // An arrow ends in a slice: an update on that thread, at that time.
    bool found = false;
    for (const Json& slice : trace["traceEvents"]) {
      found = found || (slice["ph"] == "X" && slice["name"] == "update" &&
                        slice["tid"] == event["tid"] && slice["ts"] == event["ts"]);
    }
    CHECK(found);
  }
}

TEST_CASE("a timeline knows what travels, how much is computed and how old it is") {
  Timeline timeline({}, {"w-0", "w-1", "server"}, 2);
  timeline.computes(0, 5, 32);
  timeline.newest_version_is(7);
  timeline.computed(0, 0, 1);
  timeline.add_way(0, 2, {"w-0_up", "server_down"});
  timeline.add_way(0, 1, {"w-0_up", "w-1_down"});
  const Timeline::MessageId push = timeline.message_departs(0, 2, 1, 1000, 5);
  const Timeline::MessageId arrived = timeline.message_arrives(push, 3);
  timeline.message_arrives(timeline.message_departs(0, 1, 1, 500), 2);
  timeline.was_stale(arrived, 3);
  timeline.updated(2, 3, 4, std::vector{arrived}, 3);
  timeline.close(4);
  std::map<std::pair<std::size_t, Timeline::State>, Timeline::Interval> by;
  for (const Timeline::Interval& interval : timeline.intervals()) {
    by[{interval.host, interval.state}] = interval;
  }
  CHECK(by[{0, Timeline::State::compute}].batch == 32);
  CHECK(by[{0, Timeline::State::compute}].version == 5U);
  CHECK(by[{0, Timeline::State::compute}].staleness == 7 - 5);
  CHECK(by[{2, Timeline::State::receive}].version == 5U);
  CHECK(by[{2, Timeline::State::receive}].staleness == 3);
  CHECK_FALSE(by[{1, Timeline::State::receive}].version);
  CHECK(by[{2, Timeline::State::receive}].bytes == 1000);
  CHECK(by[{2, Timeline::State::receive}].peer == 0);
  CHECK(by[{1, Timeline::State::receive}].bytes == 500);
  CHECK(by[{2, Timeline::State::update}].version == 1U);
  CHECK(by[{2, Timeline::State::update}].staleness == 3);
  REQUIRE(timeline.arrows().size() == 2);  // to the update, and from worker to worker
  std::ostringstream out;
  write_perfetto(out, "run", timeline);
  const Json trace = Json::parse(out.str());
  std::map<std::string, std::map<double, double>> counters;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "C") {
      counters[event["name"]][event["ts"]] = event["args"]["value"];
    }
  }
  // In microseconds: both leave at 1 s, one arrives at 2 s, the other at 3 s, where its update begins.
  CHECK(counters["bytes on w-0_up"] ==
        std::map<double, double>{{1e6, 1500}, {2e6, 1000}, {3e6, 0}});
  CHECK(counters["bytes on w-1_down"] == std::map<double, double>{{1e6, 500}, {2e6, 0}});
  CHECK(counters["bytes on server_down"] == std::map<double, double>{{1e6, 1000}, {3e6, 0}});
  CHECK(counters["staleness"] == std::map<double, double>{{4e6, 3}});
  // A second is a million of them, and is written so: Perfetto drops what is at 1e+06.
  CHECK(out.str().find("\"ts\":1000000,") != std::string::npos);
  CHECK(out.str().find("e+") == std::string::npos);
}

TEST_CASE(
    "times in Perfetto's trace are whole nanoseconds, and neighbours do not overlap by rounding") {
  Timeline timeline({}, {"w-0"}, 1);
  // 1.4 ns and 2.8 ns are nanoseconds 1 and 3, so the first takes 2 of them, not 1.4.
  timeline.computed(0, 1.4e-9, 2.8e-9);
  timeline.computed(0, 2.8e-9, 1234.5678912344);
  timeline.close(1234.5678912344);
  std::ostringstream out;
  write_perfetto(out, "run", timeline);
  CHECK(out.str().find("\"ts\":0.001,\"dur\":0.002}") != std::string::npos);
  CHECK(out.str().find("\"ts\":0.003,\"dur\":1234567891.231}") != std::string::npos);
}

TEST_CASE("every slice of a run with a server says at which model, and how old that is by then") {
  // Both models arrive at 0.162 s. The fast worker is done at 0.662; its gradient arrives at 0.744 and is
  // the first update, model 1, which arrives at 0.826. The slow one is done at 1.162, when the server is
  // one update ahead; its gradient arrives at 1.244, the second update, of staleness 1. The fast one is
  // done with model 1 at 1.326, when there are two; its gradient arrives at 1.408: the third and last, of
  // staleness 2 - 1. By then the slow one computes at model 2, there are three, and the answer to the fast one
  // is not sent any more.
  const TemporaryFolder folder;
  Json scenario = asynchronous(cluster_of(1, 1));
  scenario["stop"]["updates"] = 3;
  const Rows rows = events_of(folder, scenario, {"--trace"});
  CHECK(told_of(rows, "fast-0") == std::vector<std::string>{"receive 0 ", "compute 0 0", "send 0 0",
                                                            "receive 1 ", "compute 1 1",
                                                            "send 1 1"});
  CHECK(told_of(rows, "slow-0") == std::vector<std::string>{"receive 0 ", "compute 0 1", "send 0 1",
                                                            "receive 2 ", "compute 2 1"});
  CHECK(told_of(rows, "server") == std::vector<std::string>{"send 0 ", "send 0 ", "receive 0 0",
                                                            "update 1 0", "send 1 ", "receive 0 1",
                                                            "update 2 1", "send 2 ", "receive 1 1",
                                                            "update 3 1"});
  for (const auto& row : rows) CHECK(row.at("batch") == (row.at("state") == "compute" ? "1" : ""));
}

TEST_CASE("a model on two servers has an update when both of its halves have") {
  const TemporaryFolder folder;
  Json scenario = cluster_of(0, 2);
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = {{{"count", 2}, {"speed", "1Tf"}}};
  scenario["stop"]["updates"] = 3;
  const Rows rows = events_of(folder, scenario, {"--trace"});
  std::vector<std::string> computed;
  for (const std::string& told : told_of(rows, "slow-0")) {
    if (told.starts_with("compute")) computed.push_back(told);
  }
  CHECK(computed == std::vector<std::string>{"compute 0 0", "compute 1 0", "compute 2 0"});
}

TEST_CASE("where no server counts them, models have no version") {
  const TemporaryFolder folder;
  Json scenario = cluster_of(1, 1);
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  scenario["stop"]["updates"] = 2;
  for (const auto& row : events_of(folder, scenario, {"--trace"})) {
    CHECK((row.at("version").empty() || row.at("state") == "update"));
    CHECK(row.at("staleness").empty());
  }
}

TEST_CASE("bytes in flight are counted by link, called as in links.csv") {
  const TemporaryFolder folder;
  Json scenario = asynchronous(cluster_of(1, 1));
  scenario["stop"]["updates"] = 3;
  const Json trace = trace_of(folder, scenario, "async-0");
  std::set<std::string> links;
  for (const auto& row : rows_of(read_file(folder.path() / "out" / "links.csv"))) {
    links.insert("bytes on " + row.at("link"));
  }
  std::map<std::string, std::vector<std::pair<double, double>>> counters;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "C" || !event["name"].get<std::string>().starts_with("bytes")) continue;
    CHECK(links.contains(event["name"]));
    CHECK(event["pid"] == 4);  // after two workers and the server
    counters[event["name"]].emplace_back(event["ts"].get<double>() / 1e6, event["args"]["value"]);
  }
  CHECK(counters.size() == links.size());
  // Both models leave at once; then one message at a time, see above.
  const std::vector<std::pair<double, double>> expected = {{0, 16e6},  {0.162, 0},   {0.744, 8e6},
                                                           {0.826, 0}, {1.244, 8e6}, {1.326, 0}};
  const auto& seen = counters["bytes on server_up"];
  REQUIRE(seen.size() == expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CHECK(seen[i].first == Approx(expected[i].first).margin(1e-9));
    CHECK(seen[i].second == expected[i].second);
  }
}

TEST_CASE("of some workers of many, their bytes are said not to be all") {
  Timeline timeline({0, 10, 1, 100}, {"w-0", "w-1", "server"}, 2);
  timeline.add_way(0, 2, {"w-0_up", "server_down"});
  timeline.add_way(1, 2, {"w-1_up", "server_down"});
  timeline.message_arrives(timeline.message_departs(0, 2, 0, 5), 1);
  timeline.message_arrives(timeline.message_departs(1, 2, 0, 5), 1);  // not shown
  timeline.close(1);
  CHECK(timeline.links() == std::vector<std::string>{"w-0_up", "server_down"});
  std::ostringstream out;
  write_perfetto(out, "run", timeline);
  CHECK(out.str().find("\"bytes on server_down, of the workers shown\"") != std::string::npos);
}

TEST_CASE("Perfetto's trace keeps to the trace event format") {
  const TemporaryFolder folder;
  const std::string algorithm = GENERATE(as<std::string>{}, "async", "allreduce");
  CAPTURE(algorithm);
  Json scenario = cluster_of(1, 2);
  scenario["algorithms"] = {{{"name", algorithm}}};
  scenario["stop"]["updates"] = 12;
  const Json trace = trace_of(folder, scenario, algorithm + "-0");
  REQUIRE(trace["traceEvents"].is_array());
  using Track = std::pair<int, int>;
  std::map<Track, std::vector<std::pair<double, double>>> slices;  // begin, end
  std::map<int, std::vector<Json>> flows;
  std::set<int> named;
  std::map<int, int> process_of;  // thread by thread
  std::map<int, int> order;
  for (const Json& event : trace["traceEvents"]) {
    CAPTURE(event.dump());
    for (const char* key : {"ph", "name", "ts", "pid", "tid"}) REQUIRE(event.contains(key));
    REQUIRE(event["ts"].is_number());
    CHECK(event["ts"].get<double>() >= 0);
    REQUIRE(event["pid"].is_number_integer());
    REQUIRE(event["tid"].is_number_integer());
    // Perfetto takes 0 for the idle process or thread of a kernel, and shows it otherwise.
    CHECK(event["pid"] >= 1);
    CHECK(event["tid"] >= 1);
    // It finds the thread that is given a name by its number alone.
    CHECK(process_of.emplace(event["tid"], event["pid"]).first->second == event["pid"]);
    const std::string phase = event["ph"];
    const double begin = event["ts"];
    if (phase == "X") {
      REQUIRE(event["dur"].get<double>() > 0);
      slices[{event["pid"], event["tid"]}].emplace_back(begin, begin + event["dur"].get<double>());
    } else if (phase == "s" || phase == "f") {
      CHECK(event["cat"].is_string());
      if (phase == "f") CHECK(event["bp"] == "e");
      flows[event["id"]].push_back(event);
    } else if (phase == "C") {
      REQUIRE(event["args"].size() == 1);
      CHECK(event["args"]["value"].is_number());
      CHECK(event["args"]["value"].get<double>() >= 0);
    } else {
      REQUIRE(phase == "M");
      if (event["name"] == "process_name") named.insert(event["pid"].get<int>());
      if (event["name"] == "process_sort_index") order[event["pid"]] = event["args"]["sort_index"];
    }
  }
  // Every track belongs to a process with a name and a place, and its slices are one after the other.
  for (auto& [track, times] : slices) {
    CHECK(named.contains(track.first));
    CHECK(order.at(track.first) == track.first - 1);
    std::sort(times.begin(), times.end());
    for (std::size_t i = 1; i < times.size(); ++i) {
      CHECK(times[i].first >= times[i - 1].second - 0.002);  // what takes no time is drawn so long
    }
  }
  // An arrow begins once and ends once, not before, each in a slice.
  CHECK(flows.size() >= 12);
  for (const auto& [id, ends] : flows) {
    REQUIRE(ends.size() == 2);
    CHECK(ends[0]["ph"] == "s");
    CHECK(ends[1]["ph"] == "f");
    CHECK(ends[0]["name"] == ends[1]["name"]);
    CHECK(ends[0]["cat"] == ends[1]["cat"]);
    CHECK(ends[1]["ts"].get<double>() >= ends[0]["ts"].get<double>());
    for (const Json& end : ends) {
      bool inside = false;
      for (const auto& [from, to] : slices[{end["pid"], end["tid"]}]) {
        inside = inside || (from <= end["ts"].get<double>() && end["ts"].get<double>() <= to);
      }
      CHECK(inside);
    }
  }
}
