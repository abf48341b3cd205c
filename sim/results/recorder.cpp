#include "sim/results/recorder.hpp"

#include <algorithm>
#include <map>

namespace motley {

Recorder::Recorder(const Scenario& scenario, const ClusterPlan& cluster,
                   std::size_t samples_per_epoch)
    : stop_(scenario.stop, samples_per_epoch),
      schedule_(scenario.evaluate.every),
      target_(scenario.target),
      samples_per_epoch_(samples_per_epoch),
      workers_(cluster.workers.size()),
      expenses_(cluster) {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i].share_histogram(&staleness_[cluster.workers[i].class_name]);
  }
}

void Recorder::keep_timeline(const TraceWindow& window, const ClusterPlan& cluster) {
  std::vector<std::string> hosts;
  for (const HostPlan& worker : cluster.workers) hosts.push_back(worker.name);
  for (const HostPlan& server : cluster.servers) hosts.push_back(server.name);
  timeline_ = std::make_unique<Timeline>(window, std::move(hosts), workers_.size());
  for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i].show_on(*timeline_, i);
}

void Recorder::gradient_computed(std::size_t rank, std::uint64_t samples,
                                 std::optional<double> loss) {
  workers_[rank].count_gradient(samples);
  ++gradients_;
  samples_ += samples;
  if (!loss) return;
  if (!stop_.check_finite(*loss, "the loss of a mini-batch", updates_)) return;
  loss_sum_ += *loss;
  ++loss_count_;
}

void Recorder::decided(double now, std::size_t rank, const std::string& quantity, double value) {
  decisions_.push_back({now, rank, quantity, value});
}

bool Recorder::update_finished(double now, EvaluatedModel kind) {
  ++updates_;
  const bool due = schedule_.is_due(now, updates_, progress(now));
  if (kind != EvaluatedModel::oracle) target_.update_finished(now, updates_);
  stop_.check_budget(now, updates_, samples_);
  return due;
}

bool Recorder::evaluated(double now, const Evaluation& evaluation, EvaluatedModel kind) {
  if (evaluation.loss && !stop_.check_finite(*evaluation.loss, "the test loss", updates_)) {
    return false;
  }
  CurvePoint point;
  point.time_s = now;
  point.updates = updates_;
  point.samples = samples_;
  point.epochs = epochs();
  point.bytes = bytes_;
  if (loss_count_ > 0) point.train_loss = loss_sum_ / static_cast<double>(loss_count_);
  point.test_loss = evaluation.loss;
  point.test_accuracy = evaluation.accuracy;
  point.consensus = evaluation.consensus;
  // A mean is what its algorithm is about: it is drawn and counted as the others' models are.
  point.kind = kind == EvaluatedModel::mean ? EvaluatedModel::real : kind;
  note_spent(point);
  curve_.push_back(point);
  loss_sum_ = 0;
  loss_count_ = 0;
  if (evaluation.loss && !stop_.check_growth(*evaluation.loss, updates_)) return false;
  if (kind == EvaluatedModel::oracle) return false;
  if (kind == EvaluatedModel::mean) return target_.mean_evaluated(now, updates_, evaluation);
  target_.evaluated(now, updates_, evaluation);
  if (target_.time_s()) stop_.target_reached();
  return false;
}

void Recorder::target_averaged(double took_s) {
  target_.averaged(took_s);
  stop_.target_reached();
}

void Recorder::note_spent(CurvePoint& point) const {
  if (!expenses_.any()) return;
  const Spent spent = expenses_.spent(point.time_s, workers_);
  point.energy_J = spent.energy_J;
  point.cost = spent.cost;
}

void Recorder::close(double now) {
  for (WorkerAccount& worker : workers_) worker.close(now);
  if (timeline_) timeline_->close(now);
  if (curve_.empty() || has_unevaluated_update() || curve_.back().time_s >= now) return;
  CurvePoint last = curve_.back();
  last.time_s = now;
  last.samples = samples_;
  last.epochs = epochs();
  last.bytes = bytes_;
  note_spent(last);
  if (loss_count_ > 0) last.train_loss = loss_sum_ / static_cast<double>(loss_count_);
  curve_.push_back(last);
}

std::set<std::size_t> Recorder::decided_about() const {
  std::set<std::size_t> ranks;
  for (const Decision& decision : decisions_) ranks.insert(decision.rank);
  return ranks;
}

void Recorder::write_to(RunResult& result, double virtual_s,
                        std::span<const std::size_t> listed) const {
  result.time_budget_s = stop_.time_budget_s();
  result.virtual_s = virtual_s;
  result.updates = updates_;
  result.gradients = gradients_;
  result.samples = samples_;
  result.epochs = epochs();
  result.bytes = bytes_;
  result.curve = curve_;
  const Spent spent = expenses_.any() ? expenses_.spent(virtual_s, workers_) : Spent{};
  result.energy_J = spent.energy_J;
  result.cost = spent.cost;
  result.lost_updates = lost_updates_;
  result.decisions = decisions_;
  std::stable_sort(result.decisions.begin(), result.decisions.end(),
                   [](const Decision& a, const Decision& b) {
                     return a.time_s != b.time_s ? a.time_s < b.time_s : a.rank < b.rank;
                   });
  for (Decision& decision : result.decisions) {
    const auto place = std::ranges::lower_bound(listed, decision.rank);
    decision.rank = static_cast<std::size_t>(place - listed.begin());
  }
  result.time_to_target_s = target_.time_s();
  result.averaging_s = target_.averaging_s();
  if (stop_.status() == StopRule::Status::diverged) {
    result.status = RunStatus::diverged;
    result.reason = stop_.reason();
  } else if (!curve_.empty()) {
    for (const CurvePoint& point : curve_) {
      if (point.kind == EvaluatedModel::oracle) continue;  // such a model does not exist
      if (point.test_accuracy) {
        result.best_test_accuracy =
            std::max(result.best_test_accuracy.value_or(0), *point.test_accuracy);
      }
      result.final_test_accuracy = point.test_accuracy;
      result.final_test_loss = point.test_loss;
    }
  }
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const WorkerAccount& account = workers_[listed[i]];
    WorkerResult& worker = result.workers[i];
    worker.compute_s = account.compute_s();
    worker.transfer_s = account.transfer_s();
    worker.wait_s = account.wait_s();
    worker.discarded_s = account.discarded_s();
    worker.down_s = account.down_s();
    worker.lost_s = account.lost_s();
    worker.failures = account.failures();
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
