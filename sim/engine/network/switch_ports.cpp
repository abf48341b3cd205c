#include "sim/engine/network/switch_ports.hpp"

#include <algorithm>

namespace motley {

SwitchPorts::~SwitchPorts() = default;

// ---- Who is where ----

void SwitchPorts::count_in(Flow& flow) {
  ++links_[flow.up_].flows;
  ++links_[flow.down_].flows;
}

void SwitchPorts::count_out(Flow& flow) {
  flow.where_ = Flow::Where::nowhere;
  for (const std::size_t index : {flow.up_, flow.down_}) {
    Link& link = links_[index];
    link.alone = nullptr;
    if (--link.flows == 0) link.port = nullptr;
  }
}

double SwitchPorts::rest_of_lonely(double now, const Flow& flow) const {
  const double rate = std::min(links_[flow.up_].bandwidth_Bps, links_[flow.down_].bandwidth_Bps);
  return std::max(0.0, flow.bytes_ - (now - flow.start_s_) * rate);
}

void SwitchPorts::leave(Flow& flow) {
  switch (flow.where_) {
    case Flow::Where::alone:
      agenda_.cancel(flow);
      count_out(flow);
      break;
    case Flow::Where::at_port: {
      Port& port = *flow.port_;
      take_from_port(owner_.now(), flow);
      arm(port);
      break;
    }
    case Flow::Where::in_simgrid:
      --links_[flow.up_].in_simgrid;
      --links_[flow.down_].in_simgrid;
      flow.where_ = Flow::Where::nowhere;
      break;
    case Flow::Where::nowhere:
      break;
  }
}

// ---- Ports ----

void SwitchPorts::divide(double now, Link& link, const Flow* but) {
  if (link.flows < 2 && but != nullptr) return;
  const double share = link.bandwidth_Bps / static_cast<double>(link.flows);
  for (Flow* flow = link.crossing; flow != nullptr; flow = flow->beside_) {
    if (flow == but) continue;
    const double left = flow->port_->queue.remove(now, *flow);
    flow->port_->queue.add(now, *flow, left, share);
  }
}

void SwitchPorts::add_to(Port& port, double now, Flow& flow, double bytes) {
  Link& other = links_[other_end(flow, port.link)];
  flow.where_ = Flow::Where::at_port;
  flow.port_ = &port;
  count_in(flow);
  links_[port.link].port = &port;
  other.port = &port;
  flow.beside_ = other.crossing;
  other.crossing = &flow;
  divide(now, other, &flow);
  port.queue.add(now, flow, bytes, other.bandwidth_Bps / static_cast<double>(other.flows));
}

double SwitchPorts::take_from_port(double now, Flow& flow) {
  Port& port = *flow.port_;
  // One that has just ended is out of the queue.
  const double left = flow.is_linked() ? port.queue.remove(now, flow) : 0;
  Link& other = links_[other_end(flow, port.link)];
  Flow** place = &other.crossing;
  while (*place != &flow) place = &(*place)->beside_;
  *place = flow.beside_;
  flow.beside_ = nullptr;
  flow.port_ = nullptr;
  count_out(flow);
  if (other.flows > 0) divide(now, other, nullptr);
  return left;
}

SwitchPorts::Port& SwitchPorts::make_port(double now, std::size_t link) {
  std::unique_ptr<Port>& port = ports_[link];
  if (!port) port = std::make_unique<Port>(*this, link, links_[link].bandwidth_Bps);
  if (links_[link].port == port.get()) return *port;
  if (Flow* lonely = links_[link].alone) {
    agenda_.cancel(*lonely);
    const double left = rest_of_lonely(now, *lonely);
    count_out(*lonely);
    add_to(*port, now, *lonely, left);
  } else {
    // A port at the other end, all of whose flows cross this link: the two change places.
    Port& before = *links_[link].port;
    while (PortQueue::Flow* next = before.queue.any()) {
      Flow& flow = static_cast<Flow&>(*next);
      const double left = take_from_port(now, flow);
      add_to(*port, now, flow, left);
    }
    arm(before);
  }
  return *port;
}

void SwitchPorts::arm(Port& port) {
  const double next = port.queue.next_end();
  if (next == port.armed_for) return;
  port.armed_for = next;
  if (next < never)
    agenda_.set(next, port);
  else
    agenda_.cancel(port);
}

void SwitchPorts::end_flows(Port& port) {
  const double now = owner_.now();
  port.armed_for = never;
  while (PortQueue::Flow* next = port.queue.take_ended(now)) {
    Flow& flow = static_cast<Flow&>(*next);
    take_from_port(now, flow);
    owner_.ended(flow);
  }
  arm(port);
}

// ---- Coming ----

void SwitchPorts::clear_ended(double now, std::size_t link) {
  Flow* flow = links_[link].alone;
  if (flow == nullptr || flow->end_s_ > now) return;
  count_out(*flow);
  owner_.vacated(*flow);
}

SwitchPorts::Link* SwitchPorts::port_for(std::size_t up, std::size_t down) {
  Link& a = links_[up];
  Link& b = links_[down];
  if (a.in_simgrid > 0 || b.in_simgrid > 0) return nullptr;
  const auto can_be_port = [this](Link& link) {
    if (link.alone != nullptr) return true;
    const Link& port = links_[link.port->link];
    return &port == &link || port.flows == link.flows;  // all its flows cross this link
  };
  if (a.flows == 0) return can_be_port(b) ? &b : nullptr;
  if (b.flows == 0) return can_be_port(a) ? &a : nullptr;
  if (a.alone != nullptr && a.alone == b.alone) return &a;
  if (a.port == nullptr || a.port != b.port) return nullptr;
  return &links_[a.port->link];
}

bool SwitchPorts::enter(Flow& flow, std::size_t up, std::size_t down, double bytes) {
  const double now = owner_.now();
  clear_ended(now, up);
  clear_ended(now, down);
  flow.up_ = up;
  flow.down_ = down;
  if (links_[up].is_idle() && links_[down].is_idle()) {
    flow.where_ = Flow::Where::alone;
    flow.bytes_ = bytes;
    flow.start_s_ = now;
    flow.end_s_ = now + bytes / std::min(links_[up].bandwidth_Bps, links_[down].bandwidth_Bps);
    count_in(flow);
    links_[up].alone = &flow;
    links_[down].alone = &flow;
    agenda_.set(flow.end_s_, flow);
    return true;
  }
  if (const Link* link = port_for(up, down)) {
    Port& port = make_port(now, static_cast<std::size_t>(link - links_.data()));
    add_to(port, now, flow, bytes);
    arm(port);
    return true;
  }
  give_up(now, up);
  give_up(now, down);
  flow.where_ = Flow::Where::in_simgrid;
  ++links_[up].in_simgrid;
  ++links_[down].in_simgrid;
  return false;
}

void SwitchPorts::hand_over(Flow& flow, double bytes) {
  flow.where_ = Flow::Where::in_simgrid;
  ++links_[flow.up_].in_simgrid;
  ++links_[flow.down_].in_simgrid;
  owner_.hand_over(flow, bytes);
}

void SwitchPorts::set_bandwidth(std::size_t link, double bandwidth_Bps) {
  const double now = owner_.now();
  clear_ended(now, link);
  give_up(now, link);
  links_[link].bandwidth_Bps = bandwidth_Bps;
  const auto port = ports_.find(link);
  if (port != ports_.end()) port->second->queue.set_bandwidth(bandwidth_Bps);
}

void SwitchPorts::give_up(double now, std::size_t link) {
  if (Flow* lonely = links_[link].alone) {
    agenda_.cancel(*lonely);
    const double left = rest_of_lonely(now, *lonely);
    count_out(*lonely);
    hand_over(*lonely, left);
  }
  if (Port* port = links_[link].port) {
    while (PortQueue::Flow* next = port->queue.any()) {
      Flow& flow = static_cast<Flow&>(*next);
      const double left = take_from_port(now, flow);
      hand_over(flow, left);
    }
    arm(*port);
  }
}

}  // namespace motley
