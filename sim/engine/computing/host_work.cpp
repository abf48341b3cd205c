#include "sim/engine/computing/host_work.hpp"

#include <algorithm>

#include "sim/engine/platform/simgrid_generation.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

/// The part of some work that may be left at its end.
constexpr double rounding = 1e-9;

}  // namespace

void HostWork::start(double flops) {
  flops_ = flops;
  const double now = alarm_.now();
  if (constant_flops_) {
    end_s_ = expected_end(flops, *constant_flops_);
    return;
  }
  if (curve_) {
    factor_ = curve_->at(now);
    flops_ /= factor_;
  }
  execute(flops_);
}

double HostWork::expected_end(double flops, double speed_flops) const {
  const double now = alarm_.now();
  return curve_ ? curve_->end_of(now, flops / speed_flops) : now + flops / speed_flops;
}

void HostWork::execute(double flops) {
  exec_ = s4u::Exec::init()->set_flops_amount(flops)->set_host(host_);
  exec_->start();
  generation::add_actor("work", host_, [this, exec = exec_] {
    try {
      exec->wait();
      wake();
    } catch (const simgrid::CancelException&) {
      // Its worker gave it up and does not wait for it any more.
    }
  })->daemonize();
}

bool HostWork::is_done() const {
  if (constant_flops_) return alarm_.now() >= end_s_;
  return exec_->get_remaining() <= rounding * flops_;
}

bool HostWork::wait(double until) {
  if (constant_flops_) {
    const double late_s = end_s_ - until;
    until = late_s <= rounding * (flops_ / *constant_flops_) ? end_s_ : until;
  } else if (curve_) {
    follow_curve(until);
    return is_done();
  }
  alarm_.sleep_until(std::max(until, alarm_.now()));
  return is_done();
}

void HostWork::follow_curve(double until) {
  const double now = alarm_.now();
  const double change = curve_->next_change(now);
  alarm_.sleep_until(std::max(std::min(until, change), now));
  if (is_done() || alarm_.now() < change) return;
  const double factor = curve_->at(alarm_.now());
  if (factor == factor_) return;
  flops_ = exec_->get_remaining() * (factor_ / factor);
  factor_ = factor;
  exec_->cancel();
  execute(flops_);
}

void HostWork::lose() {
  // Not asked what is left: SimGrid may just have ended it, and then cannot tell.
  if (exec_ && exec_->get_state() == s4u::Activity::State::STARTED) exec_->cancel();
  exec_ = nullptr;
}

void HostWork::stop() {
  if (exec_ && !is_done()) exec_->cancel();
  exec_ = nullptr;
}

}  // namespace motley
