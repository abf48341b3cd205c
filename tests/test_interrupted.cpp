// Computations that are given up: how long they run and what comes of it, counted independently.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

/// A message of the independent count: so many bytes are left, through these links.
struct Flow {
  double latency_left_s;
  double left_B;
  std::size_t up;
  std::size_t down;
  std::size_t worker;
  bool is_model;
  std::uint64_t version;
};

struct Node {
  double speed;
  double bandwidth;
  double latency;
};

/// Backup workers with late = cancel, written down directly: the state at a moment, and the next
/// moment at which something ends. Links are shared max-min fairly. Nothing of Motley is used.
class Reference {
 public:
  Reference(std::vector<Node> workers, const Node& server, double flops, double bytes,
            std::size_t wait_for)
      : workers_(std::move(workers)),
        server_(server),
        flops_(flops),
        bytes_(bytes),
        wait_for_(wait_for),
        work_left_(workers_.size(), -1),
        computes_(workers_.size(), 0),
        discarded_(workers_.size(), 0),
        since_(workers_.size(), 0) {}

  std::vector<double> update_times(std::size_t updates) {
    broadcast();
    while (times_.size() < updates) advance();
    return times_;
  }
  const std::vector<double>& discarded() const { return discarded_; }

 private:
  void broadcast() {
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      flows_.push_back({workers_[w].latency + server_.latency, bytes_, 2 * workers_.size(),
                        2 * w + 1, w, true, version_});
    }
  }

  std::vector<double> rates() const {
    std::vector<double> rate(flows_.size(), 0);
    std::vector<double> room(2 * workers_.size() + 2);
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      room[2 * w] = room[2 * w + 1] = workers_[w].bandwidth;
    }
    room[2 * workers_.size()] = room[2 * workers_.size() + 1] = server_.bandwidth;
    std::vector<bool> fixed(flows_.size(), false);
    for (;;) {
      std::map<std::size_t, std::size_t> users;
      for (std::size_t f = 0; f < flows_.size(); ++f) {
        if (fixed[f] || flows_[f].latency_left_s > 0) continue;
        ++users[flows_[f].up];
        ++users[flows_[f].down];
      }
      if (users.empty()) return rate;
      std::size_t tightest = 0;
      double share = std::numeric_limits<double>::infinity();
      for (const auto& [link, count] : users) {
        if (room[link] / static_cast<double>(count) < share) {
          share = room[link] / static_cast<double>(count);
          tightest = link;
        }
      }
      for (std::size_t f = 0; f < flows_.size(); ++f) {
        if (fixed[f] || flows_[f].latency_left_s > 0) continue;
        if (flows_[f].up != tightest && flows_[f].down != tightest) continue;
        fixed[f] = true;
        rate[f] = share;
        room[flows_[f].up] -= share;
        room[flows_[f].down] -= share;
      }
    }
  }

  void advance() {
    const std::vector<double> rate = rates();
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      step = std::min(step, flows_[f].latency_left_s > 0 ? flows_[f].latency_left_s
                                                         : flows_[f].left_B / rate[f]);
    }
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      if (work_left_[w] >= 0) step = std::min(step, work_left_[w] / workers_[w].speed);
    }
    now_ += step;
    constexpr double nothing = 1e-12;  // of a flow or of some work
    std::vector<Flow> arrived;
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      Flow& flow = flows_[f];
      if (flow.latency_left_s > 0) {
        flow.latency_left_s -= step;
        if (flow.latency_left_s <= nothing) flow.latency_left_s = 0;
      } else {
        flow.left_B -= step * rate[f];
        if (flow.left_B <= nothing * bytes_) arrived.push_back(flow);
      }
    }
    std::erase_if(flows_, [&](const Flow& flow) {
      return flow.latency_left_s <= 0 && flow.left_B <= nothing * bytes_;
    });
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      if (work_left_[w] < 0) continue;
      work_left_[w] -= step * workers_[w].speed;
      if (work_left_[w] > nothing * flops_) continue;
      work_left_[w] = -1;
      flows_.push_back({workers_[w].latency + server_.latency, bytes_, 2 * w,
                        2 * workers_.size() + 1, w, false, computes_[w]});
    }
    for (const Flow& flow : arrived) {
      if (flow.is_model)
        model_arrives(flow);
      else
        gradient_arrives(flow);
    }
  }

  void model_arrives(const Flow& flow) {
    const std::size_t w = flow.worker;
    if (work_left_[w] >= 0) discarded_[w] += now_ - since_[w];
    work_left_[w] = flops_;
    since_[w] = now_;
    computes_[w] = flow.version;
  }

  void gradient_arrives(const Flow& flow) {
    if (flow.version < version_) {
      discarded_[flow.worker] += flops_ / workers_[flow.worker].speed;
      return;
    }
    if (++come_ < wait_for_) return;
    come_ = 0;
    ++version_;
    times_.push_back(now_);
    broadcast();
  }

  std::vector<Node> workers_;
  Node server_;
  double flops_;
  double bytes_;
  std::size_t wait_for_;
  double now_ = 0;
  std::uint64_t version_ = 0;
  std::size_t come_ = 0;
  std::vector<Flow> flows_;
  std::vector<double> work_left_;        // flops; -1: idle
  std::vector<std::uint64_t> computes_;  // at which version
  std::vector<double> discarded_;
  std::vector<double> since_;
  std::vector<double> times_;
};

