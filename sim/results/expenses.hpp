#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/results/worker_account.hpp"
#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// What a run has taken so far; each only when the scenario gives what it is made of.
struct Spent {
  std::optional<double> energy_J;
  std::optional<double> cost;
};

/// Watts and money of a run. A host is busy while it computes (a server: while it updates), and idle
/// otherwise; one that takes no part is off, and costs nothing: the servers of a run without one, a
/// worker that has left or is down. A server that is down is idle.
class Expenses {
 public:
  explicit Expenses(const ClusterPlan& cluster);

  /// Whether anything is to be counted at all.
  bool any() const { return has_power_ || has_price_; }

  /// No server takes part in this run.
  void leave_out_servers() { servers_on_ = false; }
  void worker_left(double now, std::size_t rank);
  /// Several updates of one server may go on at a time.
  void server_starts(double now, std::size_t server);
  void server_stops(double now, std::size_t server);
  /// A link without load.
  void add_link(const PowerSpec& power, bool of_server);
  /// What carrying a message took beyond that.
  void add_link_energy(double joules) { link_J_ += joules; }

  Spent spent(double now, const std::vector<WorkerAccount>& workers) const;

 private:
  struct Host {
    PowerSpec power;
    double price_per_s = 0;

    double joules(double busy_s, double on_s, double off_s) const;
  };
  struct Server : Host {
    std::size_t updates = 0;  // under way
    double busy_s = 0;        // up to the last moment without one
    double busy_since = 0;
  };

  std::vector<Host> workers_;  // empty when nothing is counted, as are the others
  std::vector<Server> servers_;
  std::vector<std::optional<double>> left_at_;
  bool has_power_ = false;
  bool has_price_ = false;
  bool servers_on_ = true;
  double link_idle_W_ = 0;
  PowerSpec server_links_;  // all of them together
  double link_J_ = 0;
};

}  // namespace motley
