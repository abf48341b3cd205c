#include "sim/scenario/scenario.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "sim/base/json.hpp"
#include "sim/base/json_file.hpp"
#include "sim/base/limits.hpp"
#include "sim/base/text.hpp"
#include "sim/scenario/cluster_shape.hpp"

namespace motley {
namespace {

void check_worker_names(const std::vector<WorkerClassSpec>& workers, const Place& place) {
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const Place here = place / i / "name";
    check_name(workers[i].name, here);
    if (workers[i].name == "server") {
      throw InputError(here, "must not be 'server', which is the name of the server");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (workers[i].name == workers[j].name) {
        throw InputError(here, "must differ from the other classes' names", Json(workers[i].name));
      }
    }
  }
}

void check_cluster(const ClusterSpec& cluster, const Place& place) {
  if (cluster.platform) {
    if (!cluster.workers.empty() || cluster.server || !cluster.servers.empty() || cluster.link ||
        cluster.fabric) {
      throw InputError(
          place / "platform",
          "describes the whole cluster: remove workers, server, servers, link and fabric");
    }
    return;
  }
  if (cluster.workers.empty()) {
    throw InputError(place / "workers",
                     "must list at least one class of workers, or give \"platform\"");
  }
  check_worker_names(cluster.workers, place / "workers");
  std::size_t total = 0;
  for (std::size_t i = 0; i < cluster.workers.size(); ++i) {
    const WorkerClassSpec& worker = cluster.workers[i];
    const Place here = place / "workers" / i;
    total += worker.count;
    if (total > limits::most_workers) {
      throw InputError(here / "count", "makes more than " + std::to_string(limits::most_workers) +
                                           " workers of all classes together");
    }
    if (worker.speed_flops.has_value() == worker.samples_per_s.has_value()) {
      throw InputError(here, "needs exactly one of \"speed\" and \"samples_per_s\"");
    }
    check_nodes(worker, here);
    if (worker.samples_per_s && worker.step_overhead_s) {
      throw InputError(here / "step_overhead",
                       "goes with \"speed\": what was measured as samples_per_s has it already");
    }
    if (worker.spread) check_spread(*worker.spread, worker.count, here / "spread");
    if (!worker.link && !cluster.link) {
      throw InputError(here, "needs a \"link\", here or in " + place.pointer);
    }
  }
  if (cluster.server) check_server(*cluster.server, cluster, place, place / "server");
  if (cluster.server && !cluster.servers.empty()) {
    throw InputError(place / "servers", "is instead of \"server\": remove one of them");
  }
  for (std::size_t i = 0; i < cluster.servers.size(); ++i) {
    check_server(cluster.servers[i], cluster, place, place / "servers" / i);
  }
  if (cluster.fabric) check_fabric(*cluster.fabric, place / "fabric");
  places_of(cluster, place);  // only to see that everybody has one
}

/// What single fields cannot see: keys that depend on each other.
void check_together(const Scenario& s, const Place& root) {
  check_name(s.name, root / "name");
  check_cluster(s.cluster, root / "cluster");
  if (s.cluster.failures) check_failures(*s.cluster.failures, root / "cluster" / "failures");
  if (s.target) {
    const Place here = root / "target";
    if (s.target->accuracy.has_value() == s.target->loss.has_value()) {
      throw InputError(here, "needs exactly one of \"accuracy\" and \"loss\"");
    }
  }
  if (s.cost.profile) {
    const char* why = "follows from \"profile\": remove one of them";
    if (s.cost.flops_per_sample) throw InputError(root / "cost" / "flops_per_sample", why);
    if (s.cost.model_size_bytes) throw InputError(root / "cost" / "model_size", why);
  }
  if (s.approximate.ring == ApproximateSpec::Ring::fluid && s.network != Scenario::Network::fluid) {
    throw InputError(root / "approximate" / "ring", "fluid needs \"network\": \"fluid\"");
  }
  if (s.approximate.port_flows) check_port_flows(s.cluster, root / "approximate" / "port_flows");
  if (!s.stop.time_s && !s.stop.updates && !s.stop.samples && !s.stop.epochs) {
    throw InputError(root / "stop",
                     "needs at least one of \"time\", \"updates\", \"samples\", \"epochs\"");
  }
  if (s.stop.at_target && !s.target) {
    throw InputError(root / "stop" / "at_target", "needs a \"target\" to stop at");
  }
  if (s.algorithms.empty()) {
    throw InputError(root / "algorithms", "must list at least one algorithm");
  }
}

/// Of an object or a list; what is not there cannot be removed, and need not.
void remove(Json& json, const Json::json_pointer& pointer) {
  if (!json.contains(pointer)) return;
  Json& from = json[pointer.parent_pointer()];
  if (from.is_array()) {
    from.erase(static_cast<std::size_t>(std::stoull(pointer.back())));
  } else {
    from.erase(pointer.back());
  }
}

}  // namespace

