#include "sim/engine/failures/machine_failures.hpp"

#include <algorithm>

#include <simgrid/s4u.hpp>

#include "sim/scenario/planned_failures.hpp"

namespace motley {

MachineFailures::MachineFailures(const ClusterPlan& plan, const FailuresSpec* spec,
                                 std::uint64_t seed, Agenda& agenda, Listener& listener)
    : agenda_(agenda), listener_(listener) {
  if (spec == nullptr || !has_failures(plan)) return;
  detect_after_s_ = spec->detect_after_s;
  drops_ = spec->on_failure == FailuresSpec::OnFailure::drop;
  checkpoint_s_ = spec->checkpoint_s;
  for (const std::vector<HostPlan>* hosts : {&plan.workers, &plan.servers}) {
    for (const HostPlan& host : *hosts) {
      const Node node = machines_.size();
      machines_.emplace_back(*this, node,
                             Outages(host.failures, seed, static_cast<std::uint32_t>(node)));
    }
  }
}

MachineFailures::~MachineFailures() = default;

void MachineFailures::begin() {
  for (Machine& machine : machines_) {
    plan_next(machine);
    if (machine.up) continue;
    machine.missed = true;
    listener_.machine_fails(machine.node);
  }
}

void MachineFailures::plan_next(Machine& machine) {
  const std::optional<Outage> next = machine.outages.next();
  if (!next) {
    machine.outage.from_s = std::numeric_limits<double>::infinity();
    return;
  }
  machine.outage = *next;
  machine.set_background(next->from_s > 0);
  if (next->from_s > 0) {
    agenda_.set(next->from_s, machine);
    return;
  }
  machine.up = false;
  ++machine.failures;
  if (!next->is_for_good()) agenda_.set(next->until_s, machine);
}

void MachineFailures::happen(Machine& machine) {
  if (machine.up) {
    if (listener_.is_anything_going_on()) fail(machine);
  } else if (agenda_.now() < machine.outage.until_s) {
    miss(machine);
    if (!machine.outage.is_for_good()) agenda_.set(machine.outage.until_s, machine);
  } else {
    bring_back(machine);
  }
}

void MachineFailures::fail(Machine& machine) {
  machine.up = false;
  ++machine.failures;
  ++total_;
  machine.set_background(false);
  agenda_.set(std::min(machine.outage.from_s + detect_after_s_, machine.outage.until_s), machine);
  listener_.machine_fails(machine.node);
}

void MachineFailures::miss(Machine& machine) {
  machine.missed = true;
  listener_.machine_is_missed(machine.node);
}

void MachineFailures::bring_back(Machine& machine) {
  if (!machine.missed) miss(machine);
  machine.up = true;
  machine.missed = false;
  plan_next(machine);
  listener_.machine_returns(machine.node);
}

bool MachineFailures::is_gone_for_good(Node node) const {
  if (machines_.empty()) return false;
  return !machines_[node].up && machines_[node].outage.is_for_good();
}

bool MachineFailures::is_change_due() const {
  return std::ranges::any_of(machines_, [](const Machine& machine) {
    return !machine.up && (!machine.missed || !machine.outage.is_for_good());
  });
}

}  // namespace motley
