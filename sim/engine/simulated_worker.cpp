#include "sim/engine/simulated_worker.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/engine/model/pushes.hpp"
#include "sim/engine/world.hpp"

namespace motley {

SimulatedWorker::SimulatedWorker(World& world, std::size_t rank)
    : world_(world),
      rank_(rank),
      mail_(world, rank),
      samples_(world.setup.partition, world.setup.order, world.setup.scenario.seed, rank,
               world.setup.augment),
      computation_(world, rank, mail_, samples_) {}

std::size_t SimulatedWorker::workers() const {
  return world_.workers();
}

double SimulatedWorker::clock() const {
  return world_.clock();
}

RandomStream& SimulatedWorker::random(const std::string& name) {
  return streams_.get(name, world_.setup.scenario.seed, static_cast<std::uint32_t>(rank_));
}

Model SimulatedWorker::initial_model() {
  if (world_.layout.has_server() && world_.replicas.was_new(rank_)) return pull();
  return world_.layout.initial();
}

// ---- Failures ----

bool SimulatedWorker::can_anybody_fail() const {
  return world_.failures.any();
}

bool SimulatedWorker::is_present(std::size_t rank) const {
  return !world_.failures.drops() || world_.failures.is_present(rank);
}

void SimulatedWorker::share_state(const SharedState& state) {
  everybody();
  Replicas::Groups rounds;
  for (const auto& [name, group] : groups_) {
    // Whoever begins with this state would not know of it.
    if (group->under_way() > 0) {
      throw std::logic_error("a worker shared its state before it had waited for a collective");
    }
    rounds.push_back(&group->rounds());
  }
  mail_.set_waits_for("the state of another worker");
  world_.replicas.share(rank_, rounds, state, world_.global_model.saved(world_.clock()));
  mail_.set_waits_for("nothing");
}

// ---- Samples ----

void SimulatedWorker::step(UpdateRule& rule, Model& x, const Parameters& g) {
  world_.step_memo.step(rule, x, g, world_.pool);
}

void SimulatedWorker::draw_from_share(std::span<const double> shares) {
  samples_.draw_from(world_.partitions.by(shares));
}

// ---- With the server ----

void SimulatedWorker::push(Gradient g, bool wants_model) {
  computation_.encode(mail_.encode_flops());
  const ShardVersions versions = std::move(g.shard_versions);
  mail_.push(push_of_gradient(std::move(g), data_samples(), wants_model), versions);
}

void SimulatedWorker::push_exactly(Gradient g, bool wants_model) {
  const ShardVersions versions = std::move(g.shard_versions);
  mail_.push(push_of_gradient(std::move(g), data_samples(), wants_model), versions, true);
}

void SimulatedWorker::push(const char* kind, Parameters vector, const Trained& y,
                           std::vector<Parameters> more, bool wants_model) {
  mail_.push(
      push_of_trained(kind, std::move(vector), y, std::move(more), data_samples(), wants_model),
      y.shard_versions);
}

void SimulatedWorker::push_model(const Trained& y, std::vector<Parameters> more, bool wants_model) {
  push("model", y, y, std::move(more), wants_model);
}

void SimulatedWorker::push_update(Parameters difference, const Trained& y,
                                  std::vector<Parameters> more, bool wants_model) {
  push("update", std::move(difference), y, std::move(more), wants_model);
}

void SimulatedWorker::request_model() {
  mail_.push(push_of_request(), nullptr);
}

void SimulatedWorker::tell(double number) {
  mail_.push(push_of_number(number), nullptr);
}

Model SimulatedWorker::pull_newest() {
  Model x = mail_.pull();
  while (mail_.has_model()) x = mail_.pull();
  return x;
}

std::optional<Model> SimulatedWorker::newer_model() {
  if (!mail_.has_model()) return std::nullopt;
  return pull_newest();
}

void SimulatedWorker::answer_with_gradient(std::size_t n) {
  if (world_.layout.layers_travel_alone()) {
    computation_.gradient_by_layers(n, {.waits = false},
                                    [](const Model* part, std::size_t) { return *part; });
  } else {
    push(*computation_.gradient(pull(), n, {}), true);
  }
}

Gradient SimulatedWorker::gradient_ahead(std::size_t n, Ahead& how, const TakenAt& at) {
  if (world_.layout.layers_travel_alone()) return computation_.gradient_by_layers(n, how, at);
  return Worker::gradient_ahead(n, how, at);
}

Gradient SimulatedWorker::averaged_gradient(const Model& x, std::size_t n, double weight) {
  if (world_.layout.gradient_buckets().size() > 1) return averaged_by_buckets(x, n, weight);
  Gradient g = *computation_.gradient(x, n, {});
  everybody();
  everybody_->all_reduce_mean(g, weight, {});
  computation_.fetch_ahead();  // the next gradient is not far
  return g;
}

Gradient SimulatedWorker::averaged_by_buckets(const Model& x, std::size_t n, double weight) {
  const std::vector<GradientBucket>& buckets = world_.layout.gradient_buckets();
  everybody();
  const auto average = everybody_->start_bucketed_mean(buckets, weight);
  Gradient g = computation_.gradient_by_buckets(
      x, n, buckets, [&average](const Parameters& whole) { average->add(whole); });
  static_cast<Parameters&>(g) = average->wait();
  return g;
}

// ---- With other workers ----

Group& SimulatedWorker::group(const std::string& name, const std::vector<std::size_t>& ranks,
                              const std::string& collective) {
  SimulatedGroup*& mine = groups_[name];
  GroupState& state = world_.groups.group(name, ranks, collective);
  if (mine == nullptr) {
    const auto found = std::find(ranks.begin(), ranks.end(), rank_);
    if (found == ranks.end()) {
      throw std::logic_error("worker " + std::to_string(rank_) + " is not in its group '" + name +
                             "'");
    }
    const auto member = static_cast<std::size_t>(found - ranks.begin());
    other_groups_.push_back(
        std::make_unique<SimulatedGroup>(*this, world_, mail_, state, name, member));
    mine = other_groups_.back().get();
  }
  return *mine;
}

Group& SimulatedWorker::everybody() {
  if (everybody_ == nullptr) {
    const std::string name = Groups::everybody_name;
    GroupState& state = world_.groups.everybody(workers());
    SimulatedGroup*& mine = groups_[name];
    if (mine == nullptr) mine = &group_of_all_.emplace(*this, world_, mail_, state, name, rank_);
    everybody_ = mine;
  }
  return *everybody_;
}

// ---- The global model ----

void SimulatedWorker::finish_update(Model& x) {
  if (Timeline* timeline = world_.recorder.timeline()) {
    timeline->updated(rank_, clock(), clock(), {});
  }
  world_.updates.finish(x);
}

void SimulatedWorker::finish_own_update(const Model& x, std::uint64_t steps) {
  world_.updates.finish_own(rank_, x, steps);
}

void SimulatedWorker::record_decision(const char* quantity, double value) {
  world_.recorder.decided(clock(), rank_, quantity, value);
}

}  // namespace motley
