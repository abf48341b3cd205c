#include "sim/engine/network.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "sim/engine/host_route.hpp"
#include "sim/engine/simgrid_generation.hpp"
#include "sim/results/idle_parts.hpp"
#include "sim/scenario/link_names.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

/// SimGrid carries whole numbers of bytes, and what is left of a message need not be one. So it
/// counts in parts of a byte: as many as leave room for messages of eight times the typical size
/// among the numbers that a double holds exactly. A power of two rounds nothing.
double parts_of_byte(std::uint64_t typical_bytes) {
  if (typical_bytes == 0) return 1;
  constexpr int exact_bits = 53;
  constexpr int larger_bits = 3;
  return std::exp2(
      std::max(0, exact_bits - larger_bits - static_cast<int>(std::bit_width(typical_bytes))));
}

/// The property of a link of a platform file. That of a split-duplex one belongs to the pair, each of
/// which has its name and a direction.
std::string class_of_link(const s4u::Link& link) {
  if (const char* given = link.get_property("class")) return given;
  for (const std::string& direction : {std::string("_UP"), std::string("_DOWN")}) {
    const std::string& name = link.get_name();
    if (!name.ends_with(direction)) continue;
    try {
      const std::string pair = name.substr(0, name.size() - direction.size());
      const s4u::Link* both = s4u::Engine::get_instance()->split_duplex_link_by_name(pair);
      if (const char* given = both->get_property("class")) return given + direction;
    } catch (const std::invalid_argument&) {  // a link that is only called so
    }
  }
  return "";
}

/// Of a host's link, as the plan has it where SimGrid has none.
enum class Direction { up, down };

std::uint64_t planned_key(std::size_t node, Direction way) {
  return 2 * static_cast<std::uint64_t>(node) + (way == Direction::up ? 0 : 1);
}

double planned_bandwidth(const LinkSpec& link, Direction way) {
  return way == Direction::up ? link.bandwidth.up_Bps : link.bandwidth.down_Bps;
}

/// Each direction draws half of what the scenario gives both.
double planned_J_per_byte(const LinkSpec& link, Direction way) {
  if (!link.power) return 0;
  return (link.power->busy_W / 2 - link.power->idle_W / 2) / planned_bandwidth(link, way);
}

void add_planned_powers(const ClusterPlan& plan, Recorder& recorder) {
  for (const std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
    for (const HostPlan& host : *hosts) {
      if (!host.link.power) continue;
      const PowerSpec& both = *host.link.power;
      const PowerSpec each = {both.busy_W / 2, both.idle_W / 2, both.off_W / 2};
      recorder.expenses().add_link(each, hosts == &plan.servers);
      recorder.expenses().add_link(each, hosts == &plan.servers);
    }
  }
}

}  // namespace

Network::Network(const Platform& platform, const Scenario& scenario, Recorder& recorder,
                 Agenda& agenda, std::size_t workers, bool on_switch, std::uint64_t typical_bytes)
    : platform_(platform),
      recorder_(recorder),
      agenda_(agenda),
      workers_(workers),
      fluid_(scenario.network == Scenario::Network::fluid),
      on_switch_(fluid_ && on_switch),
      unit_(fluid_ ? parts_of_byte(typical_bytes) : 1),
      port_flows_(scenario.approximate.port_flows),
      profile_event_(*this),
      ports_(agenda, *this) {
  if (!platform.has_links()) add_planned_powers(platform.plan(), recorder);
  for (const s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
    const LinkPower* known = platform.power_of(link);
    if (known != nullptr) recorder.expenses().add_link(known->power, known->of_server);
  }
  for (s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
    bandwidths_Bps_[link] = link->get_bandwidth();
    if (!fluid_) continue;
    if (link->get_latency() > 0) latencies_s_[link] = link->get_latency();
    link->set_latency(0);
    if (unit_ != 1) link->set_bandwidth(unit_ * link->get_bandwidth());
  }
  s4u::Link::on_bandwidth_change_cb([this](const s4u::Link& link) {
    if (closed_ || following_) return;
    s4u::Link* changed = s4u::Link::by_name(link.get_name());
    // Once, however often it changes at this moment: what is set of it is read again.
    if (std::ranges::find(changed_, changed) == changed_.end()) changed_.push_back(changed);
    agenda_.set(s4u::Engine::get_clock(), profile_event_);  // SimGrid is still changing it
  });
  generation::on_completion([this](const s4u::Activity& activity) {
    // Only our messages carry data.
    if (auto* message = activity.get_data<Message>()) complete(*message);
  });
}

