#include "sim/scenario/planned_changes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "sim/base/json.hpp"
#include "sim/scenario/cluster_names.hpp"
#include "sim/scenario/link_names.hpp"
#include "sim/scenario/planned_trace.hpp"
#include "sim/scenario/planned_traffic.hpp"
#include "sim/scenario/traffic_load.hpp"

namespace motley {
namespace {

/// The changes of one host or link, and where each is written.
class OverlappingChanges {
 public:
  void add(const TimedFactor& change, const Place& place) {
    changes_.push_back(change);
    places_.push_back(place);
  }
  bool empty() const { return changes_.empty(); }

  /// InputError at the last of those that overlap when they make `what` of `who` too large or too small.
  std::vector<FactorStep> steps(const std::string& who, const char* what) const {
    std::vector<FactorStep> steps = steps_of(changes_);
    for (const FactorStep& step : steps) {
      if (step.factor >= 1 / largest_change && step.factor <= largest_change) continue;
      std::size_t last = changes_.size() - 1;
      while (!changes_[last].holds_at(step.time_s)) --last;
      std::ostringstream complaint;
      complaint << "with those that overlap it makes the " << what << " of " << who << " more than "
                << largest_change << " times " << (step.factor < 1 ? "smaller" : "larger")
                << " from " << step.time_s << " s on: changes that overlap multiply";
      throw InputError(places_[last] / what, complaint.str());
    }
    return steps;
  }

 private:
  std::vector<TimedFactor> changes_;
  std::vector<Place> places_;
};

/// Collects what happens to every host and link.
class ChangePlanner {
 public:
  ChangePlanner(const ClusterSpec& spec, Scenario::Network network, const Place& place,
                ClusterPlan& plan)
      : spec_(spec),
        fluid_(network == Scenario::Network::fluid),
        place_(place),
        plan_(plan),
        names_(plan),
        speeds_(plan.workers.size()),
        of_workers_(plan.workers.size()),
        of_servers_(plan.servers.size()) {}

  void add_changes() {
    for (std::size_t k = 0; k < spec_.workers.size(); ++k) {
      const WorkerClassSpec& workers = spec_.workers[k];
      if (!workers.changes) continue;
      for (std::size_t i = 0; i < workers.changes->size(); ++i) {
        const Place here = place_ / "workers" / k / "changes" / i;
        check_change((*workers.changes)[i], here);
        change_class(workers.name, (*workers.changes)[i], here);
      }
    }
    for (std::size_t i = 0; spec_.changes && i < spec_.changes->size(); ++i) {
      add_named((*spec_.changes)[i], place_ / "changes" / i);
    }
  }

  void add_slowdowns() {
    for (std::size_t rank = 0; rank < plan_.workers.size(); ++rank) {
      std::optional<SlowdownSpec> slowdowns = spec_.slowdowns;
      for (const WorkerClassSpec& workers : spec_.workers) {
        if (workers.name == plan_.workers[rank].class_name && workers.slowdowns) {
          slowdowns = workers.slowdowns;
        }
      }
      speeds_[rank].slowdowns = slowdowns;
    }
  }

  void add_trace(const SpeedTrace& trace, double flops_per_sample) {
    for (auto& [rank, traced] :
         plan_trace(*spec_.trace, trace, plan_, flops_per_sample, place_ / "trace")) {
      speeds_[rank].trace = std::move(traced);
    }
  }

  void finish() {
    for (std::size_t rank = 0; rank < speeds_.size(); ++rank) {
      speeds_[rank].rank = rank;
      speeds_[rank].listed = of_workers_[rank].steps(plan_.workers[rank].name, "speed");
      if (speeds_[rank].is_constant()) continue;
      plan_.workers[rank].changes = std::make_shared<const SpeedPlan>(std::move(speeds_[rank]));
    }
    for (std::size_t i = 0; i < of_servers_.size(); ++i) {
      if (of_servers_[i].empty()) continue;
      SpeedPlan speed;
      speed.listed = of_servers_[i].steps(plan_.servers[i].name, "speed");
      plan_.servers[i].changes = std::make_shared<const SpeedPlan>(std::move(speed));
    }
    for (const auto& [link, changes] : of_links_) {
      plan_.link_changes.push_back({link, changes.steps(link, "bandwidth")});
    }
  }

 private:
  // ---- Changes ----

  void add_named(const NamedChangeSpec& change, const Place& here) {
    if (change.worker.has_value() + change.class_name.has_value() + change.link.has_value() != 1) {
      throw InputError(here, "needs exactly one of \"worker\", \"class\" and \"link\"");
    }
    if (change.link) {
      if (change.speed) {
        throw InputError(here / "speed", "has no meaning for a link: say \"bandwidth\"");
      }
      check_change(change, here);
      change_link(*change.link, change, here);
      return;
    }
    check_change(change, here);
    if (change.worker) {
      const auto rank = names_.ranks.find(*change.worker);
      if (rank == names_.ranks.end()) {
        throw InputError(
            here / "worker",
            "must be the name of a worker" + did_you_mean(*change.worker, names_in(names_.ranks)),
            Json(*change.worker));
      }
      change_host(plan_.workers[rank->second], of_workers_[rank->second], change, here);
    } else {
      change_class(*change.class_name, change, here);
    }
  }

