// Every algorithm under failures of several patterns, known and drawn, to the end: nothing hangs, time,
// samples and bytes add up, and nobody does anything while it is down.
#include <algorithm>
#include <map>
#include <memory>

#include "algorithms/catalog.hpp"
#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

/// Parameters that have no default, or that make the algorithm meet its partners often enough.
Json entry(const std::string& name) {
  static const std::map<std::string, Json> own = {
      {"backup", {{"backup", 1}}},
      {"ringmaster", {{"delay_bound", 3}}},
      {"simuparallel", {{"local_steps", 5}, {"rounds", "inf"}}},
      {"wp_sgd", {{"round_time", "700ms"}}},
      {"local", {{"local_steps", 3}}},
      {"hierarchical", {{"local_steps", 2}, {"global_every", 2}, {"groups", 2}}},
      {"diloco", {{"local_steps", 3}}},
      {"biased_local", {{"local_steps", 3}}},
      {"od_sgd", {{"warm_up", 3}}},
      {"cd_sgd", {{"warm_up", 3}, {"correct_every", 3}}},
      {"cp_sgd", {{"warm_up", 3}}},
      {"rennala", {{"batch", 6}}},
      {"malenia", {{"S", 8}}},
      {"mindflayer", {{"trials", 2}, {"patience", 1.2}}},
      {"daso", {{"skip", 4}, {"wait", 2}, {"warm_up_epochs", 0.05}}},
      {"allocation", {{"period", 3}}},
      {"fedbuff", {{"buffer", 3}, {"local_steps", 2}, {"concurrency", {{"count", 3}}}}},
      {"scaffold", {{"local_steps", 2}, {"participation", {{"count", 3}}}}},
      {"fedavg", {{"local_steps", 2}, {"participation", {{"count", 3}}}}},
      {"fednova", {{"local_steps", 2}, {"local_work", "speed"}}},
      {"fedasync", {{"local_steps", 2}, {"concurrency", {{"count", 3}}}}},
      {"fedlalr", {{"local_steps", 2}, {"participation", {{"count", 3}}}, {"step_size", 0.01}}},
      {"bvr_l_sgd", {{"local_steps", 2}, {"large_batch", 2}}},
      {"api_bcd", {{"local_steps", 1}}},
      {"prague", {{"group_size", 2}}},
      {"grouping", {{"groups", 2}, {"profile_steps", 3}}},
      {"stale", {{"staleness", 1}}}};
  Json entry = {{"name", name}};
  const auto found = own.find(name);
  if (found != own.end()) entry.update(found->second);
  return entry;
}

