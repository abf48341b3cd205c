// What cannot be a cluster is refused at its place.

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/mistakes.hpp"

namespace motley {
namespace {

/// Two nodes of two and two hosts alone, in two racks.
Json shaped_scenario() {
  Json scenario = timing_scenario();
  scenario["cluster"] = Json::parse(R"({
    "workers": [{"name": "gpu", "count": 4, "speed": "1Gf", "per_node": 2,
                 "inside": {"bandwidth": "1GBps", "latency": "1us"}},
                {"name": "cpu", "count": 2, "speed": "1Gf"}],
    "server": {"speed": "1Gf"},
    "link": {"bandwidth": "100MBps", "latency": "1ms"},
    "fabric": {"kind": "racks",
               "racks": [{"hosts": {"gpu": 2, "server": 1}}, {"hosts": {"gpu": 2, "cpu": 2}}],
               "uplink": {"oversubscription": 4, "latency": "1us"}}
  })");
  return scenario;
}

const Json wire = {{"bandwidth", "1Gbps"}, {"latency", "1ms"}};

Json three_sites() {
  Json fabric = {{"kind", "sites"},
                 {"sites",
                  {{{"name", "a"}, {"hosts", {{"gpu", 4}}}},
                   {{"name", "b"}, {"hosts", {{"cpu", 2}}}},
                   {{"name", "c"}, {"hosts", {{"server", 1}}}}}},
                 {"links", {wire, wire, wire}}};
  const std::vector<Json> pairs = {{"a", "b"}, {"b", "c"}, {"c", "a"}};
  for (std::size_t i = 0; i < pairs.size(); ++i) fabric["links"][i]["between"] = pairs[i];
  return fabric;
}

TEST_CASE("nodes that cannot be are refused at their place") {
  check_mistakes(
      shaped_scenario(),
      {{"/cluster/workers/0/per_node", 3,
        "/cluster/workers/0/per_node: must divide the 4 workers of the class, got 3"},
       {"/cluster/workers/0/per_node", 0,
        "/cluster/workers/0/per_node: must be a whole number from 1 to 10000000, got 0"},
       {"/cluster/workers/0/per_node",
        {},
        "/cluster/workers/0/inside: needs \"per_node\": how many workers share a node"},
       {"/cluster/workers/0/inside",
        {},
        "/cluster/workers/0/per_node: needs \"inside\": the bandwidth and latency between a worker "
        "and the crossbar of its node"},
       {"/cluster/workers/0/inside/latency",
        {},
        "/cluster/workers/0/inside: needs \"latency\": a time with its unit, of at least 0 (of "
        "this "
        "link; a message pays the latency of every link it crosses)"},
       {"/cluster/server/on", "gqu",
        "/cluster/server/on: must be a class of workers (did you mean 'gpu'?), got \"gqu\""},
       {"/cluster/server/on", "cpu",
        "/cluster/server/on: needs a class with \"per_node\" and \"inside\" (one worker per node "
        "will do), got \"cpu\""},
       {"/cluster/server",
        {{"speed", "1Gf"}, {"on", "gpu"}, {"link", wire}},
        "/cluster/server/link: has no meaning with \"on\": the server shares its node's link"},
       {"/cluster/server",
        {{"speed", "1Gf"}, {"on", "gpu"}},
        "/cluster/fabric/racks/0/hosts/server: must be at most the 0 that are in no rack before "
        "(servers on a node are where the node is), got 1"},
       {"/approximate",
        {{"port_flows", 4}},
        "/approximate/port_flows: is about links of single hosts, and class gpu has "
        "\"per_node\""}});
}

TEST_CASE("bandwidths of two directions that cannot be are refused at their place") {
  check_mistakes(
      shaped_scenario(),
      {{"/cluster/link/bandwidth",
        {{"up", "1Gbps"}},
        "/cluster/link/bandwidth: needs \"down\": a data rate with its unit, above 0 (to the "
        "host)"},
       {"/cluster/link/bandwidth",
        {{"up", "1Gbps"}, {"dwon", "1Gbps"}},
        "/cluster/link/bandwidth/dwon: unknown key (did you mean 'down'?), known here: up or down"},
       {"/cluster/link/bandwidth",
        {{"up", "1Gbps"}, {"down", "0Gbps"}},
        "/cluster/link/bandwidth/down: must be a data rate with its unit, above 0, got "
        "\"0Gbps\""}});
}

TEST_CASE("racks that cannot be are refused at their place") {
  const std::string racks = "/cluster/fabric/racks";
  check_mistakes(
      shaped_scenario(),
      {{racks + "/1", {}, racks + ": must contain every host: 2 of gpu are in no rack"},
       {racks + "/0/hosts/server",
        {},
        racks + ": must contain every host: 1 of server is in no rack"},
       {racks + "/1/hosts/gpu", 1, racks + "/1/hosts/gpu: must be whole nodes of 2 workers, got 1"},
       {racks + "/1/hosts/cpu", 3,
        racks + "/1/hosts/cpu: must be at most the 2 that are in no rack before, got 3"},
       {racks + "/1/count", 2,
        racks + "/1/hosts/gpu: must be at most the 0 that are in no rack before, got 2"},
       {racks + "/1/hosts/cpv", 2,
        racks + "/1/hosts/cpv: must be a class of workers, or server (did you mean 'cpu'?)"},
       {racks + "/1/hosts", Json::object(),
        racks + "/1/hosts: must name at least one class of workers, or server"},
       {racks + "/1/hosts", 6,
        racks +
            "/1/hosts: must be an object in braces, such as {\"a100\": 8, \"server\": 1}, got 6"},
       {"/cluster/fabric/uplink",
        {},
        racks + "/0: needs an \"uplink\", here or in /cluster/fabric"},
       {"/cluster/fabric/uplink/bandwidth", "1Gbps",
        "/cluster/fabric/uplink: needs exactly one of \"bandwidth\" and \"oversubscription\""},
       {racks + "/1/uplink",
        {{"latency", "1us"}},
        racks + "/1/uplink: needs exactly one of \"bandwidth\" and \"oversubscription\""},
       {"/cluster/fabric/uplink/oversubscription", 0.25,
        "/cluster/fabric/uplink/oversubscription: must be a number from 1 to 1000000, got 0.25"},
       {"/cluster/fabric/sites", Json::array(),
        "/cluster/fabric/sites: has no meaning with \"kind\": \"racks\", only with sites"},
       {"/cluster/fabric/kind", "rack",
        "/cluster/fabric/kind: must be one of switch, racks or sites (did you mean 'racks'?), got "
        "\"rack\""}});
}

TEST_CASE("sites that cannot be are refused at their place") {
  Json scenario = shaped_scenario();
  scenario["cluster"]["fabric"] = three_sites();
  const std::string fabric = "/cluster/fabric";
  check_mistakes(
      scenario,
      {{fabric + "/sites/1/name", "a",
        fabric + "/sites/1/name: must differ from the other sites' names, got \"a\""},
       {fabric + "/links/1",
        {},
        fabric + ": needs a \"link\" for all pairs of sites, or one in \"links\" between b and c"},
       {fabric + "/links/1/between",
        {"b", "a"},
        fabric + "/links/1/between: must be two sites that no other link is between, got "
                 "[\"b\",\"a\"]"},
       {fabric + "/links/1/between",
        {"b", "b"},
        fabric + "/links/1/between: must name two different sites, got [\"b\",\"b\"]"},
       {fabric + "/links/1/between",
        {"b", "d"},
        fabric + "/links/1/between/1: must be the name of a site (did you mean 'a'?), got \"d\""},
       {fabric + "/sites/2",
        {},
        fabric + "/links/1/between/1: must be the name of a site (did you mean 'a'?), got \"c\""},
       {fabric + "/sites/0/hosts/gpu", 2,
        fabric + "/sites: must contain every host: 2 of gpu are in no site"}});
}

TEST_CASE("a platform file leaves no room for a fabric") {
  Json scenario = timing_scenario();
  scenario["cluster"] = {{"platform", MOTLEY_SOURCE_DIR "/platforms/two_racks.xml"},
                         {"fabric", {{"kind", "switch"}}}};
  CHECK(complaint_about(scenario) ==
        "/cluster/platform: describes the whole cluster: remove workers, server, servers, link and "
        "fabric");
}

}  // namespace
}  // namespace motley
