// Hosts of a platform file that their state_file switches off and on: they fail and return at these
// moments, as if the scenario had listed them.
#include "sim/base/json.hpp"
#include "sim/engine/platform/engine_setup.hpp"
#include "sim/engine/platform/platform_profiles.hpp"
#include "sim/engine/platform/simgrid_generation.hpp"
#include "sim/study/described_experiment.hpp"
#include "tests/catch.hpp"
#include "tests/mistakes.hpp"
#include "tests/program.hpp"

namespace motley {
namespace {

/// Two workers and a server around a hub, with more attributes of each.
std::string platform_with(const std::string& a, const std::string& b, const std::string& server,
                          const std::string& link = "") {
  const auto host = [](const std::string& name, const std::string& role, const std::string& more) {
    return "<host id=\"" + name + "\" speed=\"1Gf\" " + more + "><prop id=\"role\" value=\"" +
           role + "\"/></host>\n";
  };
  return R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="zone" routing="Full">
)" + host("a", "worker", a) +
         host("b", "worker", b) + host("s", "server", server) +
         R"(<link id="wire_a" bandwidth="100MBps" latency="1ms" )" + link + R"(/>
<link id="wire_b" bandwidth="100MBps" latency="1ms"/>
<link id="wire_s" bandwidth="1GBps" latency="1ms"/>
<route src="a" dst="b"><link_ctn id="wire_a"/><link_ctn id="wire_b"/></route>
<route src="a" dst="s"><link_ctn id="wire_a"/><link_ctn id="wire_s"/></route>
<route src="b" dst="s"><link_ctn id="wire_b"/><link_ctn id="wire_s"/></route>
</zone></platform>)";
}

Json scenario_on(const std::string& platform) {
  Json scenario = timing_scenario();
  scenario["cluster"] = {{"platform", platform},
                         {"failures", {{"detect_after", "250ms"}, {"checkpoint", "1s"}}}};
  scenario["stop"] = {{"time", "40s"}};
  return scenario;
}

/// Everything but what depends on the machine.
Json measured(const RunResult& result) {
  Json all = to_json(result);
  for (const char* key : {"wall_s", "evaluation_wall_s", "peak_rss_mb"}) all.erase(key);
  return all;
}

TEST_CASE("a host that its state_file switches off is down as one that the scenario lists") {
  const tests::TemporaryFolder folder;
  folder.write("a.state", "2.5 0\n5 1\n30 0\n");
  folder.write("b.state", "# late\n0 0\n1.25 1\n");
  folder.write("s.state", "PERIODICITY 16\n8 0\n9 1\n");
  folder.write("half.speed", "0 0.5\n");
  const std::string speed = "speed_file=\"half.speed\" ";
  const std::string plain = folder.write("plain.xml", platform_with("", speed, ""));
  const std::string states = folder.write(
      "states.xml", platform_with("state_file=\"a.state\"", speed + "state_file='b.state'",
                                  "state_file=\"s.state\""));
  for (const char* algorithm : {"sync", "async", "allreduce", "local"}) {
    for (const char* policy : {"drop", "wait"}) {
      CAPTURE(algorithm, policy);
      Json by_file = scenario_on(states);
      by_file["algorithms"] = {{{"name", algorithm}}};
      by_file["cluster"]["failures"]["on_failure"] = policy;
      Json by_list = by_file;
      by_list["cluster"]["platform"] = plain;
      by_list["cluster"]["failures"]["list"] = Json::parse(R"([
        {"worker": "a", "at": "2.5s", "for": "2.5s"}, {"worker": "a", "at": "30s"},
        {"worker": "b", "from": "1.25s"},
        {"server": "s", "at": "8s", "for": "1s"}, {"server": "s", "at": "24s", "for": "1s"},
        {"server": "s", "at": "40s", "for": "1s"}])");
      const RunResult result = simulate(by_file);
      CHECK(measured(result) == measured(simulate(by_list)));
      CHECK(result.workers[1].down_s == 1.25);
      CHECK(result.workers[0].failures > 0);
    }
  }
}