std::vector<Json> all_entries() {
  std::vector<Json> entries;
  for (const AlgorithmInfo& info : algorithm_catalog()) entries.push_back(entry(info.name));
  Json by_server = entry("local");
  by_server["label"] = "local-server";
  by_server["average"] = "server";
  entries.push_back(by_server);
  entries.push_back({{"name", "async"}, {"label", "softsync"}, {"softsync", 2}});
  entries.push_back(
      {{"name", "async"}, {"label", "own-steps"}, {"fetch_every", 3}, {"push_every", 2}});
  Json cancel = entry("backup");
  cancel["label"] = "m-sync";
  cancel["late"] = "cancel";
  entries.push_back(cancel);
  Json ignore = entry("rennala");
  ignore["label"] = "rennala-ignore";
  ignore["late"] = "ignore";
  entries.push_back(ignore);
  for (const char* mode : {"dbs", "omnilearn", "lb_bsp"}) {
    Json allocation = entry("allocation");
    allocation.update({{"label", mode}, {"mode", mode}});
    if (std::string(mode) == "omnilearn")
      allocation.update({{"least_batch", 1}, {"most_batch", 6}});
    if (std::string(mode) == "lb_bsp") allocation["data_shares"] = true;
    entries.push_back(allocation);
  }
  entries.push_back({{"name", "sync"}, {"label", "by-layers"}, {"overlap", "layers"}});
  entries.push_back(
      {{"name", "grouping"}, {"label", "shares"}, {"data_shares", true}, {"profile_steps", 3}});
  entries.push_back({{"name", "grouping"}, {"label", "computed"}, {"profile", "compute"}});
  entries.push_back(
      {{"name", "od_sgd"}, {"label", "od-layers"}, {"warm_up", 3}, {"overlap", "layers"}});
  entries.push_back({{"name", "od_sgd"}, {"label", "od-two"}, {"warm_up", 0}, {"in_flight", 2}});
  entries.push_back({{"name", "biased_local"},
                     {"label", "measured"},
                     {"local_steps", 3},
                     {"speeds", "measured"},
                     {"measure_steps", 3},
                     {"scores", "latest"}});
  entries.push_back({{"name", "fedavg"},
                     {"label", "deadline"},
                     {"local_steps", 3},
                     {"deadline", "200ms"},
                     {"server_rule", "momentum"},
                     {"server_step_size", 0.1}});
  entries.push_back({{"name", "fedavg"},
                     {"label", "fedprox"},
                     {"local_steps", 8},
                     {"deadline", "200ms"},
                     {"late", "partial"},
                     {"proximal", 0.1}});
  entries.push_back({{"name", "diloco"},
                     {"label", "diloco-asynchronous"},
                     {"mode", "asynchronous"},
                     {"local_steps", 3},
                     {"dylu", true},
                     {"grace", "20ms"}});
  entries.push_back({{"name", "diloco"},
                     {"label", "diloco-streaming"},
                     {"mode", "streaming"},
                     {"local_steps", 4},
                     {"fragments", 2}});
  entries.push_back({{"name", "d_psgd"}, {"label", "gossip-complete"}, {"graph", "complete"}});
  return entries;
}

Json down(const char* worker, const char* at, const char* time) {
  return {{"worker", worker}, {"at", at}, {"for", time}};
}

/// By name.
std::map<std::string, Json> patterns() {
  return {
      {"one fails, and fails again",
       {{"list", {down("fast-0", "1s", "2s"), down("fast-0", "4s", "100ms")}}}},
      {"late and for good",
       {{"list",
         {{{"worker", "fast-1"}, {"from", "2500ms"}}, {{"worker", "slow-1"}, {"at", "1s"}}}}}},
      {"all at once",
       {{"list",
         {down("fast-0", "1500ms", "1s"), down("fast-1", "1500ms", "2s"),
          down("slow-0", "1500ms", "2s"), down("slow-1", "1500ms", "3s")}}}},
      {"drawn", {{"laws", {{{"mean_time_between", "2s"}, {"mean_time_to_return", "500ms"}}}}}},
      {"drawn, quickly noticed",
       {{"detect_after", "1ms"},
        {"laws",
         {{{"class", "slow"},
           {"mean_time_between", "1s"},
           {"shape", 0.7},
           {"mean_time_to_return", "1s"}},
          {{"class", "fast"}, {"mean_time_between", "3s"}, {"mean_time_to_return", "100ms"}}}}}},
      {"the server, too",
       {{"checkpoint", "500ms"},
        {"list", {{{"server", "server"}, {"at", "1200ms"}, {"for", "700ms"}}}},
        {"laws", {{{"mean_time_between", "4s"}, {"mean_time_to_return", "300ms"}}}}}}};
}

Json scenario_of(const Json& algorithm, const Json& pattern, const char* policy) {
  Json scenario = learning_scenario();
  // A gradient takes 20 ms or 60 ms, a message at least 12 ms.
  scenario["cluster"]["workers"][0]["speed"] = "1Gf";
  scenario["cluster"]["workers"][1]["speed"] = "333Mf";
  if (algorithm["name"] == "daso") {  // needs nodes of several workers
    for (Json& worker : scenario["cluster"]["workers"]) {
      worker["per_node"] = 2;
      worker["inside"] = {{"bandwidth", "1GBps"}, {"latency", "100us"}};
    }
  }
  scenario["cluster"]["failures"] = {{"detect_after", "300ms"}, {"on_failure", policy}};
  scenario["cluster"]["failures"].update(pattern);
  scenario["stop"] = {{"time", "8s"}};
  scenario["evaluate"]["every"] = 5;
  scenario["defaults"]["batch_size"] = 2;
  scenario["algorithms"] = {algorithm};
  return scenario;
}

