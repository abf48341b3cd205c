#include "sim/results/target_watch.hpp"

#include <algorithm>
#include <cmath>

namespace motley {

void TargetWatch::update_finished(double now, std::uint64_t update) {
  if (!target_ || time_s_ || ++seen_ % stride_ != 0) return;
  if (since_.size() == most_kept) {
    // The second, fourth, ... stay: those that the doubled stride would have kept.
    for (std::size_t i = 0; 2 * i + 1 < since_.size(); ++i) since_[i] = since_[2 * i + 1];
    since_.resize(since_.size() / 2);
    stride_ *= 2;
    if (seen_ % stride_ != 0) return;
  }
  since_.push_back({update, now});
}

double TargetWatch::beyond(double value) const {
  return target_->accuracy ? value - *target_->accuracy : *target_->loss - value;
}

double TargetWatch::crossing(double now, std::uint64_t update, double value) const {
  if (!last_value_) return now;
  const double missing = -beyond(*last_value_);
  const double share = missing / (missing + beyond(value));
  const double number = std::ceil(static_cast<double>(last_update_) +
                                  share * static_cast<double>(update - last_update_));
  const auto first = std::find_if(since_.begin(), since_.end(), [number](const Update& kept) {
    return static_cast<double>(kept.number) >= number;
  });
  return first == since_.end() ? now : first->time_s;
}

std::optional<double> TargetWatch::met_by(double now, std::uint64_t update,
                                          const Evaluation& evaluation) {
  if (!target_ || time_s_ || met_at_s_) return std::nullopt;
  const std::optional<double>& value = target_->accuracy ? evaluation.accuracy : evaluation.loss;
  if (!value) return std::nullopt;
  std::optional<double> met_s;
  if (beyond(*value) >= 0) met_s = crossing(now, update, *value);
  last_value_ = value;
  last_update_ = update;
  since_.clear();
  seen_ = 0;
  stride_ = 1;
  return met_s;
}

void TargetWatch::evaluated(double now, std::uint64_t update, const Evaluation& evaluation) {
  if (const std::optional<double> met_s = met_by(now, update, evaluation)) time_s_ = met_s;
}

bool TargetWatch::mean_evaluated(double now, std::uint64_t update, const Evaluation& evaluation) {
  const std::optional<double> met_s = met_by(now, update, evaluation);
  if (met_s) met_at_s_ = std::max(*met_s, not_before_s_);
  return met_s.has_value();
}

void TargetWatch::averaged(double took_s) {
  time_s_ = *met_at_s_ + took_s;
  averaging_s_ = took_s;
}

void TargetWatch::average_lost(double now) {
  met_at_s_.reset();
  not_before_s_ = now;
  last_value_.reset();  // it was met before: there is nothing to interpolate from
}

}  // namespace motley
