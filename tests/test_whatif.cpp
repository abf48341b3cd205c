// What is said to decide holds when it is tried: the changed scenario, really run, learning and all,
// makes as many updates per second as the timing-only rerun says.
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "sim/base/json.hpp"
#include "sim/cli/tables/whatif_lines.hpp"
#include "sim/study/whatif/timing_rerun.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

/// Four gpus and four cpus, given in numbers that a change can change.
struct Cluster {
  double gpu_Gf = 4;
  double cpu_Gf = 1;
  double server_Gf = 1000;
  double bandwidth_MBps = 1000;
  double server_bandwidth_MBps = 10'000;
  double latency_ms = 1;
  double noise_mean = 0;
  bool has_cpus = true;
};

/// A step of one batch takes 8 Gf, an update of the server 1 Gf, a message 10 MB.
Json scenario_of(const Cluster& c) {
  const auto with_unit = [](double number, const char* unit) {
    std::ostringstream text;
    text << number << unit;
    return text.str();
  };
  Json scenario = learning_scenario();
  scenario["cluster"]["workers"] =
      Json::array({{{"name", "gpu"}, {"count", 4}, {"speed", with_unit(c.gpu_Gf, "Gf")}}});
  if (c.has_cpus) {
    scenario["cluster"]["workers"].push_back(
        {{"name", "cpu"}, {"count", 4}, {"speed", with_unit(c.cpu_Gf, "Gf")}});
  }
  const std::string latency = with_unit(c.latency_ms, "ms");
  scenario["cluster"]["server"] = {
      {"speed", with_unit(c.server_Gf, "Gf")},
      {"link", {{"bandwidth", with_unit(c.server_bandwidth_MBps, "MBps")}, {"latency", latency}}}};
  scenario["cluster"]["link"] = {{"bandwidth", with_unit(c.bandwidth_MBps, "MBps")},
                                 {"latency", latency}};
  if (c.noise_mean > 0) {
    scenario["cluster"]["noise"] = {{"law", "exponential"}, {"mean", c.noise_mean}};
  }
  scenario["cost"] = {
      {"flops_per_sample", "1Gf"}, {"model_size", "10MB"}, {"flops_per_update", "1Gf"}};
  scenario["evaluate"]["every"] = "auto";
  scenario["stop"]["updates"] = 200;
  scenario["algorithms"] = Json::array({{{"name", "sync"}},
                                        {{"name", "async"}},
                                        {{"name", "allreduce"}},
                                        {{"name", "local"}, {"local_steps", 4}}});
  return scenario;
}

/// The changes of whatif.csv as a user would make them in the scenario.
const std::map<std::string, std::function<void(Cluster&)>> by_hand = {
    {"as_is", [](Cluster&) {}},
    {"bandwidth_x2",
     [](Cluster& c) {
       c.bandwidth_MBps *= 2;
       c.server_bandwidth_MBps *= 2;
     }},
    {"server_bandwidth_x2", [](Cluster& c) { c.server_bandwidth_MBps *= 2; }},
    {"no_latency", [](Cluster& c) { c.latency_ms = 0; }},
    {"compute_x2",
     [](Cluster& c) {
       c.gpu_Gf *= 2;
       c.cpu_Gf *= 2;
       c.server_Gf *= 2;
     }},
    {"speed_x2:gpu", [](Cluster& c) { c.gpu_Gf *= 2; }},
    {"speed_x2:cpu", [](Cluster& c) { c.cpu_Gf *= 2; }},
    {"server_speed_x2", [](Cluster& c) { c.server_Gf *= 2; }},
    {"no_noise", [](Cluster& c) { c.noise_mean = 0; }},
    {"without:cpu", [](Cluster& c) { c.has_cpus = false; }}};

using Rates = std::map<std::string, double>;  // updates per second by algorithm

/// Of real runs, which learn.
Rates really_run(const Cluster& cluster) {
  const TemporaryFolder folder;
  folder.write("s.json", scenario_of(cluster).dump());
  const Outcome outcome =
      run_motley({"run", "s.json", "--out", "out", "--no-whatif", "--quiet"}, folder.path());
  REQUIRE(outcome.exit_code == 0);
  Rates rates;
  for (const auto& row : rows_of(read_file(folder.path() / "out/runs.csv"))) {
    REQUIRE(row.at("updates") == "200");
    rates[row.at("algorithm")] = 200 / std::stod(row.at("virtual_s"));
  }
  return rates;
}

