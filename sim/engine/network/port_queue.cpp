#include "sim/engine/network/port_queue.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace motley {

PortQueue::~PortQueue() {
  while (Flow* flow = any()) take_out(*flow);
}

void PortQueue::advance(double now) {
  if (now <= now_) return;
  if (shared_flows_ > 0) shared_work_ += level() * (now - now_);
  now_ = now;
}

double PortQueue::level() const {
  return static_cast<double>((bandwidth_Bps_ - free_Bps_) /
                             static_cast<long double>(shared_flows_));
}

double PortQueue::work(const Cap& cap) const {
  return cap.shared ? shared_work_ - cap.origin : cap.rate_Bps * (now_ - cap.origin);
}

void PortQueue::sort_in(Cap& cap) {
  const double end_work = cap.flows.begin()->end_work_;
  if (cap.shared) {
    cap.next = cap.origin + end_work;
    shared_.insert(cap);
  } else {
    cap.next = cap.origin + end_work / cap.rate_Bps;
    free_.insert(cap);
  }
}

void PortQueue::sort_out(Cap& cap) {
  boost::intrusive::multiset<Cap>& of = cap.shared ? shared_ : free_;
  of.erase(of.iterator_to(cap));
}

void PortQueue::share(Cap& cap) {
  sort_out(cap);
  const double done = work(cap);
  cap.shared = true;
  cap.origin = shared_work_ - done;
  const std::size_t flows = cap.flows.size();
  free_Bps_ -= static_cast<long double>(cap.rate_Bps) * static_cast<long double>(flows);
  free_flows_ -= flows;
  shared_flows_ += flows;
  if (free_flows_ == 0) free_Bps_ = 0;  // no rounding is carried on
  sort_in(cap);
}

void PortQueue::set_free(Cap& cap) {
  sort_out(cap);
  const double done = work(cap);
  cap.shared = false;
  cap.origin = now_ - done / cap.rate_Bps;
  const std::size_t flows = cap.flows.size();
  free_Bps_ += static_cast<long double>(cap.rate_Bps) * static_cast<long double>(flows);
  free_flows_ += flows;
  shared_flows_ -= flows;
  if (shared_flows_ == 0) shared_work_ = 0;
  sort_in(cap);
}

void PortQueue::settle() {
  // First in one direction, then in the other: rounding cannot send a cap to and fro.
  while (first_shared_ != caps_.begin()) {
    const auto largest_free = std::prev(first_shared_);
    const bool fits =
        shared_flows_ == 0 ? free_Bps_ <= bandwidth_Bps_ : largest_free->second.rate_Bps <= level();
    if (fits) break;
    share(largest_free->second);
    first_shared_ = largest_free;
  }
  while (first_shared_ != caps_.end() && first_shared_->second.rate_Bps <= level()) {
    set_free(first_shared_->second);
    ++first_shared_;
  }
}

void PortQueue::add(double now, Flow& flow, double bytes, double cap_Bps) {
  advance(now);
  // More than the whole port is no limit: one cap for them all.
  const double rate_Bps = std::min(cap_Bps, bandwidth_Bps_);
  const auto [entry, is_new] = caps_.try_emplace(rate_Bps, rate_Bps);
  Cap& cap = entry->second;
  if (is_new) {
    cap.shared = first_shared_ != caps_.end() && first_shared_->first < rate_Bps;
    cap.origin = cap.shared ? shared_work_ : now_;
  } else {
    sort_out(cap);
  }
  flow.cap_ = &cap;
  flow.end_work_ = work(cap) + bytes;
  cap.flows.insert(flow);
  ++size_;
  if (cap.shared) {
    ++shared_flows_;
  } else {
    ++free_flows_;
    free_Bps_ += static_cast<long double>(rate_Bps);
  }
  sort_in(cap);
  settle();
}

void PortQueue::take_out(Flow& flow) {
  Cap& cap = *flow.cap_;
  sort_out(cap);
  cap.flows.erase(cap.flows.iterator_to(flow));
  flow.cap_ = nullptr;
  --size_;
  if (cap.shared) {
    if (--shared_flows_ == 0) shared_work_ = 0;
  } else {
    free_Bps_ -= static_cast<long double>(cap.rate_Bps);
    if (--free_flows_ == 0) free_Bps_ = 0;
  }
  if (cap.flows.empty()) {
    const auto entry = caps_.find(cap.rate_Bps);
    if (entry == first_shared_)
      first_shared_ = caps_.erase(entry);
    else
      caps_.erase(entry);
  } else {
    sort_in(cap);
  }
  settle();
}

double PortQueue::remove(double now, Flow& flow) {
  advance(now);
  const double left = flow.end_work_ - work(*flow.cap_);
  take_out(flow);
  return std::max(0.0, left);
}

double PortQueue::next_end() const {
  double next = std::numeric_limits<double>::infinity();
  if (!free_.empty()) next = free_.begin()->next;
  if (!shared_.empty()) {
    next = std::min(next, now_ + (shared_.begin()->next - shared_work_) / level());
  }
  return std::max(next, now_);
}

PortQueue::Flow* PortQueue::take_ended(double now) {
  advance(now);
  // A moment far from 0 is itself rounded by more than SimGrid's precision.
  const double by = now_ + std::max(precision_s, 4 * std::numeric_limits<double>::epsilon() * now_);
  Cap* cap = nullptr;
  if (!free_.empty() && free_.begin()->next <= by) cap = &*free_.begin();
  if (cap == nullptr && !shared_.empty() &&
      shared_.begin()->next - shared_work_ <= level() * (by - now_)) {
    cap = &*shared_.begin();
  }
  if (cap == nullptr) return nullptr;
  Flow& flow = *cap->flows.begin();
  take_out(flow);
  return &flow;
}

PortQueue::Flow* PortQueue::any() {
  return caps_.empty() ? nullptr : &*caps_.begin()->second.flows.begin();
}

}  // namespace motley