void check_name(const std::string& name, const Place& place) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_' || c == '.';
  };
  if (name.empty() || name[0] == '.' || !std::all_of(name.begin(), name.end(), allowed)) {
    throw InputError(place, "must be letters, digits, '-', '_' or '.', not beginning with '.'",
                     Json(name));
  }
  constexpr std::size_t longest = 100;  // with what is added, files and folders are named by it
  if (name.size() > longest) {
    throw InputError(place, "must have at most " + std::to_string(longest) + " characters",
                     Json(name));
  }
}

Override parse_override(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || argument.empty() || argument[0] != '/') {
    throw InputError("--set: must be /pointer=JSON, such as /stop/time=\"10s\", got '" + argument +
                     "'");
  }
  if (!is_utf8(argument)) {
    throw InputError("--set: must be text in UTF-8, got '" + valid_utf8(argument) + "'");
  }
  const std::string pointer = argument.substr(0, equals);
  const std::string text = argument.substr(equals + 1);
  Json value = parse_json(text, {"--set", pointer});
  if (value.is_discarded()) value = text;
  return {pointer, value};
}

void apply_override(Json& json, const Override& change, const Place& place) {
  try {
    const Json::json_pointer pointer(change.pointer);
    // The library would make whatever is missing on the way, and fill lists with nulls.
    const Json::json_pointer parent = pointer.parent_pointer();
    if (!json.contains(parent)) {
      throw InputError(place,
                       "there is no " + parent.to_string() + " in the scenario to set it in");
    }
    if (json[parent].is_array() && pointer.back() != "-" && !json.contains(pointer)) {
      throw InputError(place, "there is no such element: " + parent.to_string() + " has " +
                                  std::to_string(json[parent].size()) + " (\"-\" appends one)");
    }
    if (change.value.is_null()) {
      remove(json, pointer);
    } else {
      json[pointer] = change.value;
    }
  } catch (const Json::exception&) {
    throw InputError(place, "is not a JSON pointer into the scenario (an example: /stop/time)");
  }
}

Json read_scenario(const std::string& file, const std::vector<Override>& overrides) {
  Json json = parse_json_file(file);
  if (!json.is_object()) throw InputError(Place{file, ""}, "must be an object in braces");
  for (const Override& change : overrides) {
    const Place place{"--set", change.pointer};
    const Json before = change.value.is_null() ? json : Json();
    apply_override(json, change, place);
    if (json == before) throw InputError(place, "is not in the scenario, so null cannot remove it");
  }
  return json;
}

LoadedScenario check_scenario(const std::string& file, Json scenario) {
  LoadedScenario loaded{file, {}, std::move(scenario)};
  const Place root{file, ""};
  fields_of<Scenario>().read(loaded.full, root, loaded.scenario);
  check_together(loaded.scenario, root);
  return loaded;
}

LoadedScenario load_scenario(const std::string& file, const std::vector<Override>& overrides) {
  return check_scenario(file, read_scenario(file, overrides));
}

}  // namespace motley