/// Runs the cluster and, by hand, every change that whatif.csv speaks of; whatever it says of
/// updates per second must be so. Returns the bottlenecks by algorithm.
std::map<std::string, std::string> checked_bottlenecks(const Cluster& cluster) {
  const TemporaryFolder folder;
  folder.write("s.json", scenario_of(cluster).dump());
  REQUIRE(run_motley({"run", "s.json", "--out", "out", "--quiet"}, folder.path()).exit_code == 0);
  std::map<std::string, Rates> said;  // by change
  std::map<std::string, std::vector<Gain>> gains;
  std::map<std::string, std::string> written;  // the bottlenecks, by algorithm
  for (const auto& row : rows_of(read_file(folder.path() / "out/whatif.csv"))) {
    CHECK(row.at("reason").empty());
    said[row.at("change")][row.at("algorithm")] = std::stod(row.at("updates_per_s"));
    gains[row.at("algorithm")].push_back({row.at("change"), std::stod(row.at("gain"))});
    if (row.at("bottleneck") == "1") {
      CHECK(row.at("named") == "1");
      CHECK(written.emplace(row.at("algorithm"), row.at("change")).second);  // one and no more
    }
  }
  std::map<std::string, Rates> real;
  for (const auto& [change, rates] : said) {
    CAPTURE(change);
    Cluster changed = cluster;
    by_hand.at(change)(changed);
    real[change] = really_run(changed);
    for (const auto& [algorithm, rate] : rates) {
      CAPTURE(algorithm);
      CHECK(rate == Approx(real[change].at(algorithm)).epsilon(1e-9));
    }
  }
  // What is named brings more than anything else, except the whole that it is part of and a
  // smaller cluster.
  const std::map<std::string, std::pair<std::string, std::string>> change_and_whole = {
      {"bandwidth", {"bandwidth_x2", ""}},
      {"the server's bandwidth", {"server_bandwidth_x2", "bandwidth_x2"}},
      {"latency", {"no_latency", ""}},
      {"compute speed", {"compute_x2", ""}},
      {"speed of gpu", {"speed_x2:gpu", "compute_x2"}},
      {"speed of cpu", {"speed_x2:cpu", "compute_x2"}},
      {"the server's speed", {"server_speed_x2", "compute_x2"}},
      {"noise", {"no_noise", ""}}};
  std::map<std::string, std::string> bottlenecks;
  for (const auto& [algorithm, of_algorithm] : gains) {
    CAPTURE(algorithm);
    const std::string named = bottleneck_of(of_algorithm);
    bottlenecks[algorithm] = named;
    REQUIRE(change_and_whole.contains(named));
    const auto& [change, whole] = change_and_whole.at(named);
    CHECK(written.at(algorithm) == change);
    for (const Gain& other : of_algorithm) {
      if (other.change == whole || other.change.starts_with("without:")) continue;
      CAPTURE(other.change);
      CHECK(real.at(change).at(algorithm) >= real.at(other.change).at(algorithm) * (1 - 1e-9));
    }
  }
  return bottlenecks;
}

TEST_CASE("where a slow class computes for long, its speed decides") {
  // A cpu's batch takes 8 s, a gpu's 2 s, a message 12 ms. Who waits for all waits for the cpus.
  const auto bottlenecks = checked_bottlenecks({});
  CHECK(bottlenecks.at("sync") == "speed of cpu");
  CHECK(bottlenecks.at("allreduce") == "speed of cpu");
  CHECK(bottlenecks.at("local") == "speed of cpu");
  // Nobody waits: 4/2 + 4/8 updates/s, of which twice as fast gpus make 1.8 times as many and
  // twice as fast cpus 1.2; no class brings nine tenths of what both do.
  CHECK(bottlenecks.at("async") == "compute speed");
}

TEST_CASE("where everything goes through the server's link, its bandwidth decides") {
  Cluster cluster;
  cluster.server_bandwidth_MBps = 10;  // eight messages in 8 s, a batch in 0.2 s at most
  cluster.gpu_Gf = 80;
  cluster.cpu_Gf = 40;
  const auto bottlenecks = checked_bottlenecks(cluster);
  CHECK(bottlenecks.at("sync") == "the server's bandwidth");
  CHECK(bottlenecks.at("async") == "the server's bandwidth");
  // The ring does not know the server: 0.2 s of the cpus against 14 messages of 10/8 MB in 18 ms
  // and as many latencies of 2 ms.
  CHECK(bottlenecks.at("allreduce") == "speed of cpu");
}

TEST_CASE("where messages are small and far away, latency decides") {
  Cluster cluster;
  cluster.latency_ms = 1000;  // a message takes 2 s on its way, a batch 0.2 s at most
  cluster.gpu_Gf = 80;
  cluster.cpu_Gf = 40;
  for (const auto& [algorithm, named] : checked_bottlenecks(cluster)) {
    CAPTURE(algorithm);
    CHECK(named == "latency");
  }
}

