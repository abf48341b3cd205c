#include "sim/live/cluster_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "sim/results/statistics/estimate.hpp"
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
    points.emplace_back(static_cast<double>(bytes), *median_of(seconds));
  }
  return points;
}

/// A worker's link and how long a way over it and the hub's takes.
struct OwnWay {
  double Bps = 0;
  double way_s = 0;
};

/// What messages at once reached together: the median over the numbers of workers, two and more, at which they were
/// slower than the links of these workers allow (`own`, by worker). Where that never was so the hub is at least as fast
/// as all of them together, and nothing else is known of it.
double together_Bps(const Measured& measured, Timing::What what, const std::vector<OwnWay>& own) {
  constexpr double nearly = 0.9;
  std::vector<double> at_limit;
  double most_Bps = 0;
  for (const Timing& timing : measured.network) {
    if (timing.what != what || timing.bytes < ClusterFit::large) continue;
    const auto last = own.begin() + static_cast<std::ptrdiff_t>(timing.senders);
    const double longest_way_s =
        std::ranges::max_element(own.begin(), last, {}, &OwnWay::way_s)->way_s;
    const double slowest_Bps = std::ranges::min_element(own.begin(), last, {}, &OwnWay::Bps)->Bps;
    const double moving_s = timing.seconds - 2 * longest_way_s;
    // On a busy machine messages alone may have taken longer than all together.
    const double Bps = static_cast<double>(timing.senders * timing.bytes) /
                       (moving_s > 0 ? moving_s : timing.seconds);
    most_Bps = std::max(most_Bps, Bps);
    if (timing.senders > 1 && Bps < nearly * static_cast<double>(timing.senders) * slowest_Bps) {
      at_limit.push_back(Bps);
    }
  }
  if (!at_limit.empty()) return *median_of(at_limit);
  double all_Bps = 0;
  for (const OwnWay& way : own) all_Bps += way.Bps;
  return std::max(most_Bps, all_Bps);
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
  // Of several the slowest is the last.
  double several_s = 0;
  for (std::size_t worker = 0; worker < timing.senders; ++worker) {
    const FittedLink link = link_of(worker);
    const double own_Bps = timing.what == Timing::What::incast ? link.up_Bps : link.down_Bps;
    several_s = std::max(several_s, 2 * (link.latency_s + hub.latency_s) + bytes / own_Bps);
  }
  switch (timing.what) {
    case Timing::What::up:
      return 2 * way_s + bytes / std::min(mine.up_Bps, hub.down_Bps);
    case Timing::What::down:
      return 2 * way_s + bytes / std::min(mine.down_Bps, hub.up_Bps);
    case Timing::What::incast:
      return std::max(several_s, 2 * way_s + all / hub.down_Bps);
    case Timing::What::outcast:
      return std::max(several_s, 2 * way_s + all / hub.up_Bps);
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
  for (const auto& [name, of_class] : classes) {
    const auto up = points_of(measured, Timing::What::up, of_class);
    const auto down = points_of(measured, Timing::What::down, of_class);
    if (up.empty() || down.empty()) continue;
    const Line to_hub = fit_line(up);
    const Line from_hub = fit_line(down);
    // Two ways, there and back, of two links each.
    const double latency_s = (to_hub.at_0 + from_hub.at_0) / 2 / 4;
    fit.classes[name] = {latency_s, 1 / to_hub.slope, 1 / from_hub.slope};
  }
  // A class of which only the hub is, where that is a worker: like the others.
  for (const auto& [name, of_class] : classes) {
    if (!fit.classes.contains(name) && !fit.classes.empty()) {
      fit.classes[name] = fit.classes.begin()->second;
    }
  }
  if (!cluster.servers.empty()) {
    // How a way's latency is divided between its two links cannot be told from outside. The hub's is half of the
    // shortest way; whatever a class's ways take beyond it is its own.
    FittedLink hub{std::numeric_limits<double>::infinity(), 0, 0};
    for (const auto& [name, link] : fit.classes)
      hub.latency_s = std::min(hub.latency_s, link.latency_s);
    for (auto& [name, link] : fit.classes) link.latency_s = 2 * link.latency_s - hub.latency_s;
    std::vector<OwnWay> up;
    std::vector<OwnWay> down;
    for (const HostPlan& worker : cluster.workers) {
      const FittedLink& link = fit.classes.at(worker.class_name);
      const double way_s = link.latency_s + hub.latency_s;
      up.push_back({link.up_Bps, way_s});
      down.push_back({link.down_Bps, way_s});
    }
    hub.down_Bps = together_Bps(measured, Timing::What::incast, up);
    hub.up_Bps = together_Bps(measured, Timing::What::outcast, down);
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

const FittedTiming& ClusterFit::worst() const {
  const auto error = [](const FittedTiming& timing) {
    return timing.bytes < large ? -1 : std::abs(timing.fitted_s / timing.seconds - 1);
  };
  return *std::ranges::max_element(timings, {}, error);
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
