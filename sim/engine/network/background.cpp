#include "sim/engine/network/background.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <simgrid/s4u.hpp>

#include "sim/base/random.hpp"
#include "sim/base/random_laws.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

using Nodes = std::unordered_map<std::string, Network::Node>;

Nodes nodes_of(const ClusterPlan& plan) {
  Nodes nodes;
  for (const std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
    for (const HostPlan& host : *hosts) nodes.emplace(host.name, nodes.size());
  }
  nodes.emplace(outside, nodes.size());
  return nodes;
}

}  // namespace

/// The changes of all links, one moment after the other.
class Background::Changes final : public Agenda::Event {
 public:
  Changes(Background& background, const ClusterPlan& plan) : background_(background) {
    set_background(true);
    std::unordered_map<std::string, s4u::Link*> links;
    for (s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
      links[link->get_name()] = link;
    }
    for (const LinkChangePlan& change : plan.link_changes) {
      const auto link = links.find(change.link);
      if (link == links.end()) continue;  // of a host that has been taken out of the cluster
      for (const FactorStep& step : change.steps) {
        moments_.push_back({step.time_s, {link->second, step.factor}});
      }
    }
    std::ranges::stable_sort(moments_, {}, &Moment::time_s);
  }

  void set_next() {
    if (next_ < moments_.size()) background_.agenda_.set(moments_[next_].time_s, *this);
  }

 private:
  struct Moment {
    double time_s = 0;
    Network::BandwidthFactor change;
  };

  void happen() override {
    if (background_.rest_.is_over()) return;
    std::vector<Network::BandwidthFactor> now;
    const double time = moments_[next_].time_s;
    for (; next_ < moments_.size() && moments_[next_].time_s == time; ++next_) {
      now.push_back(moments_[next_].change);
    }
    background_.network_.change_bandwidths(now);
    set_next();
  }

  Background& background_;
  std::vector<Moment> moments_;
  std::size_t next_ = 0;
};

/// Messages of others from one host, or to one. When they begin is drawn ahead of everything else:
/// it depends on (seed, entry, member) alone.
class Background::Stream final : public Agenda::Event {
 public:
  Stream(Background& background, const TrafficPlan& plan, const Nodes& nodes, std::uint64_t seed)
      : background_(background),
        spec_(plan.spec),
        random_(seed, "cluster: traffic " + std::to_string(plan.entry), plan.member),
        from_(nodes.at(plan.from)),
        next_s_(plan.spec.at_s),
        end_s_(plan.spec.for_s ? plan.spec.at_s + *plan.spec.for_s
                               : std::numeric_limits<double>::infinity()) {
    set_background(true);
    for (const std::string& name : plan.to) {
      if (nodes.contains(name)) to_.push_back(nodes.at(name));
    }
  }

  void set_next() {
    next_s_ += spec_.every.draw(random_);
    if (next_s_ < end_s_) background_.agenda_.set(next_s_, *this);
  }

 private:
  void happen() override {
    if (background_.rest_.is_over()) return;
    constexpr double largest_bytes = 1e15;
    const double bytes = std::min(spec_.size.draw(random_), largest_bytes);
    const auto which =
        static_cast<std::size_t>(open_uniform(random_) * static_cast<double>(to_.size()));
    background_.network_.send_background(from_, to_[which],
                                         static_cast<std::uint64_t>(std::llround(bytes)));
    set_next();
  }

  Background& background_;
  const TrafficSpec& spec_;
  RandomStream random_;
  Network::Node from_;
  std::vector<Network::Node> to_;
  double next_s_;
  double end_s_;
};

/// Those of a platform file may go on for ever, and SimGrid with them.
class Background::Profiles final : public Agenda::Event {
 public:
  explicit Profiles(Background& background) : background_(background) {
    set_background(true);
    s4u::Link::on_bandwidth_change_cb([this](const s4u::Link&) { look(); });
    s4u::Host::on_speed_change_cb([this](const s4u::Host&) { look(); });
  }

 private:
  void look() {
    if (!background_.rest_.is_over()) return;
    background_.agenda_.set(s4u::Engine::get_clock(), *this);  // SimGrid is still changing it
  }

  void happen() override {
    if (background_.rest_.is_over()) background_.rest_.end();
  }

  Background& background_;
};

Background::Background(Network& network, Agenda& agenda, const ClusterPlan& plan,
                       std::uint64_t seed, Rest rest)
    : network_(network), agenda_(agenda), rest_(std::move(rest)) {
  if (!plan.platform_file.empty()) profiles_ = std::make_unique<Profiles>(*this);
  if (!plan.link_changes.empty()) changes_ = std::make_unique<Changes>(*this, plan);
  const Nodes nodes = nodes_of(plan);
  for (const TrafficPlan& stream : plan.traffic) {
    const auto is_there = [&](const std::string& name) { return nodes.contains(name); };
    // Hosts may have been taken out of the cluster.
    if (!is_there(stream.from) || !std::ranges::any_of(stream.to, is_there)) continue;
    streams_.push_back(std::make_unique<Stream>(*this, stream, nodes, seed));
  }
}

Background::~Background() = default;

void Background::start() {
  if (changes_) changes_->set_next();
  for (const std::unique_ptr<Stream>& stream : streams_) stream->set_next();
}

}  // namespace motley