/// Times in which a worker is down, up to the end.
double down_time(const Experiment& experiment, std::size_t rank, double end) {
  Outages outages(experiment.cluster().workers[rank].failures, experiment.scenario().seed,
                  static_cast<std::uint32_t>(rank));
  double sum = 0;
  for (std::optional<Outage> next = outages.next(); next && next->from_s < end;
       next = outages.next()) {
    sum += std::min(next->until_s, end) - next->from_s;
  }
  return sum;
}

void check_accounts(const Experiment& experiment, const RunResult& result) {
  std::uint64_t samples = 0;
  std::uint64_t gradients = 0;
  for (std::size_t rank = 0; rank < result.workers.size(); ++rank) {
    const WorkerResult& w = result.workers[rank];
    CAPTURE(w.name);
    const double all = w.compute_s + w.transfer_s + w.wait_s + w.discarded_s + w.down_s;
    CHECK(all == Approx(result.virtual_s).margin(1e-9).epsilon(0));
    CHECK(w.down_s ==
          Approx(down_time(experiment, rank, result.virtual_s)).margin(1e-9).epsilon(0));
    CHECK(w.lost_s <= w.discarded_s + 1e-9);
    samples += w.samples;
    gradients += w.gradients;
  }
  CHECK(samples == result.samples);
  CHECK(gradients == result.gradients);
  double on_links = 0;  // every message crosses two, but more between nodes
  for (const LinkResult& link : result.links) on_links += link.bytes;
  if (experiment.cluster().nodes.empty()) CHECK(on_links == 2 * result.bytes);
}

/// Nobody computes, sends or receives while it is down.
void check_timeline(const Timeline& timeline) {
  std::map<std::size_t, std::vector<Timeline::Interval>> outages;
  for (const Timeline::Interval& interval : timeline.intervals()) {
    if (interval.state == Timeline::State::down) outages[interval.host].push_back(interval);
  }
  REQUIRE(!outages.empty());
  for (const Timeline::Interval& interval : timeline.intervals()) {
    if (interval.state == Timeline::State::down) continue;
    for (const Timeline::Interval& outage : outages[interval.host]) {
      const double both =
          std::min(interval.end_s, outage.end_s) - std::max(interval.begin_s, outage.begin_s);
      if (both <= 1e-9) continue;
      FAIL("host " << interval.host << " is in state " << Timeline::name(interval.state) << " from "
                   << interval.begin_s << " s to " << interval.end_s << " s, and down from "
                   << outage.begin_s << " s");
    }
  }
}

TEST_CASE("every algorithm comes to the end under every pattern of failures") {
  for (const char* policy : {"drop", "wait"}) {
    for (const auto& [name, pattern] : patterns()) {
      for (const Json& algorithm : all_entries()) {
        const bool waits = std::string(policy) == "wait";
        if (waits && name == "late and for good") continue;  // see below
        CAPTURE(policy, name, algorithm.dump());
        const Experiment experiment = experiment_of(scenario_of(algorithm, pattern, policy));
        const RunResult result = result_of(
            run_in_child([&] { return to_json(experiment.run(experiment.runs().at(0), 1, {})); }));
        CHECK(result.reason.empty());
        CHECK(result.updates > (waits ? 0 : 3));  // all must be up for a whole step
        CHECK(result.virtual_s == Approx(8).margin(1e-9));
        check_accounts(experiment, result);
      }
    }
  }
}

/// Servers that fail while workers do, too.
Json pattern_of_servers(bool drawn) {
  Json pattern = {{"checkpoint", "500ms"},
                  {"laws", {{{"mean_time_between", "4s"}, {"mean_time_to_return", "300ms"}}}}};
  if (drawn) {
    pattern["laws"].push_back(
        {{"class", "server"}, {"mean_time_between", "3s"}, {"mean_time_to_return", "200ms"}});
  } else {
    pattern["list"] = {{{"server", "server-1"}, {"at", "1200ms"}, {"for", "700ms"}},
                       {{"server", "server-0"}, {"at", "1500ms"}, {"for", "1s"}},
                       {{"server", "server-1"}, {"at", "5s"}, {"for", "1ms"}}};
  }
  return pattern;
}

