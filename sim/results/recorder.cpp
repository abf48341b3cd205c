#include "sim/results/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "sim/base/json.hpp"

namespace motley {

Recorder::Recorder(const Scenario& scenario, const ClusterPlan& cluster,
                   std::size_t samples_per_epoch)
    : stop_(scenario.stop),
      target_(scenario.target),
      samples_per_epoch_(samples_per_epoch),
      workers_(cluster.workers.size()) {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i].share_histogram(&staleness_[cluster.workers[i].class_name]);
  }
  const Json& every = scenario.evaluate.every;
  if (every.is_number()) {
    evaluate_every_ = every.get<std::uint64_t>();
  } else if (every.get<std::string>() == "auto") {
    evaluations_per_run_ = EvaluateSpec::automatic_points;
  } else {
    evaluate_every_s_ = parse_quantity(every, Dimension::time, {});
  }
}

void Recorder::keep_timeline(const TraceWindow& window, const ClusterPlan& cluster) {
  std::vector<std::string> hosts;
  for (const HostPlan& worker : cluster.workers) hosts.push_back(worker.name);
  for (const HostPlan& server : cluster.servers) hosts.push_back(server.name);
  timeline_ = std::make_unique<Timeline>(window, std::move(hosts), workers_.size());
  for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i].show_on(*timeline_, i);
}

double Recorder::progress(double now) const {
  double share = 0;
  if (stop_.time_s) share = std::max(share, now / *stop_.time_s);
  if (stop_.updates) {
    share = std::max(share, static_cast<double>(updates_) / static_cast<double>(*stop_.updates));
  }
  const auto samples = static_cast<double>(samples_);
  if (stop_.samples) share = std::max(share, samples / static_cast<double>(*stop_.samples));
  if (stop_.epochs) {
    share = std::max(share, samples / (*stop_.epochs * static_cast<double>(samples_per_epoch_)));
  }
  return std::min(share, 1.0);
}

void Recorder::diverge(const std::string& why) {
  if (status_ == Status::diverged) return;  // the first reason stays; finished does not
  status_ = Status::diverged;
  reason_ = why;
}

void Recorder::gradient_computed(std::size_t rank, std::uint64_t samples,
                                 std::optional<double> loss) {
  workers_[rank].count_gradient(samples);
  ++gradients_;
  samples_ += samples;
  if (!loss) return;
  if (!std::isfinite(*loss)) {
    diverge("the loss of a mini-batch is not finite after " + std::to_string(updates_) +
            " updates: try a smaller step_size");
    return;
  }
  loss_sum_ += *loss;
  ++loss_count_;
}

void Recorder::decided(double now, std::size_t rank, const std::string& quantity, double value) {
  decisions_.push_back({now, rank, quantity, value});
}

bool Recorder::is_due(double now) {
  double intervals = 0;
  if (evaluate_every_s_)
    intervals = std::floor(now / *evaluate_every_s_);
  else if (evaluate_every_)
    intervals = static_cast<double>(updates_ / *evaluate_every_);
  else
    intervals = std::floor(progress(now) * evaluations_per_run_);
  if (intervals <= due_) return false;
  due_ = intervals;
  return true;
}

bool Recorder::update_finished(double now) {
  ++updates_;
  const bool due = is_due(now);
  check_stop(now);
  return due;
}

void Recorder::check_stop(double now) {
  if (!stopped() && progress(now) >= 1) status_ = Status::finished;
}

bool Recorder::reached(const Evaluation& evaluation) const {
  if (!target_) return false;
  if (target_->accuracy) return evaluation.accuracy && *evaluation.accuracy >= *target_->accuracy;
  return evaluation.loss && *evaluation.loss <= *target_->loss;
}

