// Timelines, staleness and link use: small runs whose every second can be told by hand.
#include <algorithm>
#include <array>

#include "catch.hpp"
#include "sim/base/json.hpp"
#include "sim/cli/trace_options.hpp"
#include "sim/results/link_use.hpp"
#include "sim/results/timeline.hpp"
#include "traced.hpp"

using namespace motley;
using namespace motley::tests;

namespace {

const LinkResult& link_named(const RunResult& result, const std::string& name) {
  for (const LinkResult& link : result.links) {
    if (link.name == name) return link;
  }
  throw std::runtime_error("no link " + name);
}

}  // namespace

TEST_CASE("a link is busy while a message flows through it, and used as far as it is full") {
  // Two equal workers: both messages share the server's link, 16 MB at 100 MB/s, so that every link
  // of a round is busy 0.16 s, the server's full and the workers' half full. A round takes
  // 0.002 + 0.16 + 1 + 0.002 + 0.16 s.
  Json scenario = cluster_of(0, 2);
  scenario["stop"]["updates"] = 5;
  const RunResult result = simulate(scenario);
  REQUIRE(result.virtual_s == Approx(5 * 1.324).epsilon(1e-9));
  const std::vector<LinkUse> uses = link_uses(result);
  std::vector<std::string> names;
  for (const LinkUse& use : uses) {
    names.push_back(use.name);
    CHECK(use.links == 1);
    CHECK(use.busy_share == Approx(0.16 / 1.324).epsilon(1e-9));
    const bool server = use.name.starts_with("server");
    CHECK(use.bytes == Approx(5 * (server ? 16e6 : 8e6)));
    CHECK(use.utilisation == Approx((server ? 0.16 : 0.08) / 1.324).epsilon(1e-9));
  }
  CHECK(names == std::vector<std::string>{"server_down", "server_up", "slow-0_down", "slow-0_up",
                                          "slow-1_down", "slow-1_up"});
}

TEST_CASE("a link that carries nothing is listed as idle, and a ring loads its links") {
  Json scenario = cluster_of(0, 2);
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  scenario["stop"]["updates"] = 3;
  const RunResult result = simulate(scenario);
  CHECK(link_named(result, "server_up").busy_s == 0);
  CHECK(link_named(result, "server_up").bytes == 0);
  // Two workers: two steps of half a message per round, 0.04 s each.
  CHECK(link_named(result, "slow-0_up").bytes == Approx(3 * 8e6));
  CHECK(link_named(result, "slow-0_up").busy_s == Approx(3 * 0.08).epsilon(1e-9));
}

TEST_CASE("beyond 64 workers the links of a group are one row, whatever their names") {
  RunResult result;
  result.virtual_s = 2;
  result.workers.resize(most_workers_link_by_link + 1);
  result.links = {{"cpu-1_up", 100, 100, 1, "cpu-*_up"},
                  {"cpu-10_up", 300, 300, 2, "cpu-*_up"},
                  {"wire1", 50, 50, 1},
                  {"wire2", 50, 50, 1}};
  const std::vector<LinkUse> uses = link_uses(result);
  REQUIRE(uses.size() == 3);
  CHECK(uses[0].name == "cpu-*_up");
  CHECK(uses[0].group == "cpu-*_up");
  CHECK(uses[0].links == 2);
  CHECK(uses[0].bandwidth_Bps == 400);
  CHECK(uses[0].bytes == 400);
  CHECK(uses[0].busy_share == 0.75);  // (1/2 + 2/2) / 2
  CHECK(uses[0].utilisation == 0.5);  // 400 / (400 * 2)
  CHECK(uses[0].max_utilisation == 0.5);
  CHECK(uses[1].name == "wire1");
  CHECK(uses[1].group == "wire1");
  result.workers.pop_back();
  REQUIRE(link_uses(result).size() == 4);
  CHECK(link_uses(result)[1].name == "cpu-10_up");
  CHECK(link_uses(result)[1].group == "cpu-*_up");
}

TEST_CASE("the staleness histogram of a class counts every gradient the server applied") {
  Json scenario = cluster_of(1, 2);
  scenario["algorithms"] = {{{"name", "async"}}};
  scenario["stop"]["updates"] = 60;
  const RunResult result = simulate(scenario);
  std::map<std::string, std::uint64_t> counts;
  double sum = 0;
  std::uint64_t most = 0;
  for (const StalenessCount& s : result.staleness) {
    counts[s.class_name] += s.count;
    sum += static_cast<double>(s.staleness * s.count);
    most = std::max(most, s.staleness);
  }
  CHECK(counts["fast"] + counts["slow"] == 60);
  CHECK(counts["fast"] > counts["slow"] / 2);
  CHECK(sum / 60 == Approx(result.mean_staleness).epsilon(1e-12));
  CHECK(most == result.max_staleness);
}