TEST_CASE("where steps are noisy and everybody waits for the unluckiest, noise decides") {
  Cluster cluster;
  cluster.cpu_Gf = 4;
  cluster.noise_mean = 4;
  // The unluckiest of eight takes 1 + 4 (1 + 1/2 + ... + 1/8) = 11.9 times as long on average, so
  // that its absence brings far more than twice the speed.
  const auto bottlenecks = checked_bottlenecks(cluster);
  CHECK(bottlenecks.at("sync") == "noise");
  CHECK(bottlenecks.at("allreduce") == "noise");
  CHECK(bottlenecks.at("async") == "noise");  // five times as long on average
}

TEST_CASE("where computing and messages take alike, each brings its share") {
  Cluster cluster;
  cluster.gpu_Gf = 8;  // a batch takes 1 s
  cluster.cpu_Gf = 8;
  cluster.bandwidth_MBps = 25;  // a message 0.4 s; the server has room for all eight
  cluster.latency_ms = 25;      // and 50 ms on its way
  cluster.server_Gf = 10;       // an update takes 0.1 s
  const auto bottlenecks = checked_bottlenecks(cluster);
  CHECK(bottlenecks.at("sync") == "compute speed");

  // An update of sync takes 1 s + 2 (0.4 s + 50 ms) + 0.1 s = 2 s, from sending the model to having
  // updated it; so 200 of them take 200 times that.
  const Experiment experiment = experiment_of(scenario_of(cluster));
  const std::map<std::string, double> changed_round_s = {
      {"bandwidth_x2", 2 - 0.4},     {"server_bandwidth_x2", 2},
      {"no_latency", 2 - 0.1},       {"compute_x2", 2 - 0.55},
      {"speed_x2:gpu", 2},           {"speed_x2:cpu", 2},
      {"server_speed_x2", 2 - 0.05}, {"as_is", 2}};
  const auto round_of = [&](const Change& change) {
    const ChildOutcome outcome = run_in_child([&] {
      return Json(200 /
                  timing_rerun(experiment, experiment.runs()[0], change, 200).updates_per_s());
    });
    REQUIRE(outcome.result);
    return outcome.result->get<double>() / 200;
  };
  for (const Change& change : changes_for(experiment, true)) {
    CAPTURE(change.name);
    CHECK(round_of(change) == Approx(changed_round_s.at(change.name)).epsilon(1e-9));
  }
}

/// Times the first run of the experiment again, changed.
Throughput rerun(const Experiment& experiment, const std::string& name, std::uint64_t updates) {
  for (const Change& change : changes_for(experiment, true)) {
    if (change.name != name) continue;
    const ChildOutcome outcome = run_in_child([&] {
      const Throughput t = timing_rerun(experiment, experiment.runs()[0], change, updates);
      return Json{t.updates, t.samples, t.virtual_s};
    });
    INFO(outcome.complaint());
    REQUIRE(outcome.result);
    return {outcome.result->at(0), outcome.result->at(1), outcome.result->at(2)};
  }
  FAIL("no such change: " + name);
  return {};
}

/// Whether a rerun without the learning takes the virtual time of the run to the last bit.
void check_same_times(const Json& scenario) {
  const RunResult run = simulate(scenario);
  const Throughput again = rerun(experiment_of(scenario), "as_is", run.updates);
  CHECK(again.updates == run.updates);
  CHECK(again.samples == run.samples);
  CHECK(again.virtual_s == run.virtual_s);
}

TEST_CASE("every algorithm takes the same time when nothing is learnt") {
  Json scenario = learning_scenario();
  scenario["cluster"]["noise"] = {{"law", "lognormal"}, {"sigma", 0.3}};
  for (const Json& algorithm : every_algorithm()) {
    CAPTURE(algorithm.dump());
    check_same_times(with_algorithm(scenario, algorithm));
  }
}

TEST_CASE("layers, servers and compression cost the same time when nothing is learnt") {
  Json scenario = learning_scenario();
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] =
      Json::array({{{"speed", "1Tf"}, {"count", 2}},
                   {{"speed", "1Gf"}, {"link", {{"bandwidth", "30MBps"}, {"latency", "3ms"}}}}});
  for (const char* name : {"sync", "async", "grouping"}) {
    for (const Json& exchange : {Json{{"placement", "even"}}, Json{{"overlap", "layers"}},
                                 Json{{"compress", {{"kind", "top_k"}, {"share", 0.07}}}}}) {
      Json algorithm = {{"name", name}};
      algorithm.update(exchange);
      CAPTURE(algorithm.dump());
      check_same_times(with_algorithm(scenario, algorithm));
    }
  }
}

