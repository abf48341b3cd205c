#include "sim/results/expenses.hpp"

#include <algorithm>

namespace motley {
namespace {

constexpr double seconds_per_hour = 3600;

}  // namespace

Expenses::Expenses(const ClusterPlan& cluster) {
  for (const std::vector<HostPlan>* hosts : {&cluster.workers, &cluster.servers}) {
    for (const HostPlan& host : *hosts) {
      has_power_ = has_power_ || host.power;
      has_price_ = has_price_ || host.price_per_hour;
    }
  }
  for_each_link(cluster, [&](const LinkSpec& link) { has_power_ = has_power_ || link.power; });
  if (!any()) return;
  const auto fill = [](Host& host, const HostPlan& plan) {
    host.power = plan.power.value_or(PowerSpec{});
    host.price_per_s = plan.price_per_hour.value_or(0) / seconds_per_hour;
  };
  workers_.resize(cluster.workers.size());
  servers_.resize(cluster.servers.size());
  left_at_.resize(cluster.workers.size());
  for (std::size_t i = 0; i < workers_.size(); ++i) fill(workers_[i], cluster.workers[i]);
  for (std::size_t i = 0; i < servers_.size(); ++i) fill(servers_[i], cluster.servers[i]);
}

void Expenses::worker_left(double now, std::size_t rank) {
  if (any()) left_at_[rank] = now;
}

void Expenses::server_starts(double now, std::size_t server) {
  if (any() && servers_[server].updates++ == 0) servers_[server].busy_since = now;
}

void Expenses::server_stops(double now, std::size_t server) {
  if (any() && --servers_[server].updates == 0) {
    servers_[server].busy_s += now - servers_[server].busy_since;
  }
}

void Expenses::add_link(const PowerSpec& power, bool of_server) {
  if (of_server) {
    server_links_.idle_W += power.idle_W;
    server_links_.off_W += power.off_W;
  } else {
    link_idle_W_ += power.idle_W;
  }
}

double Expenses::Host::joules(double busy_s, double on_s, double off_s) const {
  return power.busy_W * busy_s + power.idle_W * (on_s - busy_s) + power.off_W * off_s;
}

Spent Expenses::spent(double now, const std::vector<WorkerAccount>& workers) const {
  const double server_links_W = servers_on_ ? server_links_.idle_W : server_links_.off_W;
  double energy_J = link_J_ + (link_idle_W_ + server_links_W) * now;
  double cost = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const double on_s = std::min(now, left_at_[i].value_or(now)) - workers[i].down_s(now);
    energy_J += workers_[i].joules(workers[i].busy_s(now), on_s, now - on_s);
    cost += workers_[i].price_per_s * on_s;
  }
  for (const Server& server : servers_) {
    const double busy_s = server.busy_s + (server.updates > 0 ? now - server.busy_since : 0);
    const double on_s = servers_on_ ? now : 0;
    energy_J += server.joules(busy_s, on_s, now - on_s);
    cost += server.price_per_s * on_s;
  }
  return {has_power_ ? std::optional(energy_J) : std::nullopt,
          has_price_ ? std::optional(cost) : std::nullopt};
}

}  // namespace motley
