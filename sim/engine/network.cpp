#include "sim/engine/network.hpp"

#include <algorithm>

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/simix.hpp>

namespace s4u = simgrid::s4u;

namespace motley {

Network::Network(const Platform& platform, const Scenario& scenario, Recorder& recorder,
                 std::size_t workers)
    : platform_(platform),
      recorder_(recorder),
      workers_(workers),
      fluid_(scenario.network == Scenario::Network::fluid),
      port_flows_(scenario.approximate.port_flows) {
  if (fluid_) {
    for (s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
      if (link->get_latency() > 0) latencies_s_[link] = link->get_latency();
      link->set_latency(0);
    }
  }
  s4u::Activity::on_completion_cb([this](const s4u::Activity& activity) {
    // Only our messages carry data.
    if (auto* message = activity.get_data<Message>()) complete(*message);
  });
}

Network::~Network() = default;

const Network::Route& Network::route(Node from, Node to) {
  const std::uint64_t key = (static_cast<std::uint64_t>(from) << 32U) | to;
  const auto [entry, is_new] = routes_.try_emplace(key);
  Route& route = entry->second;
  if (is_new) {
    std::vector<s4u::Link*> links;
    double latency = 0;
    platform_.host(from)->route_to(platform_.host(to), links, &latency);
    for (s4u::Link* link : links) {
      const auto [index, is_new_link] = link_index_.try_emplace(link, link_loads_.size());
      if (is_new_link) link_loads_.push_back({.link = link});
      route.links.push_back(index->second);
      const auto taken_off = latencies_s_.find(link);
      if (taken_off != latencies_s_.end()) route.latency_s += taken_off->second;
    }
  }
  return route;
}

Timeline::MessageId Network::count_departure(Node from, Node to) {
  const double now = s4u::Engine::get_clock();
  if (from < workers_) recorder_.worker(from).message_departs(now);
  if (to < workers_) recorder_.worker(to).message_departs(now);
  ++in_flight_;
  Timeline* timeline = recorder_.timeline();
  return timeline == nullptr ? 0 : timeline->message_departs(from, to, now);
}

Timeline::MessageId Network::count_arrival(Node from, Node to, std::uint64_t bytes,
                                           Timeline::MessageId traced) {
  const double now = s4u::Engine::get_clock();
  if (from < workers_) recorder_.worker(from).message_arrives(now);
  if (to < workers_) recorder_.worker(to).message_arrives(now);
  --in_flight_;
  recorder_.bytes_delivered(static_cast<double>(bytes));
  for (const std::size_t link : route(from, to).links) {
    link_loads_[link].bytes += static_cast<double>(bytes);
  }
  return traced == 0 ? 0 : recorder_.timeline()->message_arrives(traced, now);
}

void Network::occupy(const Route& route) {
  for (const std::size_t link : route.links) {
    LinkLoad& use = link_loads_[link];
    if (use.flows++ == 0) use.busy_since = s4u::Engine::get_clock();
  }
}

void Network::free(const Route& route) {
  for (const std::size_t link : route.links) {
    LinkLoad& use = link_loads_[link];
    if (--use.flows == 0) use.busy_s += s4u::Engine::get_clock() - use.busy_since;
  }
}

void Network::exchange(Node from, Node to, std::uint64_t bytes, s4u::Mailbox& theirs,
                       s4u::Mailbox& mine, double latencies) {
  // SimGrid keeps all communications between bare hosts in one list that it searches from end to
  // end; a ring has one for every worker under way at once, so these go through mailboxes.
  static char content;  // the simulated bytes have no content
  const Timeline::MessageId traced = count_departure(from, to);
  const Route& way = route(from, to);
  const double latency = latencies * way.latency_s;
  if (latency > 0) s4u::this_actor::sleep_for(latency);
  occupy(way);
  theirs.put(&content, bytes);
  free(way);
  count_arrival(from, to, bytes, traced);
  void* received = nullptr;
  mine.get_init()
      ->set_dst_data(&received, sizeof received)
      ->wait();  // one call, where get() is two
}

void Network::send(Node from, Node to, std::uint64_t bytes, std::function<void()> arrived) {
  finished_.clear();
  if (idle_.empty()) {
    all_messages_.push_back(std::make_unique<Message>());
    idle_.push_back(all_messages_.back().get());
  }
  Message* message = idle_.back();
  idle_.pop_back();
  message->from = from;
  message->to = to;
  message->bytes = bytes;
  message->arrived = std::move(arrived);

  message->traced = count_departure(from, to);
  const double now = s4u::Engine::get_clock();
  const double latency = route(from, to).latency_s;
  // Inside SimGrid's kernel, where a communication has no actor that must wait for it: its end is
  // signalled at the very moment it ends.
  simgrid::kernel::actor::simcall_answered([this, message, now, latency] {
    if (latency > 0)
      simgrid::kernel::timer::Timer::set(now + latency, [this, message] { enter(*message); });
    else
      enter(*message);
  });
}

void Network::enter(Message& message) {
  if (closed_) return;
  if (message.bytes == 0 && fluid_) {
    complete(message);
    return;
  }
  if (!port_flows_) {
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
  Port& up = up_[message.from];
  --up.flows;
  if (!up.queue.empty()) {
    Message* next = up.queue.front();
    up.queue.pop_front();
    ++up.flows;
    enter_down(*next);
  }
}

void Network::flow(Message& message) {
  occupy(route(message.from, message.to));
  message.comm = s4u::Comm::sendto_init(platform_.host(message.from), platform_.host(message.to));
  message.comm->set_payload_size(message.bytes);
  message.comm->set_data(&message);
  message.comm->start();
}

void Network::complete(Message& message) {
  if (closed_) return;
  arriving_ = count_arrival(message.from, message.to, message.bytes, message.traced);
  if (message.comm) free(route(message.from, message.to));
  if (port_flows_ && message.comm) leave(message);
  message.arrived();
  message.arrived = nullptr;
  if (message.comm) finished_.push_back(std::move(message.comm));
  idle_.push_back(&message);
}

std::vector<LinkResult> Network::links(double end) const {
  std::vector<LinkResult> results;
  for (s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
    const auto index = link_index_.find(link);
    const LinkLoad use = index == link_index_.end() ? LinkLoad{} : link_loads_[index->second];
    // SimGrid gives every zone a loopback, which nothing here uses.
    if (use.link == nullptr && link->get_name() == "__loopback__") continue;
    const double flowing = use.flows > 0 ? end - use.busy_since : 0;
    results.push_back({link->get_name(), link->get_bandwidth(), use.bytes, use.busy_s + flowing});
  }
  std::sort(results.begin(), results.end(),
            [](const LinkResult& a, const LinkResult& b) { return natural_less(a.name, b.name); });
  return results;
}

}  // namespace motley
