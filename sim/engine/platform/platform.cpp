#include "sim/engine/platform/platform.hpp"

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "sim/base/child_process.hpp"
#include "sim/base/json.hpp"
#include "sim/base/text.hpp"
#include "sim/engine/platform/built_cluster.hpp"
#include "sim/engine/platform/engine_setup.hpp"
#include "sim/engine/platform/platform_check.hpp"
#include "sim/engine/platform/platform_loading.hpp"
#include "sim/engine/platform/platform_profiles.hpp"
#include "sim/engine/platform/simgrid_generation.hpp"
#include "sim/scenario/host_properties.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

/// Names go into results, which are UTF-8.
std::string name_flaw(const char* kind, const std::string& name) {
  if (is_utf8(name)) return "";
  return std::string(kind) + " \"" + valid_utf8(name) + "\": its name must be UTF-8";
}

/// Those that say more of a host than which part it takes.
Json own_properties(const s4u::Host& host) {
  Json properties = Json::object();
  for (const FieldInfo& field : fields_of<HostProperties>().infos()) {
    const char* value = host.get_property(field.name);
    if (value != nullptr) properties[field.name] = valid_utf8(value);
  }
  return properties;
}

/// The hosts of a platform file, and what of it cannot be simulated.
Json inspect(const std::string& file, const ChildProcess::Report& report) {
  const EngineSetup setup(Scenario::Network::fluid, 0);
  std::vector<std::string> order;  // of the file; SimGrid lists hosts by the alphabet
  std::set<std::string> seen;      // it tells of a host again when its zone is complete
  s4u::Host::on_creation_cb([&](const s4u::Host& host) {
    if (seen.insert(host.get_name()).second) order.push_back(host.get_name());
  });
  load_platform(setup.engine(), file);
  setup.engine().seal_platform();  // some kinds of zones work out their routes then
  Json hosts = Json::array();
  std::string flaw;
  for (const s4u::Link* link : setup.engine().get_all_links()) {
    if (flaw.empty()) flaw = name_flaw("link", link->get_name());
  }
  std::vector<s4u::Host*> workers;
  std::vector<s4u::Host*> servers;
  for (const std::string& host_name : order) {
    s4u::Host* host = setup.engine().host_by_name(host_name);
    const char* role = host->get_property("role");
    const char* class_name = host->get_property("class");
    const char* node = host->get_property("node");
    for (const std::string& name : {host->get_name(), std::string(role == nullptr ? "" : role),
                                    std::string(class_name == nullptr ? "" : class_name),
                                    std::string(node == nullptr ? "" : node)}) {
      if (flaw.empty()) flaw = name_flaw("host", name);
    }
    if (!flaw.empty()) return {{"hosts", Json::array()}, {"flaw", flaw}};
    hosts.push_back({{"name", host->get_name()},
                     {"role", role == nullptr ? "" : role},
                     {"class", class_name == nullptr ? "" : class_name},
                     {"node", node == nullptr ? "" : node},
                     {"properties", own_properties(*host)},
                     {"speed", std::isfinite(host->get_speed()) ? host->get_speed() : 0}});
    const std::string part = role == nullptr ? "" : role;
    if (part == "worker") workers.push_back(host);
    if (part == "server") servers.push_back(host);
  }
  Json links = Json::array();
  for (const s4u::Link* link : setup.engine().get_all_links()) links.push_back(link->get_name());
  return {
      {"hosts", hosts}, {"links", links}, {"flaw", platform_flaw(file, workers, servers, report)}};
}

/// Hosts fail when the platform file switches them off.
void follow_states(const std::string& file, ClusterPlan& plan) {
  const std::map<std::string, StateProfile> states = host_states(file);
  for (std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
    for (HostPlan& host : *hosts) {
      const auto found = states.find(host.name);
      if (found == states.end()) continue;
      host.failures.profile = std::make_shared<const StateProfile>(found->second);
    }
  }
}

}  // namespace

Platform::Platform(const ClusterPlan& plan, Extent extent)
    : plan_(plan),
      workers_(plan.workers.size()),
      is_plain_switch_(plan.is_plain_switch()),
      has_links_(extent == Extent::everything) {
  if (!has_links_) {
    hosts_ = build_servers(plan);
    return;
  }
  if (plan.platform_file.empty()) {
    hosts_ = build_cluster(plan, link_power_);
    return;
  }
  const s4u::Engine* engine = s4u::Engine::get_instance();
  load_platform(*engine, plan.platform_file);
  for (const std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
    for (const HostPlan& host : *hosts) hosts_.push_back(engine->host_by_name(host.name));
  }
  for (s4u::Link* link : engine->get_all_links()) {
    if (plan.no_latency) link->set_latency(0);
  }
}

ClusterPlan inspect_platform(const std::string& file, const Place& place) {
  const auto refuse = [&](const std::string& flaw) {
    throw InputError(place, "'" + file + "': " + valid_utf8(flaw));
  };
  if (const std::string flaw = named_file_flaw(file); !flaw.empty()) refuse(flaw);
  std::string asked;  // before a crash
  ChildProcess child([&file](const ChildProcess::Report& report) { return inspect(file, report); });
  while (child.read([&asked](const Json& report) { asked = report; })) {
  }
  const ChildOutcome outcome = child.wait();
  if (!outcome.result && outcome.died && !asked.empty()) refuse(asked);
  if (!outcome.result) {
    const std::string flaw = profile_flaw(file);
    if (!flaw.empty()) refuse(flaw);  // SimGrid's own words do not say where
    throw InputError(
        place, "SimGrid cannot read the platform file '" + file + "': " + outcome.complaint());
  }
  const std::string flaw = (*outcome.result)["flaw"];
  ClusterPlan plan;
  plan.platform_file = file;
  std::map<std::string, std::size_t> nodes;
  for (const Json& host : (*outcome.result)["hosts"]) {
    const std::string role = host["role"];
    const std::string class_name = host["class"];
    const std::string node = host["node"];
    HostPlan entry{host["name"], class_name.empty() ? "worker" : class_name, host["speed"], {}, {}};
    if (role == "worker" && class_name == "server") {
      refuse("host " + entry.name +
             " has the property class 'server', which is what servers are called in results: "
             "choose another");
    }
    if (!role.empty()) {
      apply_properties(host["properties"], Place{file, "host " + entry.name}, entry);
    }
    if (role == "worker") {
      if (!node.empty()) entry.node = nodes.try_emplace(node, nodes.size()).first->second;
      plan.workers.push_back(entry);
    } else if (role == "server") {
      if (entry.max_batch) refuse("host " + entry.name + ": max_batch is for workers");
      entry.class_name = "server";
      plan.servers.push_back(entry);
    } else if (!role.empty()) {
      refuse("host " + entry.name + " has role '" + role + "', which must be worker or server");
    }
  }
  if (!flaw.empty()) refuse(flaw);
  follow_states(file, plan);
  for (const HostPlan& server : plan.servers) {
    if (server.failures.profile && server.failures.profile->ends_off()) {
      refuse("host " + server.name + ": its state_file leaves it off: a server must return");
    }
  }
  for (const Json& link : (*outcome.result)["links"]) plan.platform_links.push_back(link);
  if (plan.workers.empty()) {
    throw InputError(
        place, "'" + file + "' has no worker: give hosts <prop id=\"role\" value=\"worker\"/>");
  }
  return plan;
}

}  // namespace motley
