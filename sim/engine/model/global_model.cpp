#include "sim/engine/model/global_model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace motley {

GlobalModel::GlobalModel(const Model& initial, Evaluator& evaluator, Recorder& recorder,
                         ThreadPool& pool, bool is_real, std::size_t workers,
                         std::function<void(double now)> evaluated)
    : evaluator_(evaluator),
      recorder_(recorder),
      pool_(pool),
      is_real_(is_real),
      workers_(workers),
      evaluated_(std::move(evaluated)),
      global_(initial) {}

void GlobalModel::evaluate(double now) {
  const auto start = std::chrono::steady_clock::now();
  Evaluation evaluation;
  if (is_real_) {
    const Parameters model = current();
    evaluation = evaluator_.evaluate(model);
    evaluation.consensus = consensus(model);
  }
  const bool is_to_be_averaged = recorder_.evaluated(now, evaluation, kind());
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  evaluation_wall_s_ += passed.count();
  if (is_to_be_averaged && average_) average_(with_own());
  evaluated_(now);
}

void GlobalModel::update(double now, Model& x) {
  // A merge of the workers' own models is always evaluated: between merges there is no global model
  // that could reach a target. What was due at this very moment shows the real merge, too.
  const bool merges = !own_models_.empty();
  const bool due = recorder_.update_finished(now, EvaluatedModel::real) || merge_due_ || merges;
  merge_due_.reset();
  if (is_saved_) checkpoint_.pass(now, global_, recorder_.updates() - 1);
  x.version = recorder_.updates();
  global_ = x;
  own_models_.clear();
  if (due) evaluate(now);
}

void GlobalModel::update_shard(double now, ShardModel& shard, Model& x) {
  x.version = ++shard.updates;
  x.shard_versions = nullptr;
  shard.model = x;
  if (Timeline* timeline = recorder_.timeline()) {
    const auto fewer = [](const ShardModel* a, const ShardModel* b) {
      return a->updates < b->updates;
    };
    timeline->newest_version_is((*std::ranges::min_element(shards_, fewer))->updates);
  }
  if (shards_.size() == 1) {
    update(now, x);
    return;
  }
  const bool whole = std::ranges::all_of(
      shards_, [&](const ShardModel* other) { return other->updates > recorder_.updates(); });
  if (whole && recorder_.update_finished(now, EvaluatedModel::real)) evaluate(now);
}

void GlobalModel::update_own(double now, std::size_t rank, const Model& x, std::uint64_t steps) {
  if (own_models_.empty()) {
    own_models_.assign(workers_, global_);
    own_steps_.assign(workers_, 0);
  }
  if (!own_is_lost_.empty()) own_is_lost_[rank] = false;
  own_models_[rank] = x;
  own_steps_[rank] = steps;
  if (recorder_.update_finished(now, kind())) merge_due_ = now;
}

void GlobalModel::evaluate_merge_before(double now) {
  if (!merge_due_ || *merge_due_ >= now) return;
  const double due = *merge_due_;
  merge_due_.reset();
  evaluate(due);
}

const Model& GlobalModel::saved(double now) {
  checkpoint_.pass(now, global_, recorder_.updates());
  return checkpoint_.saved();
}

void GlobalModel::fall_back(const ShardModel& shard) {
  if (shards_.size() == 1) global_ = shard.model;
}

void GlobalModel::lose_own(std::size_t rank) {
  own_is_lost_.resize(workers_, false);
  own_is_lost_[rank] = true;
}

std::vector<double> GlobalModel::weights_of_own() const {
  std::vector<double> weights = algorithm_->merge_weights(own_steps_);
  if (std::ranges::find(own_is_lost_, true) == own_is_lost_.end()) return weights;
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += own_is_lost_[i] ? 0 : weights[i];
  if (sum == 0) return weights;  // nobody is there: what was last
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= own_is_lost_[i] ? 0 : 1 / sum;
  return weights;
}

std::optional<double> GlobalModel::consensus(const Parameters& mean) const {
  if (own_models_.empty() || algorithm_->merges_own_models()) return std::nullopt;
  const std::vector<double> weights = weights_of_own();
  double sum = 0;
  for (std::size_t rank = 0; rank < own_models_.size(); ++rank) {
    double square = 0;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const double apart = static_cast<double>(own_models_[rank].values()[i]) - mean.values()[i];
      square += apart * apart;
    }
    sum += weights[rank] * square;
  }
  return std::sqrt(sum);
}

EvaluatedModel GlobalModel::kind() const {
  if (own_models_.empty()) return EvaluatedModel::real;
  if (algorithm_->merges_own_models()) return EvaluatedModel::oracle;
  return workers_ > 1 ? EvaluatedModel::mean : EvaluatedModel::real;
}

std::vector<std::size_t> GlobalModel::with_own() const {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < workers_; ++rank) {
    if (own_is_lost_.empty() || !own_is_lost_[rank]) ranks.push_back(rank);
  }
  return ranks;
}

Parameters GlobalModel::current() const {
  if (!own_models_.empty()) {
    std::vector<const Parameters*> models;
    std::vector<float> weights;
    for (const Parameters& model : own_models_) models.push_back(&model);
    for (const double weight : weights_of_own()) weights.push_back(static_cast<float>(weight));
    return weighted_sum(models, weights, pool_);
  }
  if (shards_.size() == 1 || !algorithm_->needs_server()) return global_;
  Parameters whole(global_.size());
  const std::span<float> values = whole.overwritable();
  for (const ShardModel* shard : shards_) {
    std::ranges::copy(shard->model.values(),
                      values.begin() + static_cast<std::ptrdiff_t>(shard->shard.begin));
  }
  return whole;
}

}  // namespace motley