void Recorder::evaluated(double now, const Evaluation& evaluation) {
  if (evaluation.loss && !std::isfinite(*evaluation.loss)) {
    diverge("the test loss is not finite after " + std::to_string(updates_) +
            " updates: try a smaller step_size");
    return;
  }
  CurvePoint point;
  point.time_s = now;
  point.updates = updates_;
  point.samples = samples_;
  point.epochs = static_cast<double>(samples_) / static_cast<double>(samples_per_epoch_);
  point.bytes = bytes_;
  if (loss_count_ > 0) point.train_loss = loss_sum_ / static_cast<double>(loss_count_);
  point.test_loss = evaluation.loss;
  point.test_accuracy = evaluation.accuracy;
  curve_.push_back(point);
  loss_sum_ = 0;
  loss_count_ = 0;
  if (evaluation.loss && *evaluation.loss > stop_.diverged_above * *curve_.front().test_loss) {
    std::ostringstream limit;
    limit << stop_.diverged_above;
    diverge("the test loss is more than " + limit.str() + " times the initial one after " +
            std::to_string(updates_) + " updates: try a smaller step_size");
    return;
  }
  if (!time_to_target_s_ && reached(evaluation)) {
    time_to_target_s_ = now;
    if (stop_.at_target && !stopped()) status_ = Status::finished;
  }
}

void Recorder::close(double now) {
  for (WorkerAccount& worker : workers_) worker.close(now);
  if (timeline_) timeline_->close(now);
  if (curve_.empty() || has_unevaluated_update() || curve_.back().time_s >= now) return;
  CurvePoint last = curve_.back();
  last.time_s = now;
  last.samples = samples_;
  last.epochs = static_cast<double>(samples_) / static_cast<double>(samples_per_epoch_);
  last.bytes = bytes_;
  if (loss_count_ > 0) last.train_loss = loss_sum_ / static_cast<double>(loss_count_);
  curve_.push_back(last);
}

void Recorder::write_to(RunResult& result, double virtual_s) const {
  result.time_budget_s = stop_.time_s;
  result.virtual_s = virtual_s;
  result.updates = updates_;
  result.gradients = gradients_;
  result.samples = samples_;
  result.epochs = static_cast<double>(samples_) / static_cast<double>(samples_per_epoch_);
  result.bytes = bytes_;
  result.curve = curve_;
  result.decisions = decisions_;
  std::stable_sort(result.decisions.begin(), result.decisions.end(),
                   [](const Decision& a, const Decision& b) {
                     return a.time_s != b.time_s ? a.time_s < b.time_s : a.rank < b.rank;
                   });
  result.time_to_target_s = time_to_target_s_;
  if (status_ == Status::diverged) {
    result.status = "diverged";
    result.reason = reason_;
  } else if (!curve_.empty()) {
    for (const CurvePoint& point : curve_) {
      if (point.test_accuracy) {
        result.best_test_accuracy =
            std::max(result.best_test_accuracy.value_or(0), *point.test_accuracy);
      }
    }
    result.final_test_accuracy = curve_.back().test_accuracy;
    result.final_test_loss = curve_.back().test_loss;
  }
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const WorkerAccount& account = workers_[i];
    WorkerResult& worker = result.workers[i];
    worker.compute_s = account.compute_s();
    worker.transfer_s = account.transfer_s();
    worker.wait_s = account.wait_s();
    worker.discarded_s = account.discarded_s();
    worker.gradients = account.gradients();
    worker.samples = account.samples();
    worker.max_staleness = account.staleness_max();
    if (account.staleness_count() > 0) {
      worker.mean_staleness = static_cast<double>(account.staleness_sum()) /
                              static_cast<double>(account.staleness_count());
    }
    count += account.staleness_count();
    sum += account.staleness_sum();
    result.max_staleness = std::max(result.max_staleness, account.staleness_max());
  }
  for (const auto& [class_name, histogram] : staleness_) {
    const std::map<std::uint64_t, std::uint64_t> sorted(histogram.begin(), histogram.end());
    for (const auto& [staleness, times] : sorted) {
      result.staleness.push_back({class_name, staleness, times});
    }
  }
  if (count > 0) result.mean_staleness = static_cast<double>(sum) / static_cast<double>(count);
}

}  // namespace motley