TEST_CASE("every algorithm comes to the end when some of several servers fail, and workers") {
  struct Case {
    int servers;
    const char* policy;
    bool drawn;
  };
  for (const auto& [servers, policy, drawn] :
       {Case{2, "drop", true}, Case{2, "wait", true}, Case{3, "drop", false}}) {
    for (const Json& algorithm : all_entries()) {
      CAPTURE(servers, policy, drawn, algorithm.dump());
      Json scenario = scenario_of(algorithm, pattern_of_servers(drawn), policy);
      scenario["cluster"]["servers"] = {scenario["cluster"]["server"]};
      scenario["cluster"]["servers"][0]["count"] = servers;
      scenario["cluster"].erase("server");
      if (!takes_several_servers(scenario)) continue;
      const Experiment experiment = experiment_of(scenario);
      const RunResult result = result_of(
          run_in_child([&] { return to_json(experiment.run(experiment.runs().at(0), 1, {})); }));
      CHECK(result.reason.empty());
      CHECK(result.updates > 3);
      CHECK(result.virtual_s == Approx(8).margin(1e-9));
      CHECK(result.lost_updates <= result.updates);
      check_accounts(experiment, result);
    }
  }
}

TEST_CASE("nobody acts while it is down") {
  for (const Json& algorithm : all_entries()) {
    CAPTURE(algorithm.dump());
    const Experiment experiment =
        experiment_of(scenario_of(algorithm, patterns().at("the server, too"), "drop"));
    const ChildOutcome outcome = run_in_child([&] {
      const RunPlan& plan = experiment.runs().at(0);
      Json parameters = plan.parameters;
      const std::unique_ptr<Algorithm> made =
          find_algorithm(plan.algorithm, {}).make(parameters, {}, experiment.facts());
      simulate({experiment.scenario(),
                experiment.cluster(),
                experiment.problem(),
                experiment.partition(),
                experiment.order(),
                experiment.flops_per_sample(),
                experiment.message_bytes(),
                1,
                {},
                TraceWindow{},
                check_timeline},
               *made);
      return Json(true);
    });
    INFO(outcome.complaint());
    CHECK(outcome.result.has_value());
  }
}

Json without_wall(const RunResult& result) {
  Json json = to_json(result);
  for (const char* key : {"wall_s", "peak_rss_mb", "evaluation_wall_s", "failures"})
    json.erase(key);
  return json;
}

/// It is a sum in the order in which workers act, which is not the same at the same moment.
Json without_train_loss(Json result) {
  for (Json& point : result["curve"]) point[5] = nullptr;
  return result;
}

TEST_CASE("without a failure the results are those without the section") {
  for (const Json& algorithm : all_entries()) {
    CAPTURE(algorithm.dump());
    Json scenario = scenario_of(algorithm, Json::object(), "drop");
    scenario["stop"] = {{"time", "3s"}};
    const Json with_empty = without_wall(simulate(scenario));
    scenario["cluster"]["failures"]["list"] = {down("slow-1", "100s", "1s")};
    const Json with_later = without_wall(simulate(scenario));
    scenario["cluster"].erase("failures");
    const Json without = without_wall(simulate(scenario));
    CHECK(with_empty == without);
    CHECK(without_train_loss(with_later) == without_train_loss(without));
  }
}

TEST_CASE("failures give the same results for any number of threads") {
  for (const Json& algorithm : all_entries()) {
    CAPTURE(algorithm.dump());
    const Json scenario = scenario_of(algorithm, patterns().at("drawn"), "drop");
    CHECK(without_wall(simulate(scenario, 0, 1)) == without_wall(simulate(scenario, 0, 3)));
  }
}

TEST_CASE("every algorithm says what it does when a worker is gone") {
  for (const AlgorithmInfo& info : algorithm_catalog()) {
    CAPTURE(info.name);
    CHECK(!info.when_gone.empty());
  }
}

}  // namespace
}  // namespace motley