  void change_class(const std::string& name, const ChangeSpec& change, const Place& here) {
    if (name == "server") {
      if (plan_.servers.empty()) {
        throw InputError(here / "class", "is server, and the cluster has none", Json(name));
      }
      for (std::size_t i = 0; i < plan_.servers.size(); ++i) {
        change_host(plan_.servers[i], of_servers_[i], change, here);
      }
      return;
    }
    const auto members = names_.classes.find(name);
    if (members == names_.classes.end()) {
      std::vector<std::string> known = names_in(names_.classes);
      known.emplace_back("server");
      throw InputError(here / "class",
                       "must be a class of workers, or server" + did_you_mean(name, known),
                       Json(name));
    }
    if (change.speed) {
      for (const std::size_t rank : members->second) {
        of_workers_[rank].add(change.timed(*change.speed), here);
      }
    }
    if (!change.bandwidth) return;
    std::set<std::size_t> nodes;  // each once
    for (const std::size_t rank : members->second) {
      const HostPlan& worker = plan_.workers[rank];
      if (!worker.node)
        change_both(names_of_link(worker), change, here);
      else if (nodes.insert(*worker.node).second)
        change_both(names_of_link(plan_.nodes[*worker.node]), change, here);
    }
  }

  void change_host(const HostPlan& host, OverlappingChanges& speed, const ChangeSpec& change,
                   const Place& here) {
    if (change.speed) speed.add(change.timed(*change.speed), here);
    if (!change.bandwidth) return;
    if (host.node) {
      throw InputError(here / "bandwidth",
                       host.name + " has no link of its own: name that of its node, \"link\": \"" +
                           names_of_link(plan_.nodes[*host.node]).up + "\"");
    }
    change_both(names_of_link(host), change, here);
  }

  void change_both(const LinkNames& names, const ChangeSpec& change, const Place& here) {
    if (!plan_.platform_file.empty()) {
      throw InputError(here / "bandwidth",
                       "of a host needs a cluster that the scenario describes: with a platform "
                       "file name the \"link\"");
    }
    change_one(names.up, change, here);
    change_one(names.down, change, here);
  }

  void change_one(const std::string& link, const ChangeSpec& change, const Place& here) {
    if (!fluid_) {
      throw InputError(here / "bandwidth",
                       "that changes needs \"network\": \"fluid\": SimGrid's tcp never makes a "
                       "message faster than it began");
    }
    of_links_[link].add(change.timed(*change.bandwidth), here);
  }

  void change_link(const std::string& name, const ChangeSpec& change, const Place& here) {
    if (links_.empty()) {
      links_ = link_groups(plan_);
      for (const std::string& link : names_of_site_links(plan_)) links_[link] = "";
      for (const std::string& link : plan_.platform_links) links_[link] = "";
    }
    bool found = false;
    std::set<std::string> known;
    for (const auto& [link, group] : links_) {
      if (link == name || group == name) {
        change_one(link, change, here);
        found = true;
      }
      known.insert(link);
      if (!group.empty()) known.insert(group);
    }
    if (found) return;
    throw InputError(here / "link",
                     "must be a link or a group of links as in links.csv" +
                         did_you_mean(name, {known.begin(), known.end()}),
                     Json(name));
  }

  const ClusterSpec& spec_;
  bool fluid_;
  Place place_;
  ClusterPlan& plan_;
  ClusterNames names_;
  std::vector<SpeedPlan> speeds_;
  std::vector<OverlappingChanges> of_workers_;
  std::vector<OverlappingChanges> of_servers_;
  std::map<std::string, OverlappingChanges> of_links_;
  std::unordered_map<std::string, std::string> links_;  // with their groups
};

std::string counted(std::size_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

bool says_changes(const ClusterSpec& spec) {
  return spec.changes || spec.slowdowns || spec.trace || spec.traffic ||
         std::ranges::any_of(spec.workers, [](const WorkerClassSpec& workers) {
           return workers.changes || workers.slowdowns;
         });
}

std::size_t changing_workers(const ClusterPlan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.workers, [](const HostPlan& worker) { return worker.changes != nullptr; }));
}

}  // namespace

void plan_changes(const ClusterSpec& spec, const SpeedTrace* trace, double flops_per_sample,
                  Scenario::Network network, const Place& place, ClusterPlan& plan) {
  if (!says_changes(spec)) return;
  ChangePlanner planner(spec, network, place, plan);
  planner.add_changes();
  planner.add_slowdowns();
  if (trace != nullptr) planner.add_trace(*trace, flops_per_sample);
  planner.finish();
  if (!spec.traffic) return;
  plan_traffic(*spec.traffic, place / "traffic", plan);
  check_traffic_load(plan, place / "traffic");
}

bool changes_with_time(const ClusterPlan& plan) {
  return changing_workers(plan) > 0 || !plan.link_changes.empty() || !plan.traffic.empty() ||
         std::ranges::any_of(plan.servers,
                             [](const HostPlan& server) { return server.changes != nullptr; });
}

void remove_changes(ClusterPlan& plan) {
  for (std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
    for (HostPlan& host : *hosts) host.changes = nullptr;
  }
  plan.link_changes.clear();
  plan.traffic.clear();
}

std::string described_changes(const ClusterPlan& plan) {
  if (!changes_with_time(plan)) return "";
  return "changes during a run: speeds of " + counted(changing_workers(plan), "worker", "workers") +
         ", bandwidths of " + counted(plan.link_changes.size(), "link", "links") + ", " +
         counted(plan.traffic.size(), "stream", "streams") + " of background traffic";
}

}  // namespace motley
