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
      messages_(1),
      computing_(hosts_.size()),
      versions_(hosts_.size(), 0) {
  if (kept_workers_ == workers_) return;
  // Ranks go class by class, so an even spread shows every class of some size.
  std::fill(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(workers_), false);
  for (std::size_t i = 0; i < kept_workers_; ++i) kept_[i * workers_ / kept_workers_] = true;
}

std::size_t Timeline::add(std::size_t host, State state, double begin, double end) {
  if (!kept_[host] || end < window_.from_s || begin > window_.to_s) return none;
  if (!is_in_kept_piece(begin)) return none;
  while (intervals_.size() == window_.most_intervals) {
    constexpr std::uint64_t most = std::uint64_t{1} << 40;  // all of it begins at the same time
    if (stride_ == most) return none;
    thin_out(end);
    if (!is_in_kept_piece(begin)) return none;
  }
  intervals_.push_back({host, state, begin, end});
  before_.push_back(none);
  return intervals_.size() - 1;
}

bool Timeline::is_in_kept_piece(double begin) const {
  if (piece_s_ == 0) return true;
  const double piece = std::floor(std::max(0.0, begin - window_.from_s) / piece_s_);
  return std::fmod(piece, static_cast<double>(stride_)) == 0;
}

void Timeline::move_to(const std::vector<std::size_t>& place, std::vector<Interval> moved) {
  intervals_ = std::move(moved);
  const auto moved_to = [&](std::size_t index) { return index == none ? none : place[index]; };
  for (Arrow& arrow : arrows_) arrow = {place[arrow.send], place[arrow.to], arrow.is_push};
  std::erase_if(arrows_, [](const Arrow& arrow) { return arrow.send == none || arrow.to == none; });
  for (Message& message : messages_) {
    message.send = moved_to(message.send);
    message.receive = moved_to(message.receive);
  }
  std::vector<std::size_t> before(intervals_.size(), none);
  for (std::size_t i = 0; i < place.size() && i < before_.size(); ++i) {
    if (place[i] != none) before[place[i]] = moved_to(before_[i]);
  }
  before_ = std::move(before);
  for (std::size_t& last : last_computation_) last = moved_to(last);
}

void Timeline::thin_out(double now) {
  constexpr double pieces = 64;  // of what there is when it is full for the first time
  if (piece_s_ == 0) piece_s_ = (now - window_.from_s) / pieces;
  stride_ *= 2;
  std::vector<Interval> left;
  std::vector<std::size_t> place(intervals_.size(), none);
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    if (!is_in_kept_piece(intervals_[i].begin_s)) continue;
    place[i] = left.size();
    left.push_back(intervals_[i]);
  }
  move_to(place, std::move(left));
}

