// The collectives in closed forms, on a switch, in nodes and racks, and in platform files.
#include <numeric>
#include <random>

#include "tests/collective_cases.hpp"
#include "tests/program.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

TEST_CASE("on one switch every collective takes its closed form") {
  struct Links {
    double latency_s;
    double bytes_per_s;
  };
  // Latencies that dwarf the bytes, bytes alone, both.
  for (const Links& links : {Links{0.005, 1e12}, Links{0, 1e8}, Links{0.001, 1e8}}) {
    for (const std::string& collective : all) {
      for (std::size_t W = 1; W <= 17; ++W) {
        CAPTURE(collective, W, links.latency_s);
        check_all_reduce(by(collective, scenario_of(Json::array({workers_of("w", W)}),
                                                    link_of(links.bytes_per_s, links.latency_s))),
                         closed_form(collective, W, 2 * links.latency_s, links.bytes_per_s));
      }
    }
  }
}

TEST_CASE("hierarchical takes trees inside the nodes and a ring between them") {
  for (std::size_t N = 1; N <= 5; ++N) {
    for (std::size_t G = 1; G <= 5; ++G) {
      CAPTURE(N, G);
      const auto nodes = static_cast<double>(N);
      const double expected =
          2 * levels(G) * (L_in + S / b_in) + 2 * (nodes - 1) * (L_out + S / nodes / b_out);
      check_all_reduce(by("hierarchical", nodes_of(N, G)), expected);
      Json fluid = by("hierarchical", nodes_of(N, G));
      fluid["approximate"]["ring"] = "fluid";
      check_all_reduce(fluid, expected);
    }
  }
}

TEST_CASE("uneven nodes wait for the largest of them") {
  // Nodes of 5, of 2 and two machines alone: four in the ring, three levels in the largest.
  Json scenario = scenario_of(
      Json::array({in_nodes(workers_of("five", 5), 5, link_of(b_in, 0.0002)),
                   in_nodes(workers_of("two", 2), 2, link_of(b_in, 0.0002)), workers_of("one", 2)}),
      link_of(b_out, 0.001));
  check_all_reduce(by("hierarchical", scenario),
                   2 * 3 * (L_in + S / b_in) + 2 * 3 * (L_out + S / 4 / b_out));
}

TEST_CASE("tree, halves and ring through nodes take their closed forms") {
  for (const std::size_t N : {1, 2, 4}) {
    for (const std::size_t G : {1, 2, 4}) {
      CAPTURE(N, G);
      const auto nodes = static_cast<double>(N);
      const auto each = static_cast<double>(G);
      check_all_reduce(by("tree", nodes_of(N, G)),
                       2 * levels(G) * (L_in + S / b_in) + 2 * levels(N) * (L_out + S / b_out));
      // The halves of all members of a node share its card.
      check_all_reduce(by("halving_doubling", nodes_of(N, G)),
                       2 * levels(G) * L_in + 2 * (1 - 1 / each) * S / b_in +
                           2 * levels(N) * L_out + 2 * (1 - 1 / nodes) * S / b_out);
      const double W = nodes * each;
      const double inside = G > 1 ? L_in + S / W / b_in : 0;
      const double outside = N > 1 ? L_out + S / W / b_out : 0;
      check_all_reduce(by("ring", nodes_of(N, G)), 2 * (W - 1) * std::max(inside, outside));
    }
  }
}

double closed_form_in_racks(const std::string& collective, std::size_t racks, std::size_t each) {
  const auto R = static_cast<double>(racks);
  const auto H = static_cast<double>(each);
  if (collective == "tree") {
    return 2 * levels(each) * (L_out + S / b_out) + 2 * levels(racks) * (L_racks + S / b_out);
  }
  if (collective == "halving_doubling") {
    return 2 * levels(each) * L_out + 2 * (1 - 1 / H) * S / b_out + 2 * levels(racks) * L_racks +
           2 * (1 - 1 / R) * S / b_out;  // all of a rack share its uplink
  }
  return 2 * (R * H - 1) * ((racks > 1 ? L_racks : L_out) + S / (R * H) / b_out);
}

