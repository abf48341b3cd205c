#include "sim/scenario/speed_curve.hpp"

#include <algorithm>
#include <limits>

namespace motley {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

SpeedCurve::SpeedCurve(const SpeedPlan& plan, std::uint64_t seed)
    : plan_(plan),
      random_(seed, slowdown_stream, static_cast<std::uint32_t>(plan.rank)),
      pieces_{{0, 1}} {
  advance_listed();
  advance_slowdowns();
  advance_trace();
  extend();
}

void SpeedCurve::advance_listed() {
  listed_.next = next_listed_ < plan_.listed.size() ? plan_.listed[next_listed_++]
                                                    : FactorStep{never, listed_.factor};
}

void SpeedCurve::advance_slowdowns() {
  if (!plan_.slowdowns) {
    slowdowns_.next = {never, 1};
    return;
  }
  const SlowdownSpec& spec = *plan_.slowdowns;
  const double since = slowdowns_.next.time_s;
  if (slow_) {
    slowdowns_.next = {since + spec.lasting.draw(random_), 1};
  } else {
    const double begin = since + spec.after.draw(random_);
    slowdowns_.next = {begin, 1 / spec.slower.draw(random_)};
  }
  slow_ = !slow_;
}

void SpeedCurve::advance_trace() {
  const TracePlan& trace = plan_.trace;
  if (next_traced_ == trace.steps.size() && trace.repeat_s) {
    next_traced_ = 0;
    trace_begin_s_ += *trace.repeat_s;
  }
  if (next_traced_ == trace.steps.size()) {
    trace_.next = {never, 1};
    return;
  }
  const FactorStep& step = trace.steps[next_traced_++];
  trace_.next = {trace_begin_s_ + step.time_s, step.factor};
}

void SpeedCurve::extend() {
  const double begin = std::min({listed_.next.time_s, slowdowns_.next.time_s, trace_.next.time_s});
  if (begin == never) {
    complete_ = true;
    return;
  }
  const auto take = [begin](Source& source) {
    if (source.next.time_s != begin) return false;
    source.factor = source.next.factor;
    return true;
  };
  while (take(listed_)) advance_listed();
  while (take(slowdowns_)) advance_slowdowns();
  while (take(trace_)) advance_trace();
  const double factor = listed_.factor * slowdowns_.factor * trace_.factor;
  if (begin == pieces_.back().begin_s)
    pieces_.back().factor = factor;
  else
    pieces_.push_back({begin, factor});
}

double SpeedCurve::piece_end(std::size_t piece) {
  while (piece + 1 >= pieces_.size() && !complete_) extend();
  if (piece + 1 >= pieces_.size()) return never;
  return pieces_[piece + 1].begin_s;
}

void SpeedCurve::forget_before(double now) {
  while (piece_end(0) <= now) pieces_.pop_front();
}

double SpeedCurve::at(double now) {
  forget_before(now);
  return pieces_.front().factor;
}

double SpeedCurve::next_change(double now) {
  forget_before(now);
  return piece_end(0);
}

double SpeedCurve::end_of(double now, double work_s) {
  forget_before(now);
  double left_s = work_s;
  for (std::size_t piece = 0;; ++piece) {
    const double end = piece_end(piece);
    const double factor = pieces_[piece].factor;
    const double done_s = factor * (end - now);
    if (left_s <= done_s) return now + left_s / factor;
    left_s -= done_s;
    now = end;
  }
}

double SpeedCurve::mean_until(double end) {
  double sum = 0;
  for (double now = 0; now < end;) {
    const double factor = at(now);
    const double next = std::min(end, next_change(now));
    sum += factor * (next - now);
    now = next;
  }
  return end > 0 ? sum / end : at(0);
}

}  // namespace motley
