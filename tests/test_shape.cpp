// Clusters of nodes, racks and sites: how long messages take in them, by hand.
#include <map>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace motley {
namespace {

Json link_of(const Json& bandwidth, const char* latency) {
  return {{"bandwidth", bandwidth}, {"latency", latency}};
}

/// One sample takes a worker 1 s, a message has 8 MB. The server's link is never the bottleneck.
Json shaped(const Json& workers, const char* algorithm) {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = workers;
  scenario["cluster"]["server"]["link"] = link_of("10GBps", "1ms");
  scenario["algorithms"] = {{{"name", algorithm}}};
  scenario["stop"]["updates"] = 3;
  return scenario;
}

/// Workers of 1 Gf/s in nodes whose links have 100 MB/s and 1 ms, and whose ports inside have 800 MB/s
/// and 3 ms.
Json in_nodes(std::size_t count, std::size_t per_node) {
  return {{"name", "gpu"},
          {"count", count},
          {"speed", "1Gf"},
          {"per_node", per_node},
          {"inside", link_of("800MBps", "3ms")},
          {"link", link_of("100MBps", "1ms")}};
}

Json alone(const char* name, std::size_t count) {
  return {{"name", name}, {"count", count}, {"speed", "1Gf"}, {"link", link_of("100MBps", "1ms")}};
}

/// Every update takes so long.
void check_updates(const RunResult& result, double seconds) {
  REQUIRE(result.curve.size() == 4);
  for (std::size_t i = 1; i < result.curve.size(); ++i) {
    CHECK(result.curve[i].time_s == Approx(static_cast<double>(i) * seconds).margin(1e-9));
  }
}

std::map<std::string, LinkResult> links_by_name(const RunResult& result) {
  std::map<std::string, LinkResult> links;
  for (const LinkResult& link : result.links) links[link.name] = link;
  return links;
}

TEST_CASE("two workers of one node exchange their halves inside and not over its link") {
  // Two steps of 4 MB: twice 3 ms, and 4/800 s.
  const RunResult result = simulate(shaped(Json::array({in_nodes(2, 2)}), "allreduce"));
  check_updates(result, 1 + 2 * (2 * 0.003 + 4.0 / 800));
  const auto links = links_by_name(result);
  CHECK(links.at("gpu-node0_up").bytes == 0);
  CHECK(links.at("gpu-node0_down").bytes == 0);
  CHECK(links.at("gpu-1_inside_up").bytes == 3 * 8e6);
  CHECK(links.at("gpu-1_inside_up").bandwidth_Bps == 8e8);
  CHECK(links.at("gpu-1_inside_up").group == "gpu-*_inside_up");
  CHECK(links.at("gpu-node0_up").group == "gpu-node*_up");
}

TEST_CASE("the workers of one node share its link, each way by itself") {
  // Model and gradient cross the server's link and the node's: 1 ms each, and k messages of 8 MB at
  // 100 MB/s. What comes never meets what goes.
  for (const std::size_t k : {1, 2, 4}) {
    const double way = 0.002 + static_cast<double>(k) * 8.0 / 100;
    check_updates(simulate(shaped(Json::array({in_nodes(4, k)}), "sync")), 1 + 2 * way);
  }
}

TEST_CASE("a ring through nodes crosses the link of each once a step") {
  // Ranks 0 to 3 in two nodes: 1 -> 2 and 3 -> 0 leave, 0 -> 1 and 2 -> 3 stay. Six steps of 2 MB:
  // a step takes as long as the slower, 2 ms and 2/100 s against 6 ms and 2/800 s.
  const RunResult result = simulate(shaped(Json::array({in_nodes(4, 2)}), "allreduce"));
  check_updates(result, 1 + 6 * (0.002 + 2.0 / 100));
}

TEST_CASE("an oversubscribed uplink is shared by its rack") {
  // Rack 1: four links of 100 MB/s behind an uplink of 4 * 100 / 2. The server's rack: 10 GB/s and
  // one link of 100 MB/s behind half of them. Four messages of 8 MB at 200 MB/s, and the latencies
  // of four links.
  Json scenario = shaped(Json::array({alone("near", 1), alone("far", 4)}), "sync");
  scenario["cluster"]["fabric"] = {
      {"kind", "racks"},
      {"racks", {{{"hosts", {{"near", 1}, {"server", 1}}}}, {{"hosts", {{"far", 4}}}}}},
      {"uplink", {{"oversubscription", 2}, {"latency", "5ms"}}}};
  const double way = 0.001 + 0.005 + 0.005 + 0.001 + 4 * 8.0 / 200;
  const RunResult result = simulate(scenario);
  check_updates(result, 1 + 2 * way);
  const auto links = links_by_name(result);
  CHECK(links.at("rack-0_uplink_up").bandwidth_Bps == 10.1e9 / 2);
  CHECK(links.at("rack-1_uplink_down").bandwidth_Bps == 4e8 / 2);
  CHECK(links.at("rack-1_uplink_down").group == "rack-*_uplink_down");
  CHECK(links.at("rack-1_uplink_down").bytes == 4 * 3 * 8e6);  // far's models; near's stay in

  SECTION("a rack may have an uplink of its own, and several racks may be alike") {
    // Two racks of two, one uplink each of 50 MB/s up and 25 MB/s down: 16 MB each.
    Json& fabric = scenario["cluster"]["fabric"];
    fabric["racks"][1] = {
        {"count", 2},
        {"hosts", {{"far", 2}}},
        {"uplink", {{"bandwidth", {{"up", "50MBps"}, {"down", "25MBps"}}}, {"latency", "5ms"}}}};
    check_updates(simulate(scenario), 1 + 2 * 0.012 + 16.0 / 25 + 16.0 / 50);
  }
  SECTION("an oversubscription of 1 costs no more than its latency") {
    scenario["cluster"]["fabric"]["uplink"]["oversubscription"] = 1;
    check_updates(simulate(scenario), 1 + 2 * (0.012 + 8.0 / 100));
  }
}

TEST_CASE("a link may be wider one way than the other, on a switch and on a node") {
  // Up is away from the worker: the gradient at 20 MB/s, the model at 100 MB/s.
  Json worker = alone("home", 1);
  worker["link"]["bandwidth"] = {{"up", "20MBps"}, {"down", "100MBps"}};
  const double update = 1 + 2 * 0.002 + 8.0 / 100 + 8.0 / 20;
  const RunResult result = simulate(shaped(Json::array({worker}), "sync"));
  check_updates(result, update);
  CHECK(links_by_name(result).at("home-0_up").bandwidth_Bps == 2e7);
  worker["per_node"] = 1;
  worker["inside"] = link_of("1GBps", "0s");
  check_updates(simulate(shaped(Json::array({worker}), "sync")), update);
}

TEST_CASE("a server on a node talks inside with the node's workers and by its link with others") {
  Json scenario = shaped(Json::array({in_nodes(4, 2)}), "sync");
  scenario["cluster"]["server"] = {{"speed", "1Tf"}, {"on", "gpu"}};
  // The other node's two workers: both ways 2 ms and 16 MB at 100 MB/s.
  check_updates(simulate(scenario), 1 + 2 * (0.002 + 16.0 / 100));
  // Its own node's two workers are through sooner: 6 ms, and 16 MB at the 800 MB/s of its port.
  scenario["algorithms"] = {{{"name", "async"}}};
  scenario["stop"]["updates"] = 1;
  CHECK(simulate(scenario).virtual_s == Approx(1 + 2 * (0.006 + 16.0 / 800)).margin(1e-9));
}

TEST_CASE("several servers on a class are on its nodes in turn") {
  Json scenario = shaped(Json::array({alone("cpu", 1), in_nodes(4, 2)}), "sync");
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = {{{"count", 3}, {"speed", "1Tf"}, {"on", "gpu"}},
                                    {{"speed", "1Tf"}}};
  const ClusterPlan plan = experiment_of(scenario).cluster();
  REQUIRE(plan.nodes.size() == 2);
  REQUIRE(plan.servers.size() == 4);
  CHECK(plan.servers[0].name == "server-0");
  CHECK(plan.servers[0].node == 0U);
  CHECK(plan.servers[1].node == 1U);
  CHECK(plan.servers[2].node == 0U);
  CHECK(!plan.servers[3].node);
  CHECK(!plan.workers[0].node);
  CHECK(plan.workers[1].node == 0U);
  CHECK(plan.workers[4].node == 1U);
}

TEST_CASE("a message between sites crosses the link of the two") {
  // The model from a to b at 10 MB/s, the gradient back at 40 MB/s; 20 ms and twice 1 ms.
  Json scenario = shaped(Json::array({alone("there", 1)}), "sync");
  Json& fabric = scenario["cluster"]["fabric"];
  fabric = {
      {"kind", "sites"},
      {"sites",
       {{{"name", "a"}, {"hosts", {{"server", 1}}}}, {{"name", "b"}, {"hosts", {{"there", 1}}}}}},
      {"link", link_of({{"up", "10MBps"}, {"down", "40MBps"}}, "20ms")}};
  const double update = 1 + 2 * 0.022 + 8.0 / 10 + 8.0 / 40;
  const RunResult result = simulate(scenario);
  check_updates(result, update);
  CHECK(links_by_name(result).at("a->b").bandwidth_Bps == 1e7);
  CHECK(links_by_name(result).at("b->a").bandwidth_Bps == 4e7);

  SECTION("a link of two sites by name counts instead, its way up from the first named") {
    Json named = link_of({{"up", "40MBps"}, {"down", "10MBps"}}, "20ms");
    named["between"] = {"b", "a"};
    fabric["links"] = Json::array({named});
    fabric["link"] = link_of("1Bps", "1s");
    check_updates(simulate(scenario), update);
  }
  SECTION("one site is one switch") {
    fabric = {{"kind", "sites"},
              {"sites", {{{"name", "a"}, {"hosts", {{"server", 1}, {"there", 1}}}}}}};
    check_updates(simulate(scenario), 1 + 2 * (0.002 + 8.0 / 100));
  }
}

TEST_CASE("a fabric of one switch gives the bytes of none") {
  Json scenario = learning_scenario();
  scenario["algorithms"] = {{{"name", "async"}}};
  const RunResult before = simulate(scenario);
  scenario["cluster"]["fabric"] = {{"kind", "switch"}};
  CHECK(text_of(simulate(scenario)) == text_of(before));
}

}  // namespace
}  // namespace motley