Network::~Network() = default;

double Network::energy_per_byte(const s4u::Link* link) const {
  const LinkPower* known = platform_.power_of(link);
  if (known == nullptr) return 0;
  return (known->power.busy_W - known->power.idle_W) / plain_bandwidth(link);
}

void Network::add_link(Route& route, std::size_t index, double bandwidth_Bps, double latency_s) {
  route.links.push_back(index);
  route.bandwidth_Bps = std::min(route.bandwidth_Bps, bandwidth_Bps);
  route.latency_s += latency_s;
}

void Network::add_links(Route& route, Node from, Node to) {
  const std::vector<s4u::Link*> links = links_between(*platform_.host(from), *platform_.host(to));
  if (links.empty()) {  // of many participants not every pair is asked before
    throw std::runtime_error("the platform file has " +
                             no_route(*platform_.host(from), *platform_.host(to)));
  }
  for (s4u::Link* link : links) {
    const double bandwidth_Bps = link->get_bandwidth() / unit_;
    const auto [index, is_new] = link_index_.try_emplace(link, link_loads_.size());
    if (is_new) {
      link_loads_.push_back({.link = link, .J_per_byte = energy_per_byte(link)});
      ports_.add_link(bandwidth_Bps);
    }
    const auto taken_off = latencies_s_.find(link);
    add_link(route, index->second, bandwidth_Bps,
             taken_off == latencies_s_.end() ? 0 : taken_off->second);
  }
}

void Network::add_planned_links(Route& route, Node from, Node to) {
  if (from < workers_ && to < workers_) {
    throw std::logic_error(
        "a worker sent something to another one, of an algorithm whose workers begin with a model "
        "and so talk with the server only");
  }
  for (const auto& [node, way] : {std::pair(from, Direction::up), std::pair(to, Direction::down)}) {
    const LinkSpec& link = platform_.planned_link(node);
    const auto [index, is_new] =
        planned_index_.try_emplace(planned_key(node, way), link_loads_.size());
    if (is_new) {
      link_loads_.push_back({.J_per_byte = planned_J_per_byte(link, way)});
      ports_.add_link(planned_bandwidth(link, way));
    }
    add_link(route, index->second, planned_bandwidth(link, way), link.latency_s);
  }
}

const Network::Route& Network::route(Node from, Node to) {
  const std::uint64_t key = (static_cast<std::uint64_t>(from) << 32U) | to;
  const auto [entry, is_new] = routes_.try_emplace(key);
  Route& route = entry->second;
  if (is_new) {
    route.bandwidth_Bps = std::numeric_limits<double>::infinity();
    if (platform_.has_links())
      add_links(route, from, to);
    else
      add_planned_links(route, from, to);
    if (on_switch_ && route.links.size() != 2) {
      throw std::logic_error("on a switch every way has one link up and one down");
    }
  }
  return route;
}

void Network::count_departure(Message& message) {
  const double now = agenda_.now();
  if (message.from < workers_) recorder_.worker(message.from).message_departs(now);
  if (message.to < workers_) recorder_.worker(message.to).message_departs(now);
  ++in_flight_;
  Timeline* timeline = recorder_.timeline();
  message.traced = timeline == nullptr
                       ? 0
                       : timeline->message_departs(message.from, message.to, now, message.bytes);
}

void Network::count_arrival(const Message& message) {
  const double now = agenda_.now();
  if (message.from < workers_) recorder_.worker(message.from).message_arrives(now);
  if (message.to < workers_) recorder_.worker(message.to).message_arrives(now);
  --in_flight_;
  const auto bytes = static_cast<double>(message.bytes);
  recorder_.bytes_delivered(bytes);
  double energy_J = 0;
  for (const std::size_t link : message.route->links) {
    link_loads_[link].bytes += bytes;
    energy_J += bytes * link_loads_[link].J_per_byte;
  }
  recorder_.expenses().add_link_energy(energy_J);
  arriving_ = message.traced == 0 ? 0 : recorder_.timeline()->message_arrives(message.traced, now);
}

