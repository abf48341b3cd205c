#include "sim/engine/agenda.hpp"

#include <algorithm>
#include <functional>

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include "sim/engine/computing/fetch_ahead.hpp"

namespace motley {

using simgrid::kernel::timer::Timer;

Agenda::Agenda() : now_(std::make_shared<double>(simgrid::s4u::Engine::get_clock())) {
  simgrid::s4u::Engine::on_time_advance_cb(
      [now = now_](double /*passed*/) { *now = simgrid::s4u::Engine::get_clock(); });
}

void Agenda::set(double time, Event& event) {
  if (closed_) return;
  event.entry_ = ++last_number_;
  entries_.push_back({time, event.entry_, &event});
  std::push_heap(entries_.begin(), entries_.end(), std::greater<>());
  if (!running_) arm();
}

bool Agenda::has_only_background() const {
  return std::ranges::all_of(
      entries_, [](const Entry& entry) { return entry.event->background_ || !is_valid(entry); });
}

namespace {

/// Of what happens next, and of what stands behind it: a message, or what a worker computes.
constexpr std::size_t fetched_ahead = 256;

}  // namespace

void Agenda::drop_first() {
  std::pop_heap(entries_.begin(), entries_.end(), std::greater<>());
  entries_.pop_back();
}

void Agenda::close() {
  closed_ = true;
  entries_.clear();
  for (const Armed& armed : armed_) armed.timer->remove();
  armed_.clear();
}

void Agenda::arm() {
  // What was cancelled or set anew since need not wake anybody.
  while (!entries_.empty() && !is_valid(entries_.front())) drop_first();
  if (entries_.empty()) return;
  const double next = entries_.front().time;
  if (armed_.empty() || next < armed_.back().time) {
    fetch_ahead(entries_.front().event, fetched_ahead);
    armed_.push_back({next, Timer::set(next, [this] { run_due(); })});
  }
}

void Agenda::run_due() {
  armed_.pop_back();  // the one that has come; SimGrid deletes it
  running_ = true;
  const double now = *now_;
  while (!entries_.empty() && entries_.front().time <= now) {
    const Entry entry = entries_.front();
    drop_first();
    if (!entries_.empty()) fetch_ahead(entries_.front().event, fetched_ahead);
    if (!is_valid(entry)) continue;
    entry.event->entry_ = 0;
    if (!entry.event->background_) last_foreground_ = now;
    entry.event->happen();
  }
  running_ = false;
  arm();
}

}  // namespace motley
