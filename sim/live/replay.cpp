#include "sim/live/replay.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "sim/engine/model/global_model.hpp"
#include "sim/engine/model/model_split.hpp"
#include "sim/engine/model/modelled_layers.hpp"
#include "sim/live/measured_links.hpp"

namespace motley {
namespace {

/// A note as it is told: an arrival is two, since the message has departed before.
struct Told {
  double time_s = 0;
  bool departs = false;
  std::size_t rank = 0;
  std::size_t index = 0;

  friend bool operator<(const Told& a, const Told& b) {
    if (a.time_s != b.time_s) return a.time_s < b.time_s;
    if (a.departs != b.departs) return a.departs;
    return a.rank != b.rank ? a.rank < b.rank : a.index < b.index;
  }
};

std::vector<Told> in_order(const std::vector<RunLog>& logs) {
  std::vector<Told> all;
  for (std::size_t rank = 0; rank < logs.size(); ++rank) {
    for (std::size_t i = 0; i < logs[rank].entries.size(); ++i) {
      const LogEntry& entry = logs[rank].entries[i];
      all.push_back({std::max(0.0, entry.time_s), false, rank, i});
      if (entry.kind == LogEntry::Kind::arrival) {
        all.push_back({std::max(0.0, entry.begin_s), true, rank, i});
      }
    }
  }
  std::ranges::sort(all, [](const Told& a, const Told& b) { return a < b; });
  return all;
}

/// Evaluations are where models were kept, not where the recorder would have them. What all ranks have done together
/// ends a run a moment after it was enough: all of it counts, since the last models are those of that moment.
Scenario as_it_was(Scenario scenario, bool ends_at_an_update) {
  scenario.evaluate.every = {};
  scenario.evaluate.every.updates = std::numeric_limits<std::uint64_t>::max();
  scenario.stop.samples.reset();
  scenario.stop.epochs.reset();
  if (!ends_at_an_update) scenario.stop.updates.reset();
  return scenario;
}

/// Whether whoever makes updates of the global model has all of it, and so ends the run at one of them.
bool has_one_model(const SimulationSetup& setup, const Algorithm& algorithm,
                   const std::vector<RunLog>& logs) {
  if (algorithm.needs_server() && setup.cluster.servers.size() > 1) return false;
  return std::ranges::none_of(logs, [](const RunLog& log) {
    return std::ranges::any_of(log.entries, [](const LogEntry& entry) {
      return entry.kind == LogEntry::Kind::own_update;
    });
  });
}

class Replay {
 public:
  Replay(const SimulationSetup& setup, const Algorithm& algorithm, const std::vector<RunLog>& logs)
      : setup_(setup),
        algorithm_(algorithm),
        logs_(logs),
        scenario_(as_it_was(setup.scenario, has_one_model(setup, algorithm, logs))),
        recorder_(scenario_, setup.cluster, setup.problem.train_size()),
        pool_(setup.threads),
        evaluator_(setup.problem, pool_),
        initial_(initial_model()),
        global_(initial_, evaluator_, recorder_, pool_, setup.problem.is_real(),
                setup.cluster.workers.size(), [this](double now) { tell_progress(now); }),
        links_(setup.cluster),
        own_(setup.cluster.workers.size()) {
    worker_points_.kept.resize(setup.cluster.workers.size(), 0);
    if (setup.trace) recorder_.keep_timeline(*setup.trace, setup.cluster);
    if (!algorithm.needs_server()) recorder_.expenses().leave_out_servers();
    MeasuredLinks::add_idle_powers(setup.cluster, recorder_.expenses());
    make_shards();
    shard_points_.kept.resize(shards_.size(), 0);
    global_.begin(algorithm, shards_);
    for (const RunLog& log : logs) averaging_s_ = std::max(averaging_s_, log.averaging_s);
    global_.average_by([this](const std::vector<std::size_t>&) { averages_ = true; });
  }

  RunResult result(const Ending& ending, double end_s) {
    global_.evaluate(0);
    end_s_ = end_s;
    for (const Told& told : in_order(logs_)) {
      if (told.time_s > end_s) break;
      if (is_averaged_by(told.time_s)) recorder_.target_averaged(averaging_s_);
      if (!recorder_.stop().stopped()) tell(told);
      if (std::exchange(averages_, false)) averaged_at_s_ = told.time_s + averaging_s_;
      if (!recorder_.stop().stopped() && left_ < setup_.cluster.workers.size()) continue;
      end_s_ = told.time_s;
      break;
    }
    if (!recorder_.stop().stopped() && is_averaged_by(end_s_))
      recorder_.target_averaged(averaging_s_);
    // Where a rank was killed, its last model went with it, and an earlier one is not what the run had come to.
    const bool is_known = ending.is_normal() || lost_models_.empty();
    if (recorder_.has_unevaluated_update() && is_known) global_.evaluate(end_s_);
    return write(ending);
  }
  Timeline* timeline() { return recorder_.timeline(); }

