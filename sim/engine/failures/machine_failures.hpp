#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "sim/engine/agenda.hpp"
#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// Which machines are up, and what is known of it elsewhere: a failure is noticed detect_after later,
/// or at the return if that comes first; a return at once. Machines are numbered as the network's
/// nodes. A failure or return happens before all else that is on the agenda for its moment: what
/// would have ended then is lost. A failure to come keeps no stuck run alive, a return does.
class MachineFailures {
 public:
  using Node = std::size_t;

  /// To whom it happens; in SimGrid's kernel.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// Asked before a failure: whether there is anything that it could hit.
    virtual bool is_anything_going_on() = 0;
    virtual void machine_fails(Node node) = 0;
    /// The others notice that it is gone.
    virtual void machine_is_missed(Node node) = 0;
    virtual void machine_returns(Node node) = 0;
  };

  /// `spec`: null when there are none.
  MachineFailures(const ClusterPlan& plan, const FailuresSpec* spec, std::uint64_t seed,
                  Agenda& agenda, Listener& listener);
  ~MachineFailures();

  /// Before anything happens: who is down from the start is so now, and known to be.
  void begin();

  /// Whether anybody can fail at all; else nothing below is ever asked.
  bool any() const { return !machines_.empty(); }
  /// Whether those who are missed are done without.
  bool drops() const { return drops_; }
  const std::optional<double>& checkpoint_s() const { return checkpoint_s_; }

  bool is_up(Node node) const { return machines_.empty() || machines_[node].up; }
  /// As the others know.
  bool is_present(Node node) const { return machines_.empty() || !machines_[node].missed; }
  bool is_gone_for_good(Node node) const;
  /// How often it has failed, or was not there at the start.
  std::uint64_t failures(Node node) const {
    return machines_.empty() ? 0 : machines_[node].failures;
  }
  /// The same as the others know.
  std::uint64_t noticed_failures(Node node) const {
    if (machines_.empty()) return 0;
    const Machine& machine = machines_[node];
    return machine.up || machine.missed ? machine.failures : machine.failures - 1;
  }
  /// Whether something is to happen to a machine that is down.
  bool is_change_due() const;
  /// From the start to now: failures of all machines.
  std::uint64_t total() const { return total_; }

 private:
  struct Machine final : Agenda::Event {
    Machine(MachineFailures& owner, Node of, Outages times)
        : failures_of(owner), node(of), outages(std::move(times)) {}
    void happen() override { failures_of.happen(*this); }

    MachineFailures& failures_of;
    Node node;
    Outages outages;
    Outage outage = {};  // the present or next one
    bool up = true;
    bool missed = false;
    std::uint64_t failures = 0;
  };

  void happen(Machine& machine);
  void fail(Machine& machine);
  void miss(Machine& machine);
  void bring_back(Machine& machine);
  void plan_next(Machine& machine);

  Agenda& agenda_;
  Listener& listener_;
  double detect_after_s_ = 0;
  bool drops_ = true;
  std::optional<double> checkpoint_s_;
  std::deque<Machine> machines_;
  std::uint64_t total_ = 0;
};

}  // namespace motley