/// Workers a and b of two classes behind links of their own, and a server; b loses half of its speed
/// after 3 s.
std::string two_classes(double b_Gf, double bandwidth_MBps, double latency_ms,
                        const std::string& speed_file) {
  std::ostringstream text;
  text << "<host id='a' speed='4Gf'><prop id='role' value='worker'/><prop id='class' value='gpu'/>"
          "</host>\n<host id='b' speed='"
       << b_Gf << "Gf' speed_file='" << speed_file
       << "'><prop id='role' value='worker'/><prop id='class' value='cpu'/></host>\n"
          "<host id='s' speed='1000Gf'><prop id='role' value='server'/></host>\n";
  for (const char* host : {"a", "b"}) {
    text << "<link id='to_" << host << "' bandwidth='" << bandwidth_MBps << "MBps' latency='"
         << latency_ms << "ms'/>\n";
  }
  for (const char* host : {"a", "b"}) {
    text << "<route src='" << host << "' dst='s'><link_ctn id='to_" << host << "'/></route>\n";
  }
  text << "<route src='a' dst='b'><link_ctn id='to_a'/><link_ctn id='to_b'/></route>\n";
  return platform_of(text.str());
}

TEST_CASE(
    "a platform file's speeds, bandwidths and latencies can be asked about, its server's "
    "links cannot") {
  const TemporaryFolder folder;
  folder.write("b.speed", "3 0.5\n");
  const auto experiment_on = [&](double b_Gf, double bandwidth_MBps, double latency_ms) {
    Json scenario = learning_scenario();
    scenario["cluster"] = {{"platform", folder.write("p.xml", two_classes(b_Gf, bandwidth_MBps,
                                                                          latency_ms, "b.speed"))}};
    scenario["cost"] = {{"flops_per_sample", "1Gf"}, {"model_size", "10MB"}};
    return scenario;
  };
  const auto virtual_s = [](const Json& scenario) { return simulate(scenario).virtual_s; };
  const double faster = virtual_s(experiment_on(2, 20, 100));
  const double wider = virtual_s(experiment_on(1, 40, 100));
  const double nearer = virtual_s(experiment_on(1, 20, 0));
  const Json scenario = experiment_on(1, 20, 100);
  const Experiment experiment = experiment_of(scenario);
  const double as_is = virtual_s(scenario);
  CHECK(rerun(experiment, "as_is", 40).virtual_s == as_is);
  CHECK(rerun(experiment, "speed_x2:cpu", 40).virtual_s == Approx(faster).epsilon(1e-9));
  CHECK(rerun(experiment, "bandwidth_x2", 40).virtual_s == Approx(wider).epsilon(1e-9));
  CHECK(rerun(experiment, "no_latency", 40).virtual_s == Approx(nearer).epsilon(1e-9));
  CHECK(faster < as_is);
  CHECK(wider < as_is);
  CHECK(nearer < as_is);
  std::string why_not;
  for (const Change& change : changes_for(experiment, true)) {
    if (change.name == "server_bandwidth_x2") why_not = change.why_not;
  }
  CHECK(why_not == "a platform file does not say which of its links are the server's");
}

/// A node of two in one rack, one in another, and a server on the first.
Json in_racks(double factor, double latency_ms, const char* algorithm) {
  const auto link = [&](double MBps) {
    std::ostringstream bandwidth;
    bandwidth << factor * MBps << "MBps";
    return Json{{"bandwidth", bandwidth.str()}, {"latency", std::to_string(latency_ms) + "ms"}};
  };
  Json scenario = learning_scenario();
  scenario["cluster"] = {{"workers",
                          {{{"name", "gpu"},
                            {"count", 4},
                            {"speed", "4Gf"},
                            {"per_node", 2},
                            {"inside", link(80)},
                            {"link", link(40)}}}},
                         {"server", {{"speed", "1Tf"}, {"on", "gpu"}}},
                         {"fabric",
                          {{"kind", "racks"},
                           {"racks", {{{"count", 2}, {"hosts", {{"gpu", 2}}}}}},
                           {"uplink", link(25)}}}};
  scenario["cost"] = {{"flops_per_sample", "1Gf"}, {"model_size", "10MB"}};
  return with_algorithm(scenario, {{"name", algorithm}});
}

TEST_CASE("what is asked of all links is asked of those inside nodes and between racks, too") {
  for (const char* algorithm : {"sync", "async", "allreduce"}) {
    CAPTURE(algorithm);
    const Experiment experiment = experiment_of(in_racks(1, 20, algorithm));
    const double wider = simulate(in_racks(2, 20, algorithm)).virtual_s;
    const double nearer = simulate(in_racks(1, 0, algorithm)).virtual_s;
    CHECK(rerun(experiment, "bandwidth_x2", 40).virtual_s == Approx(wider).epsilon(1e-9));
    CHECK(rerun(experiment, "no_latency", 40).virtual_s == Approx(nearer).epsilon(1e-9));
    for (const Change& change : changes_for(experiment, true)) {
      if (change.name != "server_bandwidth_x2") continue;
      CHECK(change.why_not == "a server that is on a node has no link of its own");
    }
  }
}

}  // namespace
}  // namespace motley
