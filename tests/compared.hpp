#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/catalog.hpp"
#include "sim/base/json.hpp"
#include "tests/simulated.hpp"

/// Runs of different algorithms held against each other.
namespace motley {

/// Of the points of the curve.
inline std::vector<double> losses(const RunResult& result) {
  std::vector<double> values;
  for (const CurvePoint& point : result.curve) values.push_back(point.test_loss.value());
  return values;
}

inline Json with_algorithm(Json scenario, const Json& algorithm) {
  scenario["algorithms"] = Json::array({algorithm});
  return scenario;
}

/// The run of the algorithm in the scenario, which must end well.
inline RunResult run_of(const Json& algorithm, const Json& scenario = learning_scenario()) {
  RunResult result = simulate(with_algorithm(scenario, algorithm));
  if (result.status != RunStatus::ok) {
    throw std::runtime_error(to_text(result.status) + ": " + result.reason);
  }
  return result;
}

/// Messages that take next to no time.
inline Json free_messages(Json scenario) {
  scenario["cluster"]["link"] = {{"bandwidth", "1000TBps"}, {"latency", "0s"}};
  scenario["cost"]["model_size"] = "1B";
  return scenario;
}

/// The smallest t with sum_i floor(t / tau_i) >= count: the count-th end of a gradient when worker i takes
/// tau_i for each.
inline double time_of_gradients(const std::vector<double>& taus, std::size_t count) {
  std::vector<double> ends;
  for (const double tau : taus) {
    for (std::size_t k = 1; k <= count; ++k) ends.push_back(static_cast<double>(k) * tau);
  }
  std::ranges::sort(ends);
  return ends[count - 1];
}

/// Everything of a run but how long it really took.
inline std::string text_of(RunResult result) {
  result.wall_s = 0;
  result.peak_rss_mb = 0;
  result.evaluation_wall_s = 0;
  result.warnings.clear();
  return to_json(result).dump();
}

/// Whether two runs are the same in everything but the names of their algorithms.
inline bool same_run(RunResult a, const RunResult& b) {
  a.run = b.run;
  a.algorithm = b.algorithm;
  return text_of(a) == text_of(b);
}

/// "sync, allreduce, ..."
inline std::string names_of_algorithms() {
  std::string names;
  for (const AlgorithmInfo& info : algorithm_catalog()) {
    names += (names.empty() ? "" : ", ") + info.name;
  }
  return names;
}

/// Equal workers on nodes of several.
inline Json on_nodes(Json scenario, std::size_t nodes, std::size_t devices) {
  scenario["cluster"]["workers"] = {{{"name", "gpu"},
                                     {"count", nodes * devices},
                                     {"speed", "1Gf"},
                                     {"per_node", devices},
                                     {"inside", {{"bandwidth", "1GBps"}, {"latency", "10us"}}}}};
  return scenario;
}

/// Whether there are nodes of several workers, which some algorithms need.
enum class Nodes { none, there };

/// The catalogue's algorithms with what they need to be given.
inline std::vector<Json> every_algorithm(Nodes nodes = Nodes::none) {
  std::vector<Json> all;
  for (const AlgorithmInfo& info : algorithm_catalog()) {
    if (info.name == "daso" && nodes == Nodes::none) continue;
    all.push_back({{"name", info.name}});
    const auto& parameters = info.parameters;
    const auto needs = [&](const char* name) {
      return std::any_of(parameters.begin(), parameters.end(), [&](const FieldInfo& field) {
        return field.name == name && !field.fallback && !field.may_be_absent;
      });
    };
    const auto has = [&](const char* name) {
      return std::ranges::any_of(parameters, [&](const FieldInfo& f) { return f.name == name; });
    };
    if (needs("local_steps")) all.back()["local_steps"] = 4;
    if (needs("delay_bound")) all.back()["delay_bound"] = 3;
    if (info.name == "backup") all.back()["backup"] = 1;
    if (info.name == "daso") all.back()["warm_up_epochs"] = 0.2;
    if (has("warm_up")) all.back()["warm_up"] = 3;
    const bool is_plain =
        info.name == "scaffold" || info.name == "fedlalr" || info.name == "bvr_l_sgd";
    if (!is_plain) all.back()["momentum"] = 0.3;
    if (info.name == "fedlalr") all.back()["step_size"] = 0.01;
  }
  return all;
}

/// Whether its algorithm takes the servers it has; false when it says that it needs a single one.
inline bool takes_several_servers(const Json& scenario) {
  try {
    experiment_of(scenario);
    return true;
  } catch (const InputError& error) {
    if (std::string(error.what()).find("needs a single server") == std::string::npos) throw;
    return false;
  }
}

}  // namespace motley