struct Cluster {
  std::vector<Node> workers;
  Node server;
  std::size_t wait_for;
};

Cluster random_cluster(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random);
  };
  Cluster cluster;
  const std::size_t count = 2 + random() % 5;
  for (std::size_t w = 0; w < count; ++w) {
    cluster.workers.push_back({between(0.3e9, 3e9), between(2e7, 2e8), between(1e-4, 1e-2)});
  }
  cluster.server = {1e12, between(5e7, 3e8), between(1e-4, 1e-2)};
  cluster.wait_for = 1 + random() % count;
  return cluster;
}

constexpr double message_B = 8e6;

Json scenario_of(const Cluster& cluster, std::size_t updates) {
  Json scenario = timing_scenario();
  const auto exact = [](double number, const char* unit) {
    std::ostringstream text;
    text.precision(17);
    text << number << unit;
    return text.str();
  };
  const auto link = [&](const Node& node) {
    return Json{{"bandwidth", exact(node.bandwidth, "Bps")}, {"latency", exact(node.latency, "s")}};
  };
  Json workers = Json::array();
  for (std::size_t w = 0; w < cluster.workers.size(); ++w) {
    workers.push_back({{"name", "w" + std::to_string(w)},
                       {"speed", exact(cluster.workers[w].speed, "f")},
                       {"link", link(cluster.workers[w])}});
  }
  scenario["cluster"] = {{"workers", workers},
                         {"server", {{"speed", "1Tf"}, {"link", link(cluster.server)}}}};
  scenario["stop"]["updates"] = updates;
  scenario["algorithms"] = {
      {{"name", "backup"}, {"wait_for", cluster.wait_for}, {"late", "cancel"}}};
  return scenario;
}

/// The same switch in a platform file: routes over an uplink and a downlink for every pair.
std::string platform_of(const Cluster& cluster) {
  std::ostringstream xml;
  xml.precision(17);
  xml << "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
         "<platform version=\"4.1\"><zone id=\"zone\" routing=\"Full\">\n";
  std::vector<Node> nodes = cluster.workers;
  nodes.push_back(cluster.server);
  const auto name = [&](std::size_t n) {
    return n < cluster.workers.size() ? "w" + std::to_string(n) : std::string("server");
  };
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    xml << "<host id=\"" << name(n) << "\" speed=\"" << nodes[n].speed
        << "f\"><prop id=\"role\" value=\"" << (n < cluster.workers.size() ? "worker" : "server")
        << "\"/></host>\n";
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const char* direction : {"up", "down"}) {
      xml << "<link id=\"" << name(n) << direction << "\" bandwidth=\"" << nodes[n].bandwidth
          << "Bps\" latency=\"" << nodes[n].latency << "s\"/>\n";
    }
  }
  for (std::size_t from = 0; from < nodes.size(); ++from) {
    for (std::size_t to = 0; to < nodes.size(); ++to) {
      if (from == to) continue;
      xml << "<route src=\"" << name(from) << "\" dst=\"" << name(to)
          << "\" symmetrical=\"NO\"><link_ctn id=\"" << name(from) << "up\"/><link_ctn id=\""
          << name(to) << "down\"/></route>\n";
    }
  }
  xml << "</zone></platform>\n";
  return xml.str();
}

