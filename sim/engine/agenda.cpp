#include "sim/engine/agenda.hpp"

#include <algorithm>

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include "sim/engine/fetch_ahead.hpp"

namespace motley {

using simgrid::kernel::timer::Timer;

Agenda::Agenda() : now_(std::make_shared<double>(simgrid::s4u::Engine::get_clock())) {
  simgrid::s4u::Engine::on_time_advance_cb(
      [now = now_](double /*passed*/) { *now = simgrid::s4u::Engine::get_clock(); });
}

void Agenda::set(double time, Event& event) {
  if (closed_) return;
  event.entry_ = ++last_number_;
  add({time, event.entry_, &event});
  if (!running_) arm();
}

bool Agenda::has_only_background() const {
  return std::ranges::all_of(
      entries_, [](const Entry& entry) { return entry.event->background_ || !is_valid(entry); });
}

namespace {

/// Children of an entry of the heap. With four, the way down is half as long as with two, and they lie
/// side by side in memory.
constexpr std::size_t branches = 4;

/// Of what happens next, and of what stands behind it: a message, or what a worker computes.
constexpr std::size_t fetched_ahead = 256;

}  // namespace

void Agenda::add(const Entry& entry) {
  entries_.push_back(entry);
  std::size_t place = entries_.size() - 1;
  while (place > 0) {
    const std::size_t parent = (place - 1) / branches;
    if (!entry.is_before(entries_[parent])) break;
    entries_[place] = entries_[parent];
    place = parent;
  }
  entries_[place] = entry;
}

void Agenda::drop_first() {
  const Entry last = entries_.back();
  entries_.pop_back();
  const std::size_t size = entries_.size();
  if (size == 0) return;
  Entry* const heap = entries_.data();
  std::size_t place = 0;
  for (std::size_t child = 1; child < size; child = branches * place + 1) {
    std::size_t first = child;
    const std::size_t end = std::min(child + branches, size);
    for (std::size_t other = child + 1; other < end; ++other) {
      if (heap[other].is_before(heap[first])) first = other;
    }
    if (!heap[first].is_before(last)) break;
    heap[place] = heap[first];
    place = first;
  }
  heap[place] = last;
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
  fetch_ahead(entries_.front().event, fetched_ahead);
  const double next = entries_.front().time;
  if (armed_.empty() || next < armed_.back().time) {
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
