#include "sim/engine/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "sim/engine/platform/simgrid_generation.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

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
      bandwidths_(fluid_, typical_bytes),
      ports_(agenda, *this),
      limits_(scenario.approximate.port_flows),
      routes_(platform, bandwidths_, loads_, ports_, workers, on_switch_),
      profile_event_(*this) {
  if (!platform.has_links()) add_planned_powers(platform.plan(), recorder);
  for (const s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
    const LinkPower* known = platform.power_of(link);
    if (known != nullptr) recorder.expenses().add_link(known->power, known->of_server);
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

void Network::count_departure(Message& message, std::optional<std::uint64_t> version) {
  const double now = agenda_.now();
  if (message.from < workers_) recorder_.worker(message.from).message_departs(now);
  if (message.to < workers_) recorder_.worker(message.to).message_departs(now);
  ++in_flight_;
  message.traced = 0;
  Timeline* timeline = recorder_.timeline();
  if (timeline == nullptr) return;
  if (!timeline->knows_way(message.from, message.to)) {
    timeline->add_way(message.from, message.to, routes_.link_names(message.from, message.to));
  }
  message.traced = timeline->message_departs(message.from, message.to, now, message.bytes, version);
}

void Network::count_arrival(const Message& message) {
  const double now = agenda_.now();
  if (message.from < workers_) recorder_.worker(message.from).message_arrives(now);
  if (message.to < workers_) recorder_.worker(message.to).message_arrives(now);
  --in_flight_;
  const auto bytes = static_cast<double>(message.bytes);
  recorder_.bytes_delivered(bytes);
  recorder_.expenses().add_link_energy(loads_.carry(message.route->links, bytes));
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
  message.route = &routes_.between(from, to);
  message.has_entered = false;
  message.has_place = false;
  return message;
}

bool Network::send(Node from, Node to, std::uint64_t bytes, std::function<void()> arrived,
                   double latencies, std::optional<std::uint64_t> version) {
  if (failures_ != nullptr && (!failures_->is_up(from) || !failures_->is_up(to))) return false;
  Message& message = new_message(from, to, bytes);
  message.arrived = std::move(arrived);
  message.under_way = true;
  count_departure(message, version);
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
  if (!limits_.any() || message.background || limits_.enter(message)) flow(message);
}

void Network::leave(Message& message) {
  limits_.leave(message, [this](PortLimits::Passer& next) { flow(static_cast<Message&>(next)); });
}

void Network::occupy(Message& message) {
  message.on_links = true;
  loads_.occupy(message.route->links, agenda_.now());
}

void Network::vacate(Message& message) {
  if (!message.on_links) return;
  message.on_links = false;
  loads_.vacate(message.route->links, agenda_.now());
  if (on_switch_) ports_.leave(message);
}

void Network::flow(Message& message) {
  message.has_place = true;
  const auto bytes = static_cast<double>(message.bytes);
  const Routes::Route& way = *message.route;
  const bool is_known = on_switch_ && ports_.enter(message, way.links[0], way.links[1], bytes);
  occupy(message);
  if (!is_known) flow_in_simgrid(message, bytes);
}

void Network::flow_in_simgrid(Message& message, double bytes) {
  if (!platform_.has_links()) throw std::logic_error("SimGrid has no links to carry a message");
  message.comm = s4u::Comm::sendto_init(platform_.host(message.from), platform_.host(message.to));
  message.comm->set_payload_size(
      static_cast<std::uint64_t>(std::llround(bandwidths_.unit() * bytes)));
  message.comm->set_data(&message);
  message.comm->start();
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
    loads_.carry_background(message.route->links, static_cast<double>(message.bytes));
    message.background = false;
    message.set_background(false);
    if (message.comm) finish(message);
    idle_.push_back(&message);
    return;
  }
  count_arrival(message);
  if (limits_.any() && (message.bytes > 0 || !fluid_)) leave(message);
  message.under_way = false;
  message.arrived();
  message.arrived = nullptr;
  if (message.comm) finish(message);
  idle_.push_back(&message);
}

}  // namespace motley
