#include "sim/live/cluster_fit.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "sim/live/median.hpp"
#include "sim/results/tables/timings_table.hpp"

namespace motley {
namespace {

struct Line {
  double at_0 = 0;
  double slope = 0;
};

/// t = a + b s, with the squares of (t - a - b s) / t as small as can be; a not below 0.
Line fit_line(const std::vector<std::pair<double, double>>& points) {
  double w = 0;
  double ws = 0;
  double wss = 0;
  double wt = 0;
  double wst = 0;
  for (const auto& [s, t] : points) {
    const double weight = 1 / (t * t);
    w += weight;
    ws += weight * s;
    wss += weight * s * s;
    wt += weight * t;
    wst += weight * s * t;
  }
  const double determinant = w * wss - ws * ws;
  Line line;
  if (determinant > 0) {
    line.slope = (w * wst - ws * wt) / determinant;
    line.at_0 = (wt - line.slope * ws) / w;
  }
  // On a busy machine a short message may take longer than a long one.
  if (determinant <= 0 || line.at_0 < 0 || line.slope <= 0) {
    line.at_0 = 0;
    line.slope = wst / wss;
  }
  return line;
}

/// By size, the median of the class's workers: one of them may have been held up.
std::vector<std::pair<double, double>> points_of(const Measured& measured, Timing::What what,
                                                 const std::vector<bool>& of_class) {
  std::map<std::uint64_t, std::vector<double>> by_size;
  for (const Timing& timing : measured.network) {
    if (timing.what == what && of_class[timing.worker] && timing.bytes >= ClusterFit::large) {
      by_size[timing.bytes].push_back(timing.seconds);
    }
  }
  std::vector<std::pair<double, double>> points;
  for (const auto& [bytes, seconds] : by_size) {
    points.emplace_back(static_cast<double>(bytes), median_of(seconds));
  }
  return points;
}

/// What messages at once reached together, each way being so long: the median over the numbers of workers, two and
/// more, at which they were slower than the links of these workers allow (`own_Bps`, by worker). Where that never was
/// so the hub is faster than all of them, and what most of them reached is all that is known.
double together_Bps(const Measured& measured, Timing::What what, double round_trip_s,
                    const std::vector<double>& own_Bps) {
  constexpr double nearly = 0.9;
  std::vector<double> at_limit;
  std::uint64_t most = 0;
  double of_most_Bps = 0;
  for (const Timing& timing : measured.network) {
    if (timing.what != what || timing.bytes < ClusterFit::large) continue;
    const double moving_s = timing.seconds - round_trip_s;
    // On a busy machine messages alone may have taken longer than all together.
    const double Bps = static_cast<double>(timing.senders * timing.bytes) /
                       (moving_s > 0 ? moving_s : timing.seconds);
    if (timing.senders >= most) {
      most = timing.senders;
      of_most_Bps = Bps;
    }
    const auto last = own_Bps.begin() + static_cast<std::ptrdiff_t>(timing.senders);
    const double slowest_Bps = *std::min_element(own_Bps.begin(), last);
    if (timing.senders > 1 && Bps < nearly * static_cast<double>(timing.senders) * slowest_Bps) {
      at_limit.push_back(Bps);
    }
  }
  return at_limit.empty() ? of_most_Bps : median_of(at_limit);
}

double fitted(const Timing& timing, const ClusterFit& fit, const ClusterPlan& cluster) {
  const auto link_of = [&](std::size_t worker) {
    return fit.classes.at(cluster.workers[worker].class_name);
  };
  const double bytes = static_cast<double>(timing.bytes);
  const double all = bytes * static_cast<double>(timing.senders);
  const FittedLink mine = link_of(timing.worker);
  const FittedLink hub = fit.hub.value_or(link_of(cluster.workers.size() - 1));
  const double way_s = mine.latency_s + hub.latency_s;
  switch (timing.what) {
    case Timing::What::up:
      return 2 * way_s + bytes / std::min(mine.up_Bps, hub.down_Bps);
    case Timing::What::down:
      return 2 * way_s + bytes / std::min(mine.down_Bps, hub.up_Bps);
    case Timing::What::incast:
      return 2 * way_s + std::max(bytes / mine.up_Bps, all / hub.down_Bps);
    case Timing::What::outcast:
      return 2 * way_s + std::max(bytes / mine.down_Bps, all / hub.up_Bps);
    case Timing::What::ring: {
      const std::size_t workers = cluster.workers.size();
      const FittedLink left = link_of((timing.worker + workers - 1) % workers);
      return mine.latency_s + left.latency_s + bytes / std::min(left.up_Bps, mine.down_Bps);
    }
  }
  return 0;
}

}  // namespace

ClusterFit fit_cluster(const Measured& measured, const ClusterPlan& cluster) {
  ClusterFit fit;
  std::map<std::string, std::vector<bool>> classes;
  for (std::size_t i = 0; i < cluster.workers.size(); ++i) {
    std::vector<bool>& of_class = classes[cluster.workers[i].class_name];
    of_class.resize(cluster.workers.size(), false);
    of_class[i] = true;
  }
  double longest_way_s = 0;
  for (const auto& [name, of_class] : classes) {
    const auto up = points_of(measured, Timing::What::up, of_class);
    const auto down = points_of(measured, Timing::What::down, of_class);
    if (up.empty() || down.empty()) continue;
    const Line to_hub = fit_line(up);
    const Line from_hub = fit_line(down);
    // Two ways, there and back, of two links each.
    const double latency_s = (to_hub.at_0 + from_hub.at_0) / 2 / 4;
    fit.classes[name] = {latency_s, 1 / to_hub.slope, 1 / from_hub.slope};
    longest_way_s = std::max(longest_way_s, 2 * latency_s);
  }
  // A class of which only the hub is, where that is a worker: like the others.
  for (const auto& [name, of_class] : classes) {
    if (!fit.classes.contains(name) && !fit.classes.empty()) {
      fit.classes[name] = fit.classes.begin()->second;
    }
  }
  if (!cluster.servers.empty()) {
    std::vector<double> up_Bps;
    std::vector<double> down_Bps;
    for (const HostPlan& worker : cluster.workers) {
      up_Bps.push_back(fit.classes.at(worker.class_name).up_Bps);
      down_Bps.push_back(fit.classes.at(worker.class_name).down_Bps);
    }
    FittedLink hub{longest_way_s / 2, 0, 0};
    hub.down_Bps = together_Bps(measured, Timing::What::incast, 2 * longest_way_s, up_Bps);
    hub.up_Bps = together_Bps(measured, Timing::What::outcast, 2 * longest_way_s, down_Bps);
    fit.hub = hub;
  }
  for (const Timing& timing : measured.network) {
    FittedTiming known;
    static_cast<Timing&>(known) = timing;
    known.fitted_s = fitted(timing, fit, cluster);
    fit.timings.push_back(known);
  }
  std::map<std::string, std::map<std::uint64_t, std::pair<double, double>>> sums;
  for (const SpeedTiming& timing : measured.computing) {
    auto& [seconds, count] = sums[cluster.workers[timing.rank].class_name][timing.batch];
    seconds += timing.seconds;
    count += 1;
  }
  for (const auto& [name, batches] : sums) {
    const double workers = batches.begin()->second.second;  // the smallest batch is timed by all
    for (const auto& [batch, sum] : batches) {
      if (sum.second < workers) continue;
      fit.samples_per_s[name][batch] = static_cast<double>(batch) / (sum.first / sum.second);
    }
  }
  for (const SpeedTiming& timing : measured.computing) {
    const auto& rates = fit.samples_per_s.at(cluster.workers[timing.rank].class_name);
    const auto rate = rates.find(timing.batch);
    if (rate == rates.end()) continue;
    FittedSpeed known;
    static_cast<SpeedTiming&>(known) = timing;
    known.fitted_s = static_cast<double>(timing.batch) / rate->second;
    fit.speeds.push_back(known);
  }
  return fit;
}

double ClusterFit::mean_error() const {
  double sum = 0;
  double count = 0;
  for (const FittedTiming& timing : timings) {
    if (timing.bytes < large) continue;
    sum += std::abs(timing.fitted_s / timing.seconds - 1);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

double ClusterFit::mean_speed_error() const {
  double sum = 0;
  for (const FittedSpeed& speed : speeds) sum += std::abs(speed.fitted_s / speed.seconds - 1);
  return speeds.empty() ? 0 : sum / static_cast<double>(speeds.size());
}

namespace {

std::string quantity(double value, const char* unit) {
  std::ostringstream text;
  text.precision(6);
  text << value << unit;
  return text.str();
}

Json link_json(const FittedLink& link) {
  return {{"bandwidth",
           {{"up", quantity(link.up_Bps / 1e6, "MBps")},
            {"down", quantity(link.down_Bps / 1e6, "MBps")}}},
          {"latency", quantity(link.latency_s * 1e6, "us")}};
}

}  // namespace

Json with_fit(Json scenario, const ClusterFit& fit) {
  Json& cluster = scenario["cluster"];
  for (Json& of_class : cluster["workers"]) {
    const auto link = fit.classes.find(of_class["name"].get<std::string>());
    if (link != fit.classes.end()) of_class["link"] = link_json(link->second);
    const auto speeds = fit.samples_per_s.find(of_class["name"].get<std::string>());
    if (speeds == fit.samples_per_s.end()) continue;
    for (const char* key : {"speed", "step_overhead", "spread"}) of_class.erase(key);
    Json measured = Json::object();
    for (const auto& [batch, rate] : speeds->second) measured[std::to_string(batch)] = rate;
    of_class["samples_per_s"] = measured;
  }
  if (fit.hub) {
    if (cluster.contains("server") && cluster["server"].is_object()) {
      cluster["server"]["link"] = link_json(*fit.hub);
    }
    if (cluster.contains("servers")) {
      for (Json& server : cluster["servers"]) server["link"] = link_json(*fit.hub);
    }
  }
  scenario["network"] = "fluid";
  return scenario;
}

std::string to_csv(const ClusterFit& fit) {
  std::string text = timings_table().header();
  for (const FittedTiming& timing : fit.timings) {
    text += timings_table().line({Timing::name(timing.what), timing.worker, timing.senders,
                                  timing.bytes, 0, timing.seconds, timing.fitted_s});
  }
  for (const FittedSpeed& speed : fit.speeds) {
    text += timings_table().line(
        {"gradient", speed.rank, 1, 0, speed.batch, speed.seconds, speed.fitted_s});
  }
  return text;
}

}  // namespace motley