TEST_CASE("profiles switch hosts when SimGrid itself would") {
  for (const std::string text :
       {"1 0\n2 1\n", "1 0\n", "0 0\n3 1\n", "PERIODICITY 10\n1 0\n2.5 1\n4 0\n6 1\n",
        "LOOPAFTER 2\n1 0\n2.5 1\n", "1 0\n2 1\nPERIODICITY 3\n", "PERIODICITY 5\n1 1\n3 0\n",
        "PERIODICITY 4\n1 1\n2 1\n", "PERIODICITY 3\n2 0\n2 1\n"}) {
    CAPTURE(text);
    const tests::TemporaryFolder folder;
    folder.write("c.state", text);
    const std::string file = folder.write("p.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="zone" routing="Full">
  <host id="a" speed="1Gf"/><host id="c" speed="1Gf" state_file="c.state"/>
</zone></platform>)");
    constexpr double end_s = 20.25;  // when nothing happens
    // Pairs of times: off, on.
    const ChildOutcome of_simgrid = run_in_child([&]() -> Json {
      const EngineSetup setup(Scenario::Network::fluid, 0);
      std::vector<double> times;
      setup.engine().load_platform(file);
      generation::on_switch([&](const simgrid::s4u::Host& host) {
        const double now = simgrid::s4u::Engine::get_clock();
        const bool is_first = times.size() % 2 == 0;
        if (is_first == host.is_on()) return;  // nothing new
        if (!is_first && times.back() == now)
          times.pop_back();  // off for no time
        else
          times.push_back(now);
      });
      const simgrid::s4u::Host* host = setup.engine().host_by_name("c");
      if (!host->is_on()) times.push_back(0);
      setup.engine().run_until(end_s);
      return times;
    });
    REQUIRE(of_simgrid.result);
    std::vector<double> expected;
    for (const auto& [name, states] : host_states(file)) {
      REQUIRE(name == "c");
      ProfileOutages outages(states);
      for (auto next = outages.next(); next && next->from_s < end_s; next = outages.next()) {
        expected.push_back(next->from_s);
        if (next->until_s < end_s) expected.push_back(next->until_s);
      }
    }
    REQUIRE(of_simgrid.result->size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK((*of_simgrid.result)[i].get<double>() == Approx(expected[i]).margin(1e-9));
    }
  }
}

TEST_CASE("state_files that cannot be followed are refused with host or link and reason") {
  const tests::TemporaryFolder folder;
  folder.write("off.state", "5 0\n");
  folder.write("brief.state", "5 0\n6 1\n");
  folder.write("drawn.state", "STOCHASTIC\nDET 0 DET 1\n");
  folder.write("early.state", "PERIODICITY 5\n3 0\n6 1\n");
  folder.write("both.state", "PERIODICITY 9\nLOOPAFTER 3\n3 0\n6 1\n");
  folder.write("backwards.state", "PERIODICITY -3\n3 0\n6 1\n");
  folder.write("three.state", "3 0 1\n6 1\n");
  const std::string file = folder.file("p.xml");
  const auto complaint = [&](const std::string& a, const std::string& server,
                             const std::string& link, bool says_failures) {
    const auto attribute = [](const std::string& state) {
      return state.empty() ? "" : "state_file=\"" + state + ".state\"";
    };
    folder.write("p.xml", platform_with(attribute(a), "", attribute(server), attribute(link)));
    Json scenario = scenario_on(file);
    if (!says_failures) scenario["cluster"].erase("failures");
    std::string said = complaint_about(scenario);
    const std::size_t at = said.find(file);
    return at == std::string::npos ? said : said.replace(at, file.size(), "p.xml");
  };
  const std::string in_file = "/cluster/platform: 'p.xml': ";
  CHECK(complaint("off", "brief", "", true).empty());
  CHECK(complaint("brief", "", "", false) ==
        "/cluster: needs \"failures\": the state_file of host a switches it off, and it must be "
        "said when the others notice, such as {\"detect_after\": \"5s\"}");
  CHECK(complaint("", "off", "", true) ==
        in_file + "host s: its state_file leaves it off: a server must return");
  CHECK(complaint("", "", "brief", true) ==
        in_file +
            "link wire_a: state_file 'brief.state', line 1: only hosts may be switched off: a link "
            "that goes off is not modelled, let its bandwidth_file make it slow");
  CHECK(complaint("drawn", "", "", true) ==
        in_file +
            "host a: state_file 'drawn.state' must list times: for failures that are drawn give "
            "/cluster/failures \"laws\"");
  CHECK(complaint("early", "", "", true) ==
        in_file + "host a: state_file 'early.state' must begin anew after its last line");
  CHECK(complaint("both", "", "", true) ==
        in_file + "host a: state_file 'both.state' must have PERIODICITY or LOOPAFTER, not both");
  const std::string what_a_line_is =
      "must be a time of at least 0 and a value, or PERIODICITY and a time, got '";
  CHECK(complaint("backwards", "", "", true) ==
        in_file + "host a: state_file 'backwards.state', line 1: " + what_a_line_is +
            "PERIODICITY -3'");
  CHECK(complaint("three", "", "", true) ==
        in_file + "host a: state_file 'three.state', line 1: " + what_a_line_is + "3 0 1'");
}

TEST_CASE("a state_file that switches very often is warned of") {
  const tests::TemporaryFolder folder;
  folder.write("often.state", "LOOPAFTER 1e-6\n1e-6 0\n2e-6 1\n");
  folder.write("p.xml", platform_with("state_file=\"often.state\"", "", "", ""));
  const std::string text = described_experiment(experiment_of(scenario_on(folder.file("p.xml"))));
  // Two changes in each round of 3 us, for 40 s.
  CHECK(text.find("warning: /cluster/platform: about 2.66667e+07 changes of state_files in 40 s of "
                  "virtual time: a run takes long; are the units what was meant?") !=
        std::string::npos);
}

}  // namespace
}  // namespace motley
