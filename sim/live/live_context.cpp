#include "sim/live/live_context.hpp"

#include <cmath>
#include <limits>

#include "sim/engine/model/modelled_layers.hpp"
#include "sim/engine/model/whole_model.hpp"

namespace motley {

LiveContext::LiveContext(const SimulationSetup& setup, const Algorithm& algorithm, Post& post,
                         bool emulate)
    : setup_(setup),
      algorithm_(algorithm),
      post_(post),
      emulate_(emulate),
      partitions_(setup.problem.train_size(), setup.scenario.seed),
      exchange_(algorithm.exchange()),
      initial_(initial_model_of(setup)),
      layers_(modelled_layers(setup.scenario.cost, setup.problem, setup.flops_per_sample)),
      stop_(setup.scenario.stop, setup.problem.train_size()),
      schedule_(setup.scenario.evaluate.every) {
  if (exchange_.bucket_bytes) {
    gradient_buckets_ =
        motley::gradient_buckets(layers_, setup.message_bytes, *exchange_.bucket_bytes);
  }
  const bool is_split = algorithm.needs_server();
  static const ClusterPlan nowhere;
  shards_ = split_model(is_split ? exchange_ : ExchangeSpec{}, layers_, initial_.size(),
                        is_split ? setup_.cluster : nowhere, setup_.message_bytes,
                        setup_.scenario.cost.flops_per_update, {});
}

std::optional<std::size_t> LiveContext::shard_of(std::size_t rank) const {
  for (std::size_t shard = 0; algorithm_.needs_server() && shard < shards_.size(); ++shard) {
    if (node_of(shards_[shard]) == rank) return shard;
  }
  return std::nullopt;
}

// ---- What is recorded ----

void LiveContext::note(LogEntry entry) {
  log().entries.push_back(std::move(entry));
}

bool LiveContext::is_due(std::uint64_t updates, std::uint64_t samples) {
  const double now = clock();
  return schedule_.is_due(now, updates, stop_.progress(now, updates, samples));
}

void LiveContext::update_finished(const Parameters& x, Made made) {
  post_.throw_if_over();  // one that is finished after the end does not count
  ++updates_;
  LogEntry entry;
  entry.kind = LogEntry::Kind::update;
  entry.time_s = clock();
  entry.begin_s = made.begin_s;
  entry.value = made.staleness;
  entry.used = std::move(made.used);
  // A merge of the workers' own models is always evaluated, as in a simulation.
  if (is_due(updates_, made.samples) || has_own_updates_) entry.model = log().keep(x);
  has_own_updates_ = false;
  last_model_ = x;
  last_update_ = log().entries.size();
  note(std::move(entry));
  const std::optional<std::uint64_t>& most = setup_.scenario.stop.updates;
  if (most && updates_ >= *most && shards_.size() == 1) {
    post_.end({Ending::How::finished, ""});
  }
  post_.throw_if_over();
}

void LiveContext::own_update_finished(const Parameters& x, std::uint64_t steps) {
  post_.throw_if_over();
  ++updates_;
  has_own_updates_ = true;
  LogEntry entry;
  entry.kind = LogEntry::Kind::own_update;
  entry.time_s = clock();
  entry.count = steps;
  // As if everybody made as many.
  if (is_due(updates_ * workers(), samples_ * workers())) entry.model = log().keep(x);
  last_model_ = x;
  last_update_ = log().entries.size();
  note(std::move(entry));
  post_.throw_if_over();
}

void LiveContext::gradient_computed(std::uint64_t samples, std::optional<double> loss) {
  samples_ += samples;
  LogEntry entry;
  entry.kind = LogEntry::Kind::gradient;
  entry.time_s = clock();
  entry.count = samples;
  entry.value = loss.value_or(std::numeric_limits<double>::quiet_NaN());
  entry.number = loss ? 1 : 0;
  note(std::move(entry));
  if (loss && !std::isfinite(*loss)) post_.end({Ending::How::finished, ""});  // see replay()
}

void LiveContext::keep_last_model() {
  if (!last_update_ || log().entries[*last_update_].model) return;
  log().entries[*last_update_].model = log().keep(last_model_);
}

}  // namespace motley