 private:
  /// Once: whether the mean that met the target had been averaged by then.
  bool is_averaged_by(double now) {
    if (!averaged_at_s_ || *averaged_at_s_ > now) return false;
    averaged_at_s_.reset();
    return true;
  }

  Model initial_model() const {
    Model x;
    Parameters values(setup_.problem.dimension());
    setup_.problem.initial_model(setup_.scenario.seed, values.overwritable());
    static_cast<Parameters&>(x) = std::move(values);
    return x;
  }

  void make_shards() {
    const bool is_split = algorithm_.needs_server();
    static const ClusterPlan nowhere;
    for (const Shard& shard :
         split_model(is_split ? algorithm_.exchange() : ExchangeSpec{},
                     modelled_layers(setup_.scenario.cost, setup_.problem, setup_.flops_per_sample),
                     initial_.size(), is_split ? setup_.cluster : nowhere, setup_.message_bytes,
                     setup_.scenario.cost.flops_per_update, {})) {
      shards_.push_back(std::make_unique<ShardModel>());
      shards_.back()->shard = shard;
      shards_.back()->index = shards_.size() - 1;
      static_cast<Parameters&>(shards_.back()->model) = initial_.slice(shard.begin, shard.size);
    }
  }

  std::size_t shard_on(std::size_t server) const {
    const auto found = std::ranges::find_if(
        shards_, [server](const auto& each) { return each->shard.server == server; });
    return static_cast<std::size_t>(found - shards_.begin());
  }

  bool is_worker(std::size_t node) const { return node < setup_.cluster.workers.size(); }

  void tell_progress(double now) {
    if (!setup_.on_progress || recorder_.curve().empty()) return;
    const CurvePoint& last = recorder_.curve().back();
    setup_.on_progress(
        {recorder_.progress(now), now, recorder_.updates(), last.test_accuracy, last.test_loss});
  }

  void departs(const LogEntry& entry, std::size_t to) {
    const double now = std::max(0.0, entry.begin_s);
    if (is_worker(entry.who)) recorder_.worker(entry.who).message_departs(now);
    if (is_worker(to)) recorder_.worker(to).message_departs(now);
    if (timeline() != nullptr) {
      if (!timeline()->knows_way(entry.who, to)) {
        timeline()->add_way(entry.who, to, links_.names(entry.who, to));
      }
      messages_[{to, entry.number}] =
          timeline()->message_departs(entry.who, to, now, entry.count, entry.version);
    }
    links_.departs(entry.who, to, now);
  }

  void arrives(const LogEntry& entry, std::size_t to) {
    const double now = std::max(0.0, entry.time_s);
    if (is_worker(entry.who)) recorder_.worker(entry.who).message_arrives(now);
    if (is_worker(to)) recorder_.worker(to).message_arrives(now);
    recorder_.bytes_delivered(static_cast<double>(entry.count));
    recorder_.expenses().add_link_energy(links_.arrives(entry.who, to, now, entry.count));
    if (timeline() == nullptr) return;
    Timeline::MessageId& message = messages_[{to, entry.number}];
    message = timeline()->message_arrives(message, now);
  }

  void computes(const LogEntry& entry, double now, std::size_t rank) {
    recorder_.worker(rank).start_computing(now);
    if (timeline() == nullptr) return;
    // Only servers count the versions of what they send.
    const bool is_of_server = algorithm_.needs_server();
    timeline()->computes(rank, is_of_server ? entry.version : std::nullopt, entry.count);
  }

  void stale(const LogEntry& entry, std::size_t rank) {
    recorder_.worker(entry.who).count_staleness(entry.count);
    if (timeline() == nullptr) return;
    timeline()->was_stale(messages_[{rank, entry.number}], entry.count);
  }

  void note_model(const LogEntry& entry, std::size_t rank) {
    if (entry.model)
      lost_models_.erase(rank);
    else
      lost_models_.insert(rank);
  }

  void update(const LogEntry& entry, std::size_t rank) {
    note_model(entry, rank);
    if (timeline() != nullptr) {
      std::vector<Timeline::MessageId> used;
      for (const std::uint32_t number : entry.used) used.push_back(messages_[{rank, number}]);
      timeline()->updated(rank, std::max(0.0, entry.begin_s), entry.time_s, used,
                          entry.used.empty() ? -1 : entry.value);
    }
    const std::size_t server = is_worker(rank) ? 0 : rank - setup_.cluster.workers.size();
    const std::size_t part = is_worker(rank) ? 0 : shard_on(server);
    if (entry.model) will_be_kept(entry.time_s, shard_points_, part);
    if (is_worker(rank)) {
      if (entry.model) static_cast<Parameters&>(newest_) = logs_[rank].models[*entry.model];
      global_.update(entry.time_s, newest_);
    } else {
      recorder_.expenses().server_starts(std::max(0.0, entry.begin_s), server);
      recorder_.expenses().server_stops(entry.time_s, server);
      ShardModel& shard = *shards_[part];
      Model x = shard.model;
      if (entry.model) static_cast<Parameters&>(x) = logs_[rank].models[*entry.model];
      global_.update_shard(entry.time_s, shard, x);
    }
    if (entry.model) was_kept(entry.time_s, shard_points_);
  }