TEST_CASE("a traced run is the run it would have been, and its timeline holds every second") {
  // One fast worker, 0.5 s a gradient, one slow, 1 s. Both models cross the server's link together:
  // they arrive after 0.002 + 0.16 s. The fast gradient leaves at 0.662 and has the link for
  // itself, 0.002 + 0.08 s; the slow one leaves at 1.162. The update is made at 1.244.
  const TemporaryFolder folder;
  Json scenario = cluster_of(1, 1);
  scenario["stop"]["updates"] = 1;
  const Rows rows = events_of(folder, scenario, {"--trace"});
  const RunResult plain = simulate(scenario);

  const std::vector<std::pair<const char*, std::array<double, 2>>> fast = {
      {"receive", {0, 0.162}},
      {"compute", {0.162, 0.662}},
      {"send", {0.662, 0.744}},
      {"wait", {0.744, 1.244}}};
  const Rows seen = of_host(rows, "fast-0");
  REQUIRE(seen.size() == fast.size());
  for (std::size_t i = 0; i < fast.size(); ++i) {
    CHECK(seen[i].at("run") == "sync-0");
    CHECK(seen[i].at("state") == fast[i].first);
    CHECK(at(seen[i], "begin_s") == Approx(fast[i].second[0]).margin(1e-9));
    CHECK(at(seen[i], "end_s") == Approx(fast[i].second[1]).margin(1e-9));
  }
  const Rows server = of_host(rows, "server");
  std::vector<std::string> states;
  for (const auto& row : server) states.push_back(row.at("state"));
  CHECK(states ==
        std::vector<std::string>{"send", "send", "wait", "receive", "wait", "receive", "update"});
  CHECK(at(server.back(), "begin_s") == Approx(1.244).margin(1e-9));

  // The account of the worker and its timeline tell the same.
  std::map<std::string, double> sums;
  for (const auto& row : seen) sums[row.at("state")] += at(row, "end_s") - at(row, "begin_s");
  CHECK(sums["compute"] == Approx(plain.workers[0].compute_s).epsilon(1e-12));
  CHECK(sums["wait"] == Approx(plain.workers[0].wait_s).epsilon(1e-12));
  CHECK(plain.virtual_s == Approx(1.244).epsilon(1e-9));
}

TEST_CASE("a window cuts the timeline, and the program says what it shows") {
  const TemporaryFolder folder;
  const Rows rows = events_of(folder, cluster_of(1, 1), {"--trace", "2s:3500ms"});
  for (const auto& row : rows) {
    CHECK(at(row, "begin_s") >= 2);
    CHECK(at(row, "end_s") <= 3.5);
  }
  double covered = 0;
  for (const auto& row : of_host(rows, "slow-0")) covered += at(row, "end_s") - at(row, "begin_s");
  CHECK(covered == Approx(1.5).epsilon(1e-9));  // a slow worker does one thing at a time here
  const Outcome outcome =
      run_motley({"run", "scenario.json", "--out", "out", "--trace=2s:3500ms"}, folder.path());
  CHECK(outcome.out.find("  sync-0: 2 s to 3.5 s\n") != std::string::npos);
}

TEST_CASE("a window lies around the first failure when that is asked for") {
  const TemporaryFolder folder;
  Json scenario = cluster_of(1, 2);
  scenario["algorithms"] = {{{"name", "async"}, {"step_size", 0.1}, {"batch_size", 1}}};
  scenario["stop"] = {{"time", "20s"}};
  scenario["cluster"]["failures"] = {{"detect_after", "1s"},
                                     {"list",
                                      {{{"worker", "slow-0"}, {"at", "9s"}, {"for", "1s"}},
                                       {{"worker", "slow-1"}, {"at", "7s"}, {"for", "1s"}}}}};
  const Rows rows = events_of(folder, scenario, {"--trace", "around=failure:2s"});
  double first = 20;
  double last = 0;
  for (const auto& row : rows) {
    first = std::min(first, at(row, "begin_s"));
    last = std::max(last, at(row, "end_s"));
  }
  CHECK(first == Approx(7 - 2));
  CHECK(last == Approx(7 + 2));
  folder.write("scenario.json", cluster_of(1, 1).dump());
  CHECK(
      run_motley({"run", "scenario.json", "--trace", "around=failure"}, folder.path()).err ==
      "motley: --trace: nothing fails in this scenario, so there is no failure to trace around\n");
  CHECK(run_motley({"run", "scenario.json", "--trace=around=noon"}, folder.path()).err ==
        "motley: --trace: must be around=failure or around=failure:2s, got 'around=noon'\n");
}