TEST_CASE("through racks every collective takes its closed form, in any order of ranks") {
  for (const std::size_t R : {1, 2, 4}) {
    for (const std::string& collective : all) {
      CAPTURE(collective, R);
      const double expected = closed_form_in_racks(collective, R, 4);
      check_all_reduce(
          by(collective, racks_of(Json::array({workers_of("w", 4 * R)}), R, {{"w", 4}})), expected);
      // Two classes, and four, that have members in every rack: ranks are scattered over the racks.
      check_all_reduce(
          by(collective, racks_of(Json::array({workers_of("a", 2 * R), workers_of("b", 2 * R)}), R,
                                  {{"a", 2}, {"b", 2}})),
          expected);
      check_all_reduce(
          by(collective, racks_of(Json::array({workers_of("a", R), workers_of("b", R),
                                               workers_of("c", R), workers_of("d", R)}),
                                  R, {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}})),
          expected);
    }
  }
}

// ---- Platform files ----

/// Two racks of two nodes of two workers each, every way written out, as racks and nodes of a
/// scenario: the hosts in this order, called so.
std::string platform_in_order(const std::vector<std::size_t>& order,
                              const std::vector<std::string>& names) {
  const auto link = [](const std::string& name, const char* bandwidth, const char* latency) {
    std::string both;
    for (const char* way : {"_out", "_in"}) {
      both += "<link id=\"" + name + way + "\" bandwidth=\"" + bandwidth + "\" latency=\"" +
              latency + "\"/>\n";
    }
    return both;
  };
  const auto text = [](const char* what, std::size_t i) { return what + std::to_string(i); };
  std::string xml;
  for (const std::size_t i : order) {
    xml += "<host id=\"" + names[i] + "\" speed=\"1Gf\"><prop id=\"role\" value=\"worker\"/>" +
           "<prop id=\"node\" value=\"" + text("n", i / 2) + "\"/></host>\n";
  }
  for (std::size_t i = 0; i < 8; ++i) xml += link(text("port", i), "1600MBps", "200us");
  for (std::size_t i = 0; i < 4; ++i) xml += link(text("card", i), "100MBps", "1ms");
  for (std::size_t i = 0; i < 2; ++i) xml += link(text("uplink", i), "100MBps", "3ms");
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      if (i == j) continue;
      xml += "<route src=\"" + names[i] + "\" dst=\"" + names[j] + "\" symmetrical=\"NO\">";
      const auto cross = [&xml](const std::string& name) {
        xml += "<link_ctn id=\"" + name + "\"/>";
      };
      cross(text(i / 2 == j / 2 ? "port" : "card", i / 2 == j / 2 ? i : i / 2) + "_out");
      if (i / 4 != j / 4) cross(text("uplink", i / 4) + "_out");
      if (i / 4 != j / 4) cross(text("uplink", j / 4) + "_in");
      cross(text(i / 2 == j / 2 ? "port" : "card", i / 2 == j / 2 ? j : j / 2) + "_in");
      xml += "</route>\n";
    }
  }
  return platform_of(xml);
}

TEST_CASE("neither names nor the order of a platform file's hosts change a collective's times") {
  Json built = racks_of(Json::array({in_nodes(workers_of("w", 8), 2, link_of(b_in, 0.0002))}), 2,
                        {{"w", 4}});
  std::vector<std::size_t> order(8);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::string> names = {"h", "b10", "z", "a", "x", "b9", "w", "c"};
  const tests::TemporaryFolder folder;
  std::mt19937 random(5);
  for (int trial = 0; trial < 6; ++trial) {
    folder.write("some.xml", platform_in_order(order, names));
    Json in_file = built;
    in_file["cluster"] = {{"platform", (folder.path() / "some.xml").string()}};
    for (const std::string& collective : all) {
      CAPTURE(trial, collective);
      const RunResult here = simulate(by(collective, built));
      const RunResult there = simulate(by(collective, in_file));
      CHECK(there.virtual_s == Approx(here.virtual_s).margin(1e-9).epsilon(0));
      if (collective != "ring") continue;
      for (const LinkResult& link : there.links) {
        // Once per direction: 14 pieces of an eighth, three times; what came last may be on its way.
        if (link.name.starts_with("port")) continue;
        CHECK(link.bytes <= 3 * 14 * S / 8);
        CHECK(link.bytes >= (3 * 14 - 1) * S / 8);
      }
    }
    std::shuffle(order.begin(), order.end(), random);
    std::shuffle(names.begin(), names.end(), random);
  }
}

}  // namespace
}  // namespace motley