void check_times(const RunResult& result, const std::vector<double>& expected) {
  REQUIRE(result.curve.size() == expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(result.curve[i + 1].time_s == Approx(expected[i]).epsilon(1e-9));
  }
}

TEST_CASE("a computation ends at the moment the new model arrives, though that shared a link") {
  // Both models, 8 MB at 1 GB/s on the way out of the server, take 1/60 s together with what
  // follows; see the reference for the rest. The slow worker must not compute until the fast one
  // ends its next gradient.
  Cluster cluster;
  cluster.workers = {{1e9, 1e9, 0}, {1e8, 1e9, 0}};
  cluster.server = {1e12, 1e9, 0};
  cluster.wait_for = 1;
  Reference reference(cluster.workers, cluster.server, 1e9, message_B, 1);
  const std::vector<double> expected = reference.update_times(20);
  const RunResult result = simulate(scenario_of(cluster, 20));
  check_times(result, expected);
  for (std::size_t w = 0; w < 2; ++w) {
    CHECK(result.workers[w].discarded_s == Approx(reference.discarded()[w]).epsilon(1e-9));
  }
}

TEST_CASE("a computation ends at the moment the new model arrives, by tcp as well") {
  // The fast worker alone decides: all rounds are alike. So the slow one gets a model once a round
  // and gives up what it began a round ago, all but the last.
  Cluster cluster;
  cluster.workers = {{1e9, 1e9, 1e-6}, {1e8, 1e9, 1e-6}};
  cluster.server = {1e12, 1e9, 1e-6};
  cluster.wait_for = 1;
  constexpr std::size_t updates = 20;
  Json scenario = scenario_of(cluster, updates);
  scenario["network"] = "tcp";
  const RunResult result = simulate(scenario);
  const double round_s = result.curve.at(2).time_s - result.curve.at(1).time_s;
  CHECK(result.curve.back().time_s == Approx(updates * round_s).epsilon(1e-9));
  CHECK(result.workers[1].discarded_s == Approx((updates - 1) * round_s).epsilon(1e-9));
}

TEST_CASE("given-up computations take the times of an independent count on random clusters") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const Cluster cluster = random_cluster(seed);
    constexpr std::size_t updates = 60;
    Reference reference(cluster.workers, cluster.server, 1e9, message_B, cluster.wait_for);
    const std::vector<double> expected = reference.update_times(updates);
    const RunResult result = simulate(scenario_of(cluster, updates));
    check_times(result, expected);
    for (std::size_t w = 0; w < cluster.workers.size(); ++w) {
      CHECK(result.workers[w].discarded_s ==
            Approx(reference.discarded()[w]).epsilon(1e-9).margin(1e-9));
    }
  }
}

TEST_CASE("a random contended cluster takes the times of the same switch in a platform file") {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("motley_switch_" + std::to_string(getpid()) + ".xml");
  for (std::uint64_t seed = 41; seed <= 50; ++seed) {
    const Cluster cluster = random_cluster(seed);
    std::ofstream(file) << platform_of(cluster);
    for (const char* name : {"async", "sync", "backup"}) {
      CAPTURE(seed, name);
      // Not many more updates: contention between asynchronous workers is chaotic, and the last
      // bit of a double becomes 1e-9 within two hundred of them.
      Json here = scenario_of(cluster, 100);
      if (std::string(name) != "backup") here["algorithms"] = {{{"name", name}}};
      Json there = here;
      there["cluster"] = {{"platform", file.string()}};
      const RunResult result = simulate(here);
      std::vector<double> expected;
      for (const CurvePoint& point : simulate(there).curve) expected.push_back(point.time_s);
      expected.erase(expected.begin());
      check_times(result, expected);
    }
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace motley
