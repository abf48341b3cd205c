#include "sim/engine/host_work.hpp"

#include <algorithm>

#include "sim/engine/simgrid_generation.hpp"

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

/// The part of some work that may be left at its end.
constexpr double rounding = 1e-9;

}  // namespace

void HostWork::start(double flops) {
  flops_ = flops;
  if (constant_flops_) {
    end_s_ = s4u::Engine::get_clock() + flops / *constant_flops_;
    return;
  }
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
  if (constant_flops_) return s4u::Engine::get_clock() >= end_s_;
  return exec_->get_remaining() <= rounding * flops_;
}

bool HostWork::wait(double until) {
  if (constant_flops_) {
    const double late_s = end_s_ - until;
    until = late_s <= rounding * (flops_ / *constant_flops_) ? end_s_ : until;
  }
  alarm_.sleep_until(std::max(until, s4u::Engine::get_clock()));
  return is_done();
}

void HostWork::stop() {
  if (exec_ && !is_done()) exec_->cancel();
  exec_ = nullptr;
}

}  // namespace motley