TEST_CASE("a window after the end of a run shows nothing, and that is said") {
  const TemporaryFolder folder;
  CHECK(events_of(folder, cluster_of(1, 1), {"--trace", "1000s:2000s"}).empty());
  const Outcome outcome =
      run_motley({"run", "scenario.json", "--out", "out", "--trace=1000s:2000s"}, folder.path());
  CHECK(outcome.out.find("  sync-0: nothing: the run ended at ") != std::string::npos);
  CHECK(outcome.out.find(" s, before the window\n") != std::string::npos);
}

TEST_CASE("what ends where a window begins, or begins where it ends, is not in it") {
  Timeline timeline({2, 4, 10, 100}, {"w"}, 1);
  timeline.computed(0, 0, 2);
  timeline.computed(0, 2, 4);
  timeline.computed(0, 4, 5);
  timeline.close(9);
  REQUIRE(timeline.intervals().size() == 1);
  CHECK(timeline.intervals()[0].begin_s == 2);
  CHECK(timeline.intervals()[0].end_s == 4);
}

TEST_CASE("a timeline shows when a worker is slowed, and by how much, whatever it does meanwhile") {
  const TemporaryFolder folder;
  Json scenario = cluster_of(1, 1);
  // Two that overlap, and one that makes it faster, which is no slow-down.
  scenario["cluster"]["changes"] = {
      {{"worker", "fast-0"}, {"at", "1s"}, {"for", "4s"}, {"speed", 0.5}},
      {{"worker", "fast-0"}, {"at", "2s"}, {"for", "1s"}, {"speed", 0.5}},
      {{"worker", "slow-0"}, {"at", "1s"}, {"for", "2s"}, {"speed", 2}}};
  scenario["stop"] = {{"time", "10s"}};
  const Rows events = events_of(folder, scenario, {"--trace", "1500ms:10s"});
  Rows slowed;
  for (const auto& row : events) {
    if (row.at("state") == "slowed")
      slowed.push_back(row);
    else
      CHECK(row.at("factor").empty());
  }
  const std::vector<std::array<double, 3>> expected = {{1.5, 2, 0.5}, {2, 3, 0.25}, {3, 5, 0.5}};
  REQUIRE(slowed.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(slowed[i].at("host") == "fast-0");
    CHECK(at(slowed[i], "begin_s") == expected[i][0]);
    CHECK(at(slowed[i], "end_s") == expected[i][1]);
    CHECK(at(slowed[i], "factor") == expected[i][2]);
  }
  // It is beside what the worker does: that fills the window as ever, from one interval to the next.
  double until = 1.5;
  for (const auto& row : of_host(events, "fast-0")) {
    if (row.at("state") == "slowed") continue;
    CHECK(at(row, "begin_s") <= until + 1e-9);
    until = std::max(until, at(row, "end_s"));
  }
  CHECK(until == Approx(10));
  const std::string trace = read_file(folder.path() / "out" / "traces" / "sync-0.json");
  CHECK(trace.find("\"slowed to 0.25\"") != std::string::npos);
}

TEST_CASE("a window is two times with units, the second later") {
  CHECK(parse_window("1s:2min").to_s == 120);
  CHECK(parse_window("1s:").from_s == 1);
  CHECK(parse_window(":2s").from_s == 0);
  CHECK_THROWS_WITH(parse_window("1:2"),
                    "--trace: must be FROM:TO, such as 10s:20s, 10s: or :20s, got '1:2'");
  CHECK_THROWS_WITH(parse_window("3s:2s"),
                    "--trace: the window must end after it begins, got '3s:2s'");
}