Network::Message& Network::new_message(Node from, Node to, std::uint64_t bytes) {
  release_finished();
  if (idle_.empty()) {
    all_messages_.push_back(std::make_unique<Message>(*this));
    idle_.push_back(all_messages_.back().get());
  }
  Message& message = *idle_.back();
  idle_.pop_back();
  message.from = from;
  message.to = to;
  message.bytes = bytes;
  message.route = &route(from, to);
  message.has_entered = false;
  message.has_place = false;
  return message;
}

bool Network::send(Node from, Node to, std::uint64_t bytes, std::function<void()> arrived,
                   double latencies) {
  if (failures_ != nullptr && (!failures_->is_up(from) || !failures_->is_up(to))) return false;
  Message& message = new_message(from, to, bytes);
  message.arrived = std::move(arrived);
  message.under_way = true;
  count_departure(message);
  depart(message, latencies);
  return true;
}

void Network::depart(Message& message, double latencies) {
  const double latency = latencies * message.route->latency_s;
  if (latency > 0) {
    agenda_.set(agenda_.now() + latency, message);
  } else {
    // Inside SimGrid's kernel, where a communication has no actor that must wait for it: its end
    // is signalled at the very moment it ends.
    simgrid::kernel::actor::simcall_answered([this, &message] { enter(message); });
  }
}

void Network::Message::happen() {
  if (network.closed_) return;
  if (has_entered)
    network.complete(*this);
  else
    network.enter(*this);
}

void Network::enter(Message& message) {
  if (closed_) return;
  message.has_entered = true;
  if (message.bytes == 0 && fluid_) {
    complete(message);
    return;
  }
  if (!port_flows_ || message.background) {
    flow(message);
    return;
  }
  Port& port = up_[message.from];
  if (port.flows == *port_flows_) {
    port.queue.push_back(&message);
    return;
  }
  ++port.flows;
  enter_down(message);
}

void Network::enter_down(Message& message) {
  Port& port = down_[message.to];
  if (port.flows == *port_flows_) {
    port.queue.push_back(&message);
    return;
  }
  ++port.flows;
  flow(message);
}

void Network::leave(const Message& message) {
  Port& down = down_[message.to];
  --down.flows;
  if (!down.queue.empty()) {
    Message* next = down.queue.front();
    down.queue.pop_front();
    ++down.flows;
    flow(*next);
  }
  leave_up(message.from);
}

void Network::leave_up(Node from) {
  Port& up = up_[from];
  --up.flows;
  if (!up.queue.empty()) {
    Message* next = up.queue.front();
    up.queue.pop_front();
    ++up.flows;
    enter_down(*next);
  }
}

void Network::occupy(Message& message) {
  message.on_links = true;
  for (const std::size_t index : message.route->links) {
    LinkLoad& load = link_loads_[index];
    if (load.flows++ == 0) load.busy_since = agenda_.now();
  }
}

void Network::vacate(Message& message) {
  if (!message.on_links) return;
  message.on_links = false;
  for (const std::size_t index : message.route->links) {
    LinkLoad& load = link_loads_[index];
    if (--load.flows == 0) load.busy_s += agenda_.now() - load.busy_since;
  }
  if (on_switch_) ports_.leave(message);
}

void Network::flow(Message& message) {
  message.has_place = true;
  const auto bytes = static_cast<double>(message.bytes);
  const Route& way = *message.route;
  const bool is_known = on_switch_ && ports_.enter(message, way.links[0], way.links[1], bytes);
  occupy(message);
  if (!is_known) flow_in_simgrid(message, bytes);
}

void Network::flow_in_simgrid(Message& message, double bytes) {
  if (!platform_.has_links()) throw std::logic_error("SimGrid has no links to carry a message");
  message.comm = s4u::Comm::sendto_init(platform_.host(message.from), platform_.host(message.to));
  message.comm->set_payload_size(static_cast<std::uint64_t>(std::llround(unit_ * bytes)));
  message.comm->set_data(&message);
  message.comm->start();
}