  void own_update(const LogEntry& entry, std::size_t rank) {
    note_model(entry, rank);
    if (entry.model) will_be_kept(entry.time_s, worker_points_, rank);
    if (entry.model) static_cast<Parameters&>(own_[rank]) = logs_[rank].models[*entry.model];
    if (own_[rank].empty()) own_[rank] = initial_;
    global_.update_own(entry.time_s, rank, own_[rank], entry.count);
    if (entry.model) was_kept(entry.time_s, worker_points_);
  }

  /// Of those who keep models for the same points of the curve, each its own.
  struct Points {
    std::vector<std::uint64_t> kept;  // by part
    std::uint64_t made = 0;

    bool all_have() const { return std::ranges::min(kept) > made; }
  };

  /// Somebody goes on to another point while others have not kept the last one: they do not make updates
  /// any more, or one that lasts. They count as they are.
  void will_be_kept(double now, Points& points, std::size_t part) {
    if (++points.kept[part] > points.made + 1) make(now, points);
  }
  /// A point is made when the last of them has kept a model for it.
  void was_kept(double now, Points& points) {
    if (points.all_have()) make(now, points);
  }
  void make(double now, Points& points) {
    ++points.made;
    if (recorder_.has_unevaluated_update()) global_.evaluate(now);
  }

  void tell(const Told& told) {
    const LogEntry& entry = logs_[told.rank].entries[told.index];
    using Kind = LogEntry::Kind;
    switch (entry.kind) {
      case Kind::computes:
        return computes(entry, told.time_s, told.rank);
      case Kind::has_computed:
        return recorder_.worker(told.rank).stop_computing(told.time_s);
      case Kind::discards:
        return recorder_.worker(entry.who).discard(entry.value);
      case Kind::gradient:
        return recorder_.gradient_computed(
            told.rank, entry.count, entry.number != 0 ? std::optional(entry.value) : std::nullopt);
      case Kind::arrival:
        return told.departs ? departs(entry, told.rank) : arrives(entry, told.rank);
      case Kind::staleness:
        return stale(entry, told.rank);
      case Kind::update:
        return update(entry, told.rank);
      case Kind::own_update:
        return own_update(entry, told.rank);
      case Kind::decision:
        return recorder_.decided(told.time_s, entry.who, entry.text, entry.value);
      case Kind::left:
        ++left_;
        return recorder_.expenses().worker_left(told.time_s, told.rank);
    }
  }

  RunResult write(const Ending& ending) {
    RunResult result;
    result.seed = setup_.scenario.seed;
    std::vector<std::size_t> listed(setup_.cluster.workers.size());
    std::iota(listed.begin(), listed.end(), std::size_t{0});
    for (const std::size_t rank : listed) {
      const HostPlan& host = setup_.cluster.workers[rank];
      result.workers.push_back({.name = host.name,
                                .class_name = host.class_name,
                                .speed_flops = host.speed_flops,
                                .data_samples = logs_[rank].data_samples});
    }
    if (!ending.is_normal() && !recorder_.stop().stopped()) {
      result.status = RunStatus::failed;
      result.reason = ending.reason;
    }
    recorder_.close(end_s_);
    recorder_.write_to(result, end_s_, listed);
    result.links = links_.results(end_s_);
    result.evaluation_wall_s = global_.evaluation_wall_s();
    return result;
  }

  const SimulationSetup& setup_;
  const Algorithm& algorithm_;
  const std::vector<RunLog>& logs_;
  Scenario scenario_;
  Recorder recorder_;
  ThreadPool pool_;
  Evaluator evaluator_;
  Model initial_;
  GlobalModel global_;
  std::vector<std::unique_ptr<ShardModel>> shards_;
  MeasuredLinks links_;
  Model newest_ = initial_;
  std::vector<Model> own_;             // by worker: as it was kept last
  std::set<std::size_t> lost_models_;  // ranks whose last update was not kept
  Points worker_points_;
  Points shard_points_;
  std::map<std::pair<std::size_t, std::uint64_t>, Timeline::MessageId>
      messages_;                         // by receiver, number
  std::size_t left_ = 0;                 // workers
  double averaging_s_ = 0;               // of all workers' models
  bool averages_ = false;                // their mean has just met the target
  std::optional<double> averaged_at_s_;  // when it is there
  double end_s_ = 0;
};

}  // namespace

RunResult replay(const SimulationSetup& setup, const Algorithm& algorithm,
                 const std::vector<RunLog>& logs, const Ending& ending, double end_s) {
  Replay replay(setup, algorithm, logs);
  RunResult result = replay.result(ending, end_s);
  if (setup.trace && setup.on_timeline) setup.on_timeline(*replay.timeline());
  return result;
}

}  // namespace motley