void Timeline::computed(std::size_t host, double begin, double end) {
  const std::size_t index = add(host, State::compute, begin, end);
  if (index == none) {
    // What is thrown away from now on is not shown: an earlier computation as long is not it.
    last_computation_[host] = none;
    discarded_parts_s_[host] = 0;
    return;
  }
  const auto [version, samples] = computing_[host];
  intervals_[index].batch = samples;
  intervals_[index].version = version;
  if (version && newest_version_ >= *version) {
    intervals_[index].staleness = static_cast<double>(newest_version_ - *version);
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
  // They are told of at the end, and do not make others go.
  if (intervals_.size() >= 2 * window_.most_intervals) return;
  intervals_.push_back({host, State::slowed, begin, end, false, factor});
  before_.push_back(none);
}

void Timeline::add_way(std::size_t from, std::size_t to, const std::vector<std::string>& links) {
  std::vector<std::size_t>& way = ways_[{from, to}];
  if (!kept_[from] || !kept_[to]) return;  // nothing on it is shown
  for (const std::string& link : links) {
    const auto found = std::ranges::find(links_, link);
    way.push_back(static_cast<std::size_t>(found - links_.begin()));
    if (found == links_.end()) links_.push_back(link);
  }
}

const std::vector<std::size_t>& Timeline::way(std::size_t from, std::size_t to) const {
  static const std::vector<std::size_t> unknown;
  const auto found = ways_.find({from, to});
  return found == ways_.end() ? unknown : found->second;
}

Timeline::MessageId Timeline::message_departs(std::size_t from, std::size_t to, double now,
                                              std::uint64_t bytes,
                                              std::optional<std::uint64_t> version) {
  // A server's message to a worker that is not shown is not shown either.
  if (!kept_[from] || !kept_[to] || now > window_.to_s || !is_in_kept_piece(now)) return 0;
  MessageId id = 0;
  if (unused_.empty()) {
    id = static_cast<MessageId>(messages_.size());
    messages_.emplace_back();
  } else {
    id = unused_.back();
    unused_.pop_back();
  }
  messages_[id] = {from, to, now, true, none, none, bytes, version};
  return id;
}

void Timeline::show(Message& message, double end) {
  message.under_way = false;
  const auto add_end = [&](std::size_t host, State state, std::size_t peer) {
    const std::size_t index = add(host, state, message.departed, end);
    if (index == none) return none;
    intervals_[index].peer = peer;
    intervals_[index].bytes = message.bytes;
    intervals_[index].version = message.version;
    return index;
  };
  // Known before the second is added, which may move the first.
  message.send = add_end(message.from, State::send, message.to);
  message.receive = add_end(message.to, State::receive, message.from);
  if (message.send == none || message.receive == none) return;
  const bool among_workers = message.from < workers_ && message.to < workers_;
  if (among_workers) arrows_.push_back({message.send, message.receive, false});
}

Timeline::MessageId Timeline::message_arrives(MessageId id, double now) {
  if (id == 0) return 0;
  show(messages_[id], now);
  if (messages_[id].send != none) return id;
  unused_.push_back(id);  // over before the window begins
  return 0;
}

void Timeline::was_stale(MessageId id, std::uint64_t staleness) {
  if (id == 0) return;
  for (const std::size_t index : {messages_[id].send, messages_[id].receive}) {
    if (index != none) intervals_[index].staleness = static_cast<double>(staleness);
  }
}

void Timeline::updated(std::size_t host, double begin, double end, std::span<const MessageId> used,
                       double staleness) {
  ++versions_[host];
  const std::size_t update = add(host, State::update, begin, end);
  if (update == none) return;
  intervals_[update].version = versions_[host];
  intervals_[update].staleness = staleness;
  for (const MessageId id : used) {
    if (id != 0 && messages_[id].send != none)
      arrows_.push_back({messages_[id].send, update, true});
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
  move_to(place, std::move(sorted));
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
  // A server deals with workers that are not shown, too: what looks like waiting need not be. Nor need
  // what lies in a piece that is left out.
  const bool all_workers = kept_workers_ == workers_;
  for (const Interval& gap : gaps) {
    if (gap.host >= workers_ && !all_workers) continue;
    if (piece_s_ == 0) {
      intervals_.push_back(gap);
      continue;
    }
    const double length = piece_s_ * static_cast<double>(stride_);
    for (double kept =
             window_.from_s + length * std::floor((gap.begin_s - window_.from_s) / length);
         kept < gap.end_s; kept += length) {
      Interval part = gap;
      part.begin_s = std::max(gap.begin_s, kept);
      part.end_s = std::min(gap.end_s, kept + piece_s_);
      if (part.begin_s < part.end_s) intervals_.push_back(part);
    }
  }
}

void Timeline::close(double end) {
  end_s_ = std::max(window_.from_s, std::min(end, window_.to_s));
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
  if (piece_s_ > 0) {
    text << " (1 of every " << stride_ << " pieces of " << piece_s_ << " s, as there are more than "
         << window_.most_intervals << " intervals; choose a smaller window to see all of it)";
  }
  return text.str();
}

}  // namespace motley
