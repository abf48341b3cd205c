#include "sim/results/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace motley {

const char* Timeline::name(State state) {
  switch (state) {
    case State::compute:
      return "compute";
    case State::send:
      return "send";
    case State::receive:
      return "receive";
    case State::wait:
      return "wait";
    case State::discarded:
      return "discarded";
    case State::update:
      return "update";
    case State::down:
      return "down";
    case State::slowed:
      return "slowed";
  }
  return "";
}

Timeline::Timeline(const TraceWindow& window, std::vector<std::string> hosts, std::size_t workers)
    : window_(window),
      hosts_(std::move(hosts)),
      workers_(workers),
      kept_workers_(std::min(workers, window.most_workers)),
      kept_(hosts_.size(), true),
      last_computation_(hosts_.size(), none),
      discarded_parts_s_(hosts_.size(), 0),
      messages_(1) {
  if (kept_workers_ == workers_) return;
  // Ranks go class by class, so an even spread shows every class of some size.
  std::fill(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(workers_), false);
  for (std::size_t i = 0; i < kept_workers_; ++i) kept_[i * workers_ / kept_workers_] = true;
}

std::size_t Timeline::add(std::size_t host, State state, double begin, double end) {
  if (!kept_[host] || end < window_.from_s || begin > window_.to_s || full_at_s_) return none;
  if (intervals_.size() == window_.most_intervals) {
    full_at_s_ = begin;
    return none;
  }
  intervals_.push_back({host, state, begin, end});
  before_.push_back(none);
  return intervals_.size() - 1;
}

void Timeline::computed(std::size_t host, double begin, double end) {
  const std::size_t index = add(host, State::compute, begin, end);
  if (index == none) {
    // What is thrown away from now on is not shown: an earlier computation as long is not it.
    last_computation_[host] = none;
    discarded_parts_s_[host] = 0;
    return;
  }
  before_[index] = last_computation_[host];
  last_computation_[host] = index;
}

bool Timeline::discard_last(std::size_t host, double length) {
  for (std::size_t i = last_computation_[host]; i != none; i = before_[i]) {
    Interval& interval = intervals_[i];
    const double error = std::abs(interval.end_s - interval.begin_s - length);
    if (interval.state != State::compute || error > 1e-9 * length) continue;
    interval.state = State::discarded;
    return true;
  }
  return false;
}

void Timeline::discarded(std::size_t host, double seconds) {
  if (seconds <= 0 || last_computation_[host] == none || discard_last(host, seconds)) return;
  double& parts = discarded_parts_s_[host];
  parts += seconds;
  if (discard_last(host, parts)) parts = 0;
}

void Timeline::was_slowed(std::size_t host, double factor, double begin, double end) {
  if (!kept_[host] || end < window_.from_s || begin > window_.to_s) return;
  // They are told of at the end: what is full is full of what the hosts did.
  if (intervals_.size() >= 2 * window_.most_intervals) return;
  intervals_.push_back({host, State::slowed, begin, end, false, factor});
  before_.push_back(none);
}

Timeline::MessageId Timeline::message_departs(std::size_t from, std::size_t to, double now) {
  // A server's message to a worker that is not shown is not shown either.
  if (!kept_[from] || !kept_[to] || now > window_.to_s || full_at_s_) return 0;
  MessageId id = 0;
  if (unused_.empty()) {
    id = static_cast<MessageId>(messages_.size());
    messages_.emplace_back();
  } else {
    id = unused_.back();
    unused_.pop_back();
  }
  messages_[id] = {from, to, now, true, none};
  return id;
}

void Timeline::show(Message& message, double end) {
  message.under_way = false;
  message.send = add(message.from, State::send, message.departed, end);
  add(message.to, State::receive, message.departed, end);
}

Timeline::MessageId Timeline::message_arrives(MessageId id, double now) {
  if (id == 0) return 0;
  show(messages_[id], now);
  if (messages_[id].send != none) return id;
  unused_.push_back(id);  // over before the window begins
  return 0;
}

void Timeline::updated(std::size_t host, double begin, double end,
                       std::span<const MessageId> used) {
  const std::size_t update = add(host, State::update, begin, end);
  if (update == none) return;
  for (const MessageId id : used) {
    if (id != 0 && messages_[id].send != none) arrows_.push_back({messages_[id].send, update});
  }
}

void Timeline::put_in_order() {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    if (!intervals_[i].outside) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    const Interval& left = intervals_[a];
    const Interval& right = intervals_[b];
    return left.host != right.host ? left.host < right.host : left.begin_s < right.begin_s;
  });
  std::vector<Interval> sorted;
  std::vector<std::size_t> place(intervals_.size(), none);
  for (const std::size_t old : order) {
    place[old] = sorted.size();
    sorted.push_back(intervals_[old]);
  }
  for (Arrow& arrow : arrows_) arrow = {place[arrow.send], place[arrow.update]};
  std::erase_if(arrows_,
                [](const Arrow& arrow) { return arrow.send == none || arrow.update == none; });
  intervals_ = std::move(sorted);
}

void Timeline::fill_gaps() {
  std::vector<Interval> gaps;
  std::vector<double> busy_until(hosts_.size(), window_.from_s);
  for (const Interval& interval : intervals_) {
    if (interval.state == State::slowed) continue;  // it may do nothing meanwhile
    double& until = busy_until[interval.host];
    if (interval.begin_s > until) {
      gaps.push_back({interval.host, State::wait, until, interval.begin_s});
    }
    until = std::max(until, interval.end_s);
  }
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    if (kept_[host] && busy_until[host] < end_s_) {
      gaps.push_back({host, State::wait, busy_until[host], end_s_});
    }
  }
  // A server deals with workers that are not shown, too: what looks like waiting need not be.
  const bool all_workers = kept_workers_ == workers_;
  for (const Interval& gap : gaps) {
    if (gap.host < workers_ || all_workers) intervals_.push_back(gap);
  }
}

void Timeline::close(double end) {
  end_s_ = std::max(window_.from_s, std::min({end, window_.to_s, full_at_s_.value_or(end)}));
  for (Message& message : messages_) {
    if (message.under_way) show(message, end_s_);
  }
  ended_before_s_ = end < window_.from_s ? std::optional(end) : std::nullopt;
  for (Interval& interval : intervals_) {
    const bool lasted = interval.begin_s < interval.end_s;
    interval.end_s = std::min(interval.end_s, end_s_);
    interval.begin_s = std::clamp(interval.begin_s, window_.from_s, end_s_);
    interval.outside = lasted && interval.begin_s == interval.end_s;
  }
  put_in_order();
  fill_gaps();
  put_in_order();
}

std::string Timeline::extent() const {
  std::ostringstream text;
  if (kept_workers_ < workers_) text << kept_workers_ << " of " << workers_ << " workers, ";
  if (ended_before_s_) {
    text << "nothing: the run ended at " << *ended_before_s_ << " s, before the window";
    return text.str();
  }
  text << window_.from_s << " s to " << end_s_ << " s";
  if (full_at_s_) {
    text << " (there the timeline is full: " << window_.most_intervals
         << " intervals; choose a later window to see more)";
  }
  return text.str();
}

}  // namespace motley