void Network::follow_profiles() {
  following_ = true;
  std::vector<bool> risen(link_loads_.size(), false);
  for (s4u::Link* link : changed_) {
    double& before = bandwidths_Bps_[link];
    ChangedLink& known =
        changed_links_.try_emplace(link, ChangedLink{.plain_Bps = before}).first->second;
    const double bandwidth = followed(known, before, link->get_bandwidth());
    const auto index = link_index_.find(link);
    if (index != link_index_.end()) risen[index->second] = bandwidth > before;
    before = bandwidth;
    if (unit_ * bandwidth != link->get_bandwidth()) link->set_bandwidth(unit_ * bandwidth);
  }
  changed_.clear();
  following_ = false;
  if (fluid_) restart_on(risen);
}

void Network::restart_on(const std::vector<bool>& risen) {
  for (const std::unique_ptr<Message>& message : all_messages_) {
    const auto is_risen = [&](std::size_t link) { return risen[link]; };
    if (!message->comm || !std::ranges::any_of(message->route->links, is_risen)) continue;
    const double rest = message->comm->get_remaining() / unit_;
    message->comm->set_data(nullptr);  // its end is nobody's arrival
    message->comm->cancel();
    finish(*message);
    flow_in_simgrid(*message, rest);
  }
}

void Network::finish(Message& message) {
  finished_.push_back(std::move(message.comm));
  message.comm = nullptr;
  finished_at_s_ = agenda_.now();
}

void Network::release_finished() {
  if (!finished_.empty() && agenda_.now() > finished_at_s_) finished_.clear();
}

void Network::complete(Message& message) {
  if (closed_) return;
  vacate(message);
  if (message.background) {
    for (const std::size_t link : message.route->links) {
      link_loads_[link].background_bytes += static_cast<double>(message.bytes);
    }
    message.background = false;
    message.set_background(false);
    if (message.comm) finish(message);
    idle_.push_back(&message);
    return;
  }
  count_arrival(message);
  if (port_flows_ && (message.bytes > 0 || !fluid_)) leave(message);
  message.under_way = false;
  message.arrived();
  message.arrived = nullptr;
  if (message.comm) finish(message);
  idle_.push_back(&message);
}

std::vector<LinkResult> Network::links(double end, const ClusterPlan& plan) const {
  if (!platform_.has_links()) return planned_links(end, plan);
  const std::unordered_map<std::string, std::string> groups = link_groups(plan);
  LinkList results(plan.workers.size());
  for (s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
    const auto index = link_index_.find(link);
    const LinkLoad load = index == link_index_.end() ? LinkLoad{} : link_loads_[index->second];
    // SimGrid gives every zone a loopback, which nothing here uses.
    if (load.link == nullptr && link->get_name() == "__loopback__") continue;
    const auto group = groups.find(link->get_name());
    results.add({link->get_name(), mean_bandwidth(link, end), load.bytes, busy_s(load, end),
                 group != groups.end() ? group->second : class_of_link(*link),
                 load.background_bytes});
  }
  return std::move(results).sorted();
}

std::vector<LinkResult> Network::planned_links(double end, const ClusterPlan& plan) const {
  LinkList results(plan.workers.size());
  Node node = 0;
  const auto add = [&](const HostPlan& host) {
    const LinkNames names = names_of_link(host);
    const LinkNames groups = names_of_group(host);
    for (const Direction way : {Direction::up, Direction::down}) {
      const auto index = planned_index_.find(planned_key(node, way));
      const LinkLoad load = index == planned_index_.end() ? LinkLoad{} : link_loads_[index->second];
      results.add({way == Direction::up ? names.up : names.down, planned_bandwidth(host.link, way),
                   load.bytes, busy_s(load, end), way == Direction::up ? groups.up : groups.down,
                   load.background_bytes});
    }
    ++node;
  };
  for (const HostPlan& worker : plan.workers) add(worker);
  for (const HostPlan& server : plan.servers) add(server);
  return std::move(results).sorted();
}

}  // namespace motley
