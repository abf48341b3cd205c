#include "sim/live/measured_links.hpp"

#include "sim/results/idle_parts.hpp"
#include "sim/scenario/link_names.hpp"

namespace motley {

MeasuredLinks::MeasuredLinks(const ClusterPlan& cluster)
    : cluster_(cluster),
      up_(cluster.workers.size() + cluster.servers.size()),
      down_(cluster.workers.size() + cluster.servers.size()) {}

void MeasuredLinks::begin(Load& load, double now) {
  if (load.messages++ == 0) load.busy_since = now;
}

void MeasuredLinks::end(Load& load, double now, std::uint64_t bytes) {
  load.bytes += static_cast<double>(bytes);
  if (--load.messages == 0) load.busy_s += now - load.busy_since;
}

void MeasuredLinks::departs(std::size_t from, std::size_t to, double now) {
  begin(up_[from], now);
  begin(down_[to], now);
}

void MeasuredLinks::arrives(std::size_t from, std::size_t to, double now, std::uint64_t bytes) {
  end(up_[from], now, bytes);
  end(down_[to], now, bytes);
}

std::vector<std::string> MeasuredLinks::names(std::size_t from, std::size_t to) const {
  if (!cluster_.is_plain_switch()) return {};
  const auto host = [&](std::size_t node) -> const HostPlan& {
    const std::size_t workers = cluster_.workers.size();
    return node < workers ? cluster_.workers[node] : cluster_.servers[node - workers];
  };
  return {names_of_link(host(from)).up, names_of_link(host(to)).down};
}

std::vector<LinkResult> MeasuredLinks::results(double end_s) const {
  if (!cluster_.is_plain_switch()) return {};
  LinkList all(cluster_.workers.size());
  std::size_t node = 0;
  for (const std::vector<HostPlan>* hosts : {&cluster_.workers, &cluster_.servers}) {
    for (const HostPlan& host : *hosts) {
      const LinkNames names = names_of_link(host);
      const LinkNames groups = names_of_group(host);
      const auto add = [&](const Load& load, const std::string& name, const std::string& group,
                           double bandwidth_Bps) {
        const double since = load.messages > 0 ? end_s - load.busy_since : 0;
        all.add({name, bandwidth_Bps, load.bytes, load.busy_s + since, group});
      };
      add(up_[node], names.up, groups.up, host.link.bandwidth.up_Bps);
      add(down_[node], names.down, groups.down, host.link.bandwidth.down_Bps);
      ++node;
    }
  }
  return std::move(all).sorted();
}

}  // namespace motley