TEST_CASE(
    "of thousands of workers a timeline shows some of every class, and pieces when there is too "
    "much") {
  std::vector<std::string> hosts;
  for (int i = 0; i < 1000; ++i) hosts.push_back((i < 900 ? "cpu-" : "gpu-") + std::to_string(i));
  hosts.emplace_back("server");
  Timeline timeline({0, 10, 10, 30}, hosts, 1000);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < 1000; ++i) kept += timeline.is_kept(i) ? 1 : 0;
  CHECK(kept == 10);
  CHECK(timeline.is_kept(900));  // every hundredth
  CHECK(timeline.is_kept(1000));
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < 1000; ++i) timeline.computed(i, round, round + 0.5);
  }
  timeline.close(8);
  // The 31st ends at 3.5 s, of which 64 pieces are made. Rounds begin in pieces 0, 18, 36 and 54: by two
  // all of them can be divided, by four the first and the third.
  CHECK(
      timeline.extent() ==
      "10 of 1000 workers, 0 s to 8 s (1 of every 4 pieces of 0.0546875 s, as there are more than "
      "30 intervals; choose a smaller window to see all of it)");
  std::map<double, std::size_t> begun;
  for (const Timeline::Interval& interval : timeline.intervals()) {
    if (interval.state == Timeline::State::compute) ++begun[interval.begin_s];
    // Nobody is said to wait in a piece that is left out.
    const double piece = std::floor(interval.begin_s / 0.0546875);
    if (interval.state == Timeline::State::wait && interval.begin_s != 0.5 &&
        interval.begin_s != 2.5) {
      CHECK(std::fmod(piece, 4) == 0);
    }
  }
  CHECK(begun == std::map<double, std::size_t>{{0, 10}, {2, 10}});
}

TEST_CASE("computing that was for nothing is shown as discarded") {
  Timeline timeline({}, {"w", "server"}, 1);
  timeline.computed(0, 0, 1);
  timeline.computed(0, 1, 3);
  timeline.discarded(0, 1);
  timeline.close(3);
  CHECK(timeline.intervals()[0].state == Timeline::State::discarded);
  CHECK(timeline.intervals()[1].state == Timeline::State::compute);
}

TEST_CASE("a gradient that each of two servers drops in part is shown as discarded once") {
  Timeline timeline({}, {"w", "server-0", "server-1"}, 1);
  timeline.computed(0, 0, 1);
  timeline.discarded(0, 0.75);
  timeline.discarded(0, 0.25);
  timeline.close(1);
  CHECK(timeline.intervals()[0].state == Timeline::State::discarded);
}

TEST_CASE("what is thrown away outside the window marks nothing inside it") {
  Timeline timeline({2, 4, 64, 100}, {"w", "server-0", "server-1"}, 1);
  timeline.computed(0, 0, 1);
  timeline.discarded(0, 0.75);  // its other part never comes
  timeline.computed(0, 2, 3);
  timeline.computed(0, 3, 4);
  timeline.discarded(0, 0.5);
  timeline.discarded(0, 0.5);
  for (double begin = 5; begin < 8; ++begin) {
    timeline.computed(0, begin, begin + 1);
    timeline.discarded(0, 1);
    timeline.discarded(0, 0.25);
  }
  timeline.close(8);
  REQUIRE(timeline.intervals().size() == 4);  // two of the worker; the servers wait
  CHECK(timeline.intervals()[0].state == Timeline::State::compute);
  CHECK(timeline.intervals()[1].state == Timeline::State::discarded);
}

TEST_CASE("what is under way at the end is shown up to the end") {
  Timeline timeline({}, {"w", "server"}, 1);
  timeline.message_departs(0, 1, 1);
  timeline.close(4);
  const Timeline::Interval& send = timeline.intervals()[1];
  CHECK(send.state == Timeline::State::send);
  CHECK(send.begin_s == 1);
  CHECK(send.end_s == 4);
  CHECK(timeline.intervals()[0].state == Timeline::State::wait);
}

TEST_CASE("SimGrid traces a platform file, though not every two of its hosts have a route") {
  const TemporaryFolder folder;
  Json scenario = cluster_of(1, 1);
  scenario["cluster"] = {{"platform", MOTLEY_SOURCE_DIR "/platforms/mixed_star.xml"}};
  folder.write("scenario.json", scenario.dump());
  const Outcome outcome =
      run_motley({"run", "scenario.json", "--out", "out", "--paje"}, folder.path());
  CAPTURE(outcome.err, outcome.out);
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("SimGrid writes its own trace when asked") {
  const TemporaryFolder folder;
  folder.write("scenario.json", cluster_of(1, 1).dump());
  const Outcome outcome =
      run_motley({"run", "scenario.json", "--out", "out", "--paje"}, folder.path());
  REQUIRE(outcome.exit_code == 0);
  const std::string trace = read_file(folder.path() / "out" / "traces" / "sync-0.paje");
  CHECK(trace.find("%EventDef PajeDefineContainerType") != std::string::npos);
  CHECK(trace.find("fast-0") != std::string::npos);
  CHECK(trace.find("server_up") != std::string::npos);
  // Hosts and links are in use at times (event 9: a change of a variable), not only there.
  std::size_t changes = 0;
  for (const std::string& line : lines_of(trace)) changes += line.starts_with("9 ") ? 1 : 0;
  CHECK(changes > 20);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out" / "events.csv"));
}
