#pragma once

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

/// Clusters on which collectives have closed forms. A gradient takes a second; a vector has as many
/// bytes as 1 to 17 divide.
namespace motley {

inline const std::vector<std::string> all = ExchangeSpec::collectives();
inline constexpr double S = 12252240;

inline Json link_of(double bytes_per_s, double latency_s) {
  return {{"bandwidth", std::to_string(std::llround(bytes_per_s)) + "Bps"},
          {"latency", std::to_string(std::llround(latency_s * 1e6)) + "us"}};
}

inline Json workers_of(const std::string& name, std::size_t count) {
  return {{"name", name}, {"count", count}, {"speed", "1Gf"}};
}

inline Json in_nodes(Json workers, std::size_t per_node, const Json& inside) {
  workers["per_node"] = per_node;
  workers["inside"] = inside;
  return workers;
}

inline Json scenario_of(const Json& workers, const Json& link) {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = workers;
  scenario["cluster"]["link"] = link;
  scenario["cost"]["model_size"] = std::to_string(std::llround(S)) + "B";
  scenario["algorithms"] = {{{"name", "allreduce"}}};
  scenario["stop"]["updates"] = 3;
  return scenario;
}

inline Json by(const std::string& collective, Json scenario) {
  scenario["defaults"]["collective"] = collective;
  return scenario;
}

/// Every update takes a gradient and so long.
inline void check_all_reduce(const Json& scenario, double seconds) {
  const RunResult result = simulate(scenario);
  REQUIRE(result.status == RunStatus::ok);
  REQUIRE(result.curve.size() == 4);
  for (std::size_t i = 1; i < result.curve.size(); ++i) {
    CHECK(result.curve[i].time_s ==
          Approx(static_cast<double>(i) * (1 + seconds)).margin(1e-9).epsilon(0));
  }
}

/// So many halvings lead from n to one, rounded up.
inline double levels(std::size_t n) {
  double count = 0;
  for (std::size_t reached = 1; reached < n; reached *= 2) ++count;
  return count;
}

/// W members, a way of latency L and b bytes a second.
inline double closed_form(const std::string& collective, std::size_t members, double L, double b) {
  const auto W = static_cast<double>(members);
  if (collective == "tree") return 2 * levels(members) * (L + S / b);
  if (collective == "halving_doubling") {
    const auto P = static_cast<double>(std::bit_floor(members));
    const double folding = P < W ? 2 * (L + S / b) : 0;
    return 2 * std::log2(P) * L + 2 * (P - 1) / P * S / b + folding;
  }
  return 2 * (W - 1) * (L + S / W / b);  // hierarchical: nodes of one
}

// Ports inside: 1.6 GB/s, 0.2 ms each. Cards: 100 MB/s, 1 ms each.
inline constexpr double b_in = 1.6e9;
inline constexpr double L_in = 2 * 0.0002;
inline constexpr double b_out = 1e8;
inline constexpr double L_out = 2 * 0.001;

inline Json nodes_of(std::size_t nodes, std::size_t per_node) {
  return scenario_of(
      Json::array({in_nodes(workers_of("w", nodes * per_node), per_node, link_of(b_in, 0.0002))}),
      link_of(b_out, 0.001));
}

// Links of 100 MB/s and 1 ms in racks whose uplinks have 100 MB/s and 3 ms.
inline constexpr double L_racks = 2 * 0.001 + 2 * 0.003;

inline Json racks_of(const Json& workers, std::size_t racks, const Json& hosts) {
  Json scenario = scenario_of(workers, link_of(b_out, 0.001));
  scenario["cluster"].erase("server");
  scenario["cluster"]["fabric"] = {{"kind", "racks"},
                                   {"racks", {{{"count", racks}, {"hosts", hosts}}}},
                                   {"uplink", link_of(b_out, 0.003)}};
  return scenario;
}

}  // namespace motley
