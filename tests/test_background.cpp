// Bandwidths that change and messages of others: virtual times against closed forms, to 1e-9. A message
// is S = 8 MB, a link 100 MB/s with 1 ms, so that alone on its way a message takes 2 ms + 80 ms. A
// gradient takes a second.
#include "sim/base/json.hpp"
#include "sim/scenario/planned_changes.hpp"
#include "sim/study/whatif/whatif_changes.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"
#include "tests/update_times.hpp"

namespace motley {
namespace {

Json with_workers(int count) {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", count}, {"speed", "1Gf"}}};
  return scenario;
}

/// A server whose link is never the bottleneck.
const Json wide_server = {{"speed", "1Tf"},
                          {"link", {{"bandwidth", "100GBps"}, {"latency", "1ms"}}}};

const LinkResult& link_of(const RunResult& result, const std::string& name) {
  for (const LinkResult& link : result.links) {
    if (link.name == name) return link;
  }
  throw std::runtime_error("no link " + name);
}

// ---- Bandwidths ----

TEST_CASE("a message alone on its way takes what its link gives when the bandwidth changes") {
  Json scenario = with_workers(1);
  scenario["cluster"]["server"] = wide_server;
  Json& changes = scenario["cluster"]["workers"][0]["changes"];
  // At 42 ms 4 MB of the model are through; the others take 80 ms at half the bandwidth, and the push
  // 160 ms; from then on each round 2 x 162 ms + 1 s.
  changes = {{{"at", "42ms"}, {"bandwidth", 0.5}}};
  const double half = 0.122 + 1 + 0.162;
  for (const Json& each : {scenario, on_nodes(scenario)}) {
    check_times(simulate(each), {half, half + 1.324, half + 2 * 1.324});
  }
  // Or 20 ms at twice the bandwidth, and then 2 x 42 ms.
  changes = {{{"at", "42ms"}, {"bandwidth", 2}}};
  const double twice = 0.062 + 1 + 0.042;
  for (const Json& each : {scenario, on_nodes(scenario)}) {
    check_times(simulate(each), {twice, twice + 1.084});
  }
  // Down and up again within one message: 2 MB at 22 ms, 1 MB more at 42 ms, 5 MB in 50 ms.
  changes = {{{"at", "22ms"}, {"for", "20ms"}, {"bandwidth", 0.5}}};
  for (const Json& each : {scenario, on_nodes(scenario)}) {
    check_times(simulate(each), {0.092 + 1 + 0.082, 0.092 + 1 + 0.082 + 1.164});
  }
}

TEST_CASE("messages that share a link share what changes leave of it") {
  Json scenario = with_workers(2);
  scenario["stop"]["updates"] = 1;
  scenario["cluster"]["changes"] = {{{"worker", "w-0"}, {"at", "42ms"}, {"bandwidth", 0.2}}};
  // Both models have 2 MB at 42 ms, at 50 MB/s each. Then w-0 gets 20 MB/s and w-1 80: w-1 has its
  // 6 MB at 117 ms, when w-0 has 3.5 MB; the other 4.5 MB take 225 ms at 20 MB/s. Its push leaves at
  // 1.342 s and takes 2 ms + 400 ms; that of w-1 is long there.
  check_times(simulate(scenario), {0.342 + 1 + 0.402});
}

TEST_CASE("one direction of a link, or all of a group, can change") {
  Json scenario = with_workers(2);
  scenario["cluster"]["server"] = wide_server;
  scenario["stop"]["updates"] = 1;
  scenario["cluster"]["changes"] = {{{"link", "w-*_up"}, {"at", "1s"}, {"bandwidth", 0.5}}};
  const RunResult result = simulate(scenario);
  check_times(result, {0.082 + 1 + 0.162});
  // 100 MB/s for 1 s of 1.244, then half of it.
  CHECK(link_of(result, "w-0_up").bandwidth_Bps == Approx((1 + 0.244 / 2) * 1e8 / 1.244));
  CHECK(link_of(result, "w-0_down").bandwidth_Bps == 1e8);
}

TEST_CASE("a bandwidth of a platform file changes over what its profile says") {
  const tests::TemporaryFolder folder;
  folder.write("wire.bandwidth", "1 8e6\n");
  Json scenario = timing_scenario();
  scenario["cluster"] = {
      {"platform", folder.write("p.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="zone" routing="Full">
  <host id="a" speed="1Gf"><prop id="role" value="worker"/></host>
  <host id="b" speed="1Gf"><prop id="role" value="server"/></host>
  <link id="wire" bandwidth="4MBps" latency="0s" bandwidth_file="wire.bandwidth"/>
  <route src="a" dst="b"><link_ctn id="wire"/></route>
</zone></platform>)")},
      {"changes", {{{"link", "wire"}, {"at", "0.5s"}, {"for", "2s"}, {"bandwidth", 0.5}}}}};
  scenario["stop"]["updates"] = 1;
  // 2 MB at 0.5 s, 1 MB more at 1 s at 2 MB/s, the other 5 MB in 1.25 s at 4 MB/s; the gradient is
  // there at 3.25 s and takes a second at 8 MB/s.
  const RunResult result = simulate(scenario);
  check_times(result, {4.25});
  // 4 MB/s for 0.5 s, 2 for 0.5, 4 for 1.5, 8 for 1.75.
  CHECK(link_of(result, "wire").bandwidth_Bps == Approx((2e6 + 1e6 + 6e6 + 14e6) / 4.25));
  // With a change that comes after the profile's: the model is there at 1.5 s, the push has 4 MB/s.
  scenario["cluster"]["changes"] = {{{"link", "wire"}, {"at", "2s"}, {"bandwidth", 0.5}}};
  const RunResult later = simulate(scenario);
  check_times(later, {4.5});
  CHECK(link_of(later, "wire").bandwidth_Bps == Approx((4e6 + 8e6 + 2.5 * 4e6) / 4.5));
}

// ---- Traffic ----

TEST_CASE("background traffic takes its share of the links and counts as nobody's") {
  Json scenario = with_workers(1);
  scenario["cluster"]["server"] = wide_server;
  scenario["stop"]["updates"] = 1;
  scenario["cluster"]["traffic"] = {
      {{"from", "outside"}, {"to", "w"}, {"size", "8MB"}, {"every", "42ms"}, {"for", "50ms"}}};
  // One message leaves at 42 ms and flows at 43 ms, when 4.1 MB of the model are through. The other
  // 3.9 MB take 78 ms at half the bandwidth.
  for (const Json& each : {scenario, on_nodes(scenario)}) {
    const RunResult result = simulate(each);
    check_times(result, {0.121 + 1 + 0.082});
    CHECK(result.bytes == 16e6);
    const std::string name = each["cluster"]["workers"][0].contains("per_node") ? "w-node0" : "w-0";
    CHECK(link_of(result, name + "_down").bytes == 8e6);
    CHECK(link_of(result, name + "_down").background_bytes == 8e6);
    CHECK(link_of(result, name + "_up").background_bytes == 0);
    CHECK(link_of(result, "server_down").background_bytes == 0);
    // The model and its rival are done at 162 ms.
    CHECK(link_of(result, name + "_down").busy_s == Approx(0.160).margin(1e-9));
  }
}

TEST_CASE("a worker of a class sends to any other of it, when the seed says") {
  Json scenario = with_workers(3);
  scenario["stop"] = {{"time", "100s"}};
  scenario["algorithms"] = {{{"name", "async"}}, {{"name", "sync"}}};
  scenario["cluster"]["traffic"] = Json::parse(R"([
    {"from": "w", "to": "w", "size": "1kB", "every": {"law": "exponential", "mean": "100ms"}}])");
  const RunResult async = simulate(scenario, 0);
  const RunResult sync = simulate(scenario, 1);
  for (const std::string name : {"w-0", "w-1", "w-2"}) {
    // About a thousand messages each way, the same in every algorithm: five standard deviations.
    const double sent = link_of(sync, name + "_up").background_bytes;
    CHECK(sent == Approx(1e6).margin(160e3));
    CHECK(link_of(async, name + "_up").background_bytes == Approx(sent).margin(2e3));
    CHECK(link_of(sync, name + "_down").background_bytes == Approx(1e6).margin(160e3));
  }
  CHECK(link_of(sync, "server_up").background_bytes == 0);
}

/// The server waits for pushes that nobody sends.
struct Stuck : Algorithm {
  void server(Server& me) const override {
    for (;;) me.next_push();
  }
  void worker(Worker& me) const override {
    me.gradient(me.initial_model(), 1);
    for (;;) me.pull();
  }
};

TEST_CASE("endless traffic and changes keep no stuck run alive") {
  Json scenario = with_workers(2);
  scenario["cluster"]["traffic"] = {
      {{"from", "w"}, {"to", "server"}, {"size", "1MB"}, {"every", "300ms"}}};
  scenario["cluster"]["changes"] = {{{"link", "w-0_up"}, {"at", "90s"}, {"bandwidth", 0.5}}};
  for (const Json& stop : {Json{{"updates", 20}}, Json{{"time", "50s"}}}) {
    scenario["stop"] = stop;
    const RunResult result = simulate_with<Stuck>(scenario);
    CHECK(result.status == RunStatus::failed);
    CHECK(result.reason ==
          "deadlock at 1 s: w-0, w-1 wait for a model from the server; server waits for a push "
          "from any worker");
    CHECK(result.virtual_s == 1);
  }
}

TEST_CASE("profiles of a platform file that never end keep no stuck run alive") {
  const tests::TemporaryFolder folder;
  folder.write("repeating.profile", "PERIODICITY 1\n0 0.5\n1 1\n");
  folder.write("repeating.bandwidth", "PERIODICITY 1\n0 1e8\n1 2e8\n");
  for (const std::string profiles :
       {R"(speed_file="repeating.profile"/>)", R"(bandwidth_file="repeating.bandwidth"/>)"}) {
    const bool of_host = profiles.starts_with("speed");
    Json scenario = timing_scenario();
    scenario["cluster"] = {
        {"platform",
         folder.write("p.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="zone" routing="Full">
  <host id="a" speed="1Gf"><prop id="role" value="worker"/></host>
  <host id="b" speed="1Gf"><prop id="role" value="server"/></host>
  <host id="c" speed="1Gf" )" + (of_host ? profiles : "/>") +
                                   R"(<link id="wire" bandwidth="4MBps" latency="0s" )" +
                                   (of_host ? "/>" : profiles) + R"(
  <route src="a" dst="b"><link_ctn id="wire"/></route>
</zone></platform>)")}};
    const RunResult result = simulate_with<Stuck>(scenario);
    CHECK(result.status == RunStatus::failed);
    CHECK(result.reason ==
          "deadlock at 1 s: a waits for a model from the server; b waits for a push from any "
          "worker");
  }
}

// ---- What if ----

TEST_CASE("what if nothing changed is asked where something does, of the whole run") {
  Json scenario = with_workers(2);
  const auto asked = [](const Json& of) {
    const Experiment experiment = experiment_of(of);
    for (const Change& change : changes_for(experiment, true)) {
      if (change.name != "no_changes") continue;
      ChangedCluster changed{experiment.cluster(), 0, 0};
      CHECK(changes_with_time(changed.plan));
      change.apply(changed);
      CHECK_FALSE(changes_with_time(changed.plan));
      return true;
    }
    return false;
  };
  CHECK_FALSE(asked(scenario));
  for (const char* section :
       {R"({"changes": [{"worker": "w-1", "at": "1s", "speed": 0.5}]})",
        R"({"changes": [{"link": "w-1_up", "at": "1s", "bandwidth": 2}]})",
        R"({"slowdowns": {"after": "1s", "for": "1s", "slower": 2}})",
        R"({"traffic": [{"from": "w-0", "to": "w-1", "size": "1B", "every": "1s"}]})"}) {
    Json changing = scenario;
    changing["cluster"].update(Json::parse(section));
    CHECK(asked(changing));
  }
}

}  // namespace
}  // namespace motley
