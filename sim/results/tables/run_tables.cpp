#include "sim/results/tables/run_tables.hpp"

#include "sim/scenario/sweep.hpp"

namespace motley {
namespace {

/// The first column of every table of parts of a run.
template <class Part>
ColumnTable<OfRun<Part>> table_of(const char* name, const char* rows) {
  ColumnTable<OfRun<Part>> table(name, rows);
  table.add("run", "", "the run, as in runs.csv", [](const auto& r) { return r.run.run; });
  return table;
}

/// A column that is a member of the part.
template <class Part, class Value>
auto part(Value Part::*member) {
  return [member](const OfRun<Part>& r) { return r.part.*member; };
}

auto unevenness(double Heterogeneity::*member) {
  return [member](const RunResult& r) -> std::optional<double> {
    const std::optional<Heterogeneity> uneven = r.cluster_heterogeneity();
    return uneven ? std::optional(*uneven.*member) : std::nullopt;
  };
}

using RunsTable = ColumnTable<RunResult>;

void add_identity(RunsTable& t) {
  t.add("run", "", "unique name: label, replica and point of the sweep", &RunResult::run);
  t.add("algorithm", "", "label of the algorithm", &RunResult::algorithm);
  t.add("replica", "", "number of the replica, from 0", &RunResult::replica);
  t.add("seed", "", "seed of the replica", &RunResult::seed);
}

void add_measurements(RunsTable& t) {
  t.add("status", "", "ok, diverged or failed",
        [](const RunResult& r) { return to_text(r.status); });
  t.add("virtual_s", "s", "virtual time at the end of the run", &RunResult::virtual_s);
  t.add("updates", "",
        "updates of the global model; with several servers those that all have made; where workers "
        "train models of their own, the updates of all of them",
        &RunResult::updates);
  t.add("gradients", "", "mini-batch gradients computed", &RunResult::gradients);
  t.add("samples", "", "samples in these gradients", &RunResult::samples);
  t.add("epochs", "", "samples divided by the size of the training set", &RunResult::epochs);
  t.add("bytes", "B", "delivered by the network", &RunResult::bytes);
  t.add("final_test_accuracy", "", "at the last evaluation; empty if there is none or it diverged",
        &RunResult::final_test_accuracy);
  t.add("best_test_accuracy", "", "at the best evaluation; empty if there is none or it diverged",
        &RunResult::best_test_accuracy);
  t.add("final_test_loss", "", "at the last evaluation; empty if there is none or it diverged",
        &RunResult::final_test_loss);
  t.add("time_to_target_s", "s",
        "virtual time at which the update that reached the target was finished, interpolated by "
        "update number between two evaluations; where workers never merge their models, with the "
        "time "
        "it took to average them then (averaging_s); empty if it was not reached",
        &RunResult::time_to_target_s);
  t.add_with("consensus", "averaging_s", "s",
             "the part of time_to_target_s in which the workers' models were averaged, by a ring "
             "all-reduce; only where workers never merge their models",
             &RunResult::averaging_s);
  t.add("compute_s", "s", "time spent computing, summed over all workers; see workers.csv",
        &RunResult::compute_s);
  t.add("transfer_s", "s", "time spent on messages under way, summed over all workers",
        &RunResult::transfer_s);
  t.add("wait_s", "s", "time spent waiting, summed over all workers", &RunResult::wait_s);
  t.add("discarded_s", "s", "computing whose result was thrown away, summed over all workers",
        &RunResult::discarded_s);
  t.add("mean_staleness", "updates", "mean over all gradients applied by a server; 0 without one",
        &RunResult::mean_staleness);
  t.add("max_staleness", "updates", "maximum over all gradients applied by a server",
        &RunResult::max_staleness);
  t.add("wall_s", "s", "real time of the simulation; differs between equal runs",
        &RunResult::wall_s);
  t.add("peak_rss_mb", "MiB", "memory of the simulation's process; differs between equal runs",
        &RunResult::peak_rss_mb);
  t.add("reason", "", "one line that says why the run is not ok", &RunResult::reason);
}

void add_cluster(RunsTable& t) {
  t.add("speed_ratio", "", "fastest worker's speed divided by the slowest one's, without noise",
        unevenness(&Heterogeneity::speed_ratio));
  t.add("speed_cv", "", "standard deviation of the workers' speeds divided by their mean",
        unevenness(&Heterogeneity::speed_cv));
  t.add("sync_efficiency", "",
        "harmonic mean over maximum of the workers' step times: the share of the cluster's speed "
        "that is left when all wait for the slowest",
        unevenness(&Heterogeneity::sync_efficiency));
}

void add_expenses(RunsTable& t) {
  t.add_with("energy", "energy_J", "J",
             "of all hosts and links to the end of the run; only where a power is given",
             &RunResult::energy_J);
  t.add_with("energy", "energy_to_target_J", "J",
             "until the target was reached, interpolated between evaluations; empty if it was not",
             &RunResult::energy_to_target_J);
  t.add_with(
      "cost", "cost", "",
      "price_per_hour x hours of all hosts that take part, to the end of the run; only where "
      "a price is given",
      &RunResult::cost);
  t.add_with("cost", "cost_to_target", "",
             "until the target was reached, interpolated between evaluations; empty if it was not",
             &RunResult::cost_to_target);
}

void add_failures(RunsTable& t) {
  t.add_with("failures", "down_s", "s",
             "time down, summed over all workers; only where something can fail",
             &RunResult::down_s);
  t.add_with("failures", "lost_s", "s",
             "the part of discarded_s that failures ended, summed over all workers",
             &RunResult::lost_s);
  t.add_with("failures", "failures", "", "how often a worker went down, or was not there at first",
             &RunResult::failures);
  t.add_with("failures", "lost_updates", "", "updates undone when a server returned",
             [](const RunResult& r) { return r.lost_updates.value_or(0); });
}

}  // namespace

Extras extras_of(const std::vector<RunResult>& results) {
  Extras extras;
  for (const RunResult& run : results) {
    if (run.energy_J) extras.insert("energy");
    if (run.cost) extras.insert("cost");
    for (const LinkResult& link : run.links) {
      if (link.background_bytes > 0) extras.insert("background");
    }
    if (run.lost_updates) extras.insert("failures");
    for (const CurvePoint& point : run.curve) {
      if (point.consensus) extras.insert("consensus");
    }
    if (run.uneven) extras.insert("idle");
  }
  return extras;
}

std::string axis_cell(const Json& value) {
  return cell(shown_value(value));
}

const ColumnTable<RunResult>& runs_table() {
  static const RunsTable table = [] {
    RunsTable t("runs", "One row per run.");
    add_identity(t);
    add_measurements(t);
    add_cluster(t);
    add_expenses(t);
    add_failures(t);
    t.add_axes([](const RunResult& r) -> const std::vector<Json>& { return r.point; });
    return t;
  }();
  return table;
}

const ColumnTable<OfRun<CurvePoint>>& curves_table() {
  static const ColumnTable<OfRun<CurvePoint>> table = [] {
    auto t = table_of<CurvePoint>("curves", "One row per evaluation of the global model.");
    t.add("time_s", "s", "virtual time", part(&CurvePoint::time_s));
    t.add("updates", "", "updates so far", part(&CurvePoint::updates));
    t.add("samples", "", "samples computed so far", part(&CurvePoint::samples));
    t.add("epochs", "", "samples so far divided by the training set", part(&CurvePoint::epochs));
    t.add("bytes", "B", "delivered so far", part(&CurvePoint::bytes));
    t.add("train_loss", "",
          "mean over the mini-batches computed since the previous point, each at the model it was "
          "computed at",
          part(&CurvePoint::train_loss));
    t.add("test_loss", "", "on the whole test set", part(&CurvePoint::test_loss));
    t.add("test_accuracy", "", "on the whole test set", part(&CurvePoint::test_accuracy));
    t.add("oracle", "",
          "1: no worker holds this model; it is what a merge of the workers' own models would give "
          "at this moment, free of cost, and does not count for the target. 0: the model exists, "
          "or is the mean of models that are never merged (see consensus)",
          [](const auto& r) -> std::uint64_t {
            return r.part.kind == EvaluatedModel::oracle ? 1 : 0;
          });
    t.add_with("energy", "energy_J", "J", "so far; only where a power is given",
               part(&CurvePoint::energy_J));
    t.add_with("cost", "cost", "", "so far; only where a price is given", part(&CurvePoint::cost));
    t.add_with(
        "consensus", "consensus", "",
        "root of the mean square of the distances of the workers' own models from their mean, "
        "which is evaluated; only with algorithms that never merge them",
        part(&CurvePoint::consensus));
    return t;
  }();
  return table;
}

const ColumnTable<OfRun<WorkerResult>>& workers_table() {
  static const ColumnTable<OfRun<WorkerResult>> table = [] {
    auto t = table_of<WorkerResult>(
        "workers",
        "One row per worker and run; with more than 10,000 workers, those that never took part are "
        "one "
        "row of their class. At any moment a worker is in exactly one state, the first "
        "that "
        "holds: down, computing, transferring, waiting; the five times (four where nothing can "
        "fail) add up to virtual_s.");
    t.add("worker", "", "name of the worker; gpu-* for all of a class that never took part",
          part(&WorkerResult::name));
    t.add("class", "", "its class", part(&WorkerResult::class_name));
    t.add("speed", "flop/s",
          "its speed, without noise; with samples_per_s by batch size, that of the largest batch "
          "measured",
          part(&WorkerResult::speed_flops));
    t.add("compute_s", "s", "computing what was used", part(&WorkerResult::compute_s));
    t.add("transfer_s", "s", "not computing, and a message to or from it is under way",
          part(&WorkerResult::transfer_s));
    t.add("wait_s", "s", "neither computing nor transferring", part(&WorkerResult::wait_s));
    t.add("discarded_s", "s", "computing whose result was thrown away",
          part(&WorkerResult::discarded_s));
    t.add("gradients", "", "mini-batch gradients computed", part(&WorkerResult::gradients));
    t.add("samples", "", "samples in these gradients", part(&WorkerResult::samples));
    t.add("mean_staleness", "updates", "mean over its gradients that a server applied",
          part(&WorkerResult::mean_staleness));
    t.add("max_staleness", "updates", "maximum over its gradients that a server applied",
          part(&WorkerResult::max_staleness));
    t.add("data_samples", "", "training samples that it draws from",
          part(&WorkerResult::data_samples));
    t.add_with("failures", "down_s", "s", "its machine was down; only where something can fail",
               part(&WorkerResult::down_s));
    t.add_with("failures", "lost_s", "s", "the part of discarded_s that failures ended",
               part(&WorkerResult::lost_s));
    t.add_with("failures", "failures", "", "how often it went down, or was not there at first",
               part(&WorkerResult::failures));
    t.add_with("idle", "workers", "",
               "how many workers the row stands for, each of which is like this; their speed and "
               "data_samples are means; only where some are not listed one by one",
               part(&WorkerResult::count));
    return t;
  }();
  return table;
}

const ColumnTable<OfRun<StalenessCount>>& staleness_table() {
  static const ColumnTable<OfRun<StalenessCount>> table = [] {
    auto t = table_of<StalenessCount>("staleness",
                                      "One row per run, class and staleness that occurred.");
    t.add("class", "", "class of the workers", part(&StalenessCount::class_name));
    t.add("staleness", "updates", "updates made between reading a model and applying its gradient",
          part(&StalenessCount::staleness));
    t.add("count", "", "gradients applied with this staleness", part(&StalenessCount::count));
    return t;
  }();
  return table;
}

const ColumnTable<OfRun<LinkUse>>& links_table() {
  static const ColumnTable<OfRun<LinkUse>> table = [] {
    auto t = table_of<LinkUse>(
        "links",
        "One row per run and link; with more than 64 workers, one per run and group of links.");
    t.add("link", "", "name of the link; of a row for several their group", part(&LinkUse::name));
    t.add("bandwidth_Bps", "B/s",
          "of all links of the row together; of one that changes, its mean over the run",
          part(&LinkUse::bandwidth_Bps));
    t.add("bytes", "B", "carried by all links of the row together", part(&LinkUse::bytes));
    t.add_with("background", "background_bytes", "B",
               "of background traffic, beside `bytes`; only where the scenario has traffic",
               part(&LinkUse::background_bytes));
    t.add("busy_share", "",
          "share of the time in which at least one message flowed, of background traffic too; mean "
          "of "
          "the row",
          part(&LinkUse::busy_share));
    t.add("utilisation", "", "bytes / (bandwidth x time)", part(&LinkUse::utilisation));
    t.add("max_utilisation", "", "utilisation of the fullest link of the row",
          part(&LinkUse::max_utilisation));
    t.add("links", "", "how many links the row stands for", part(&LinkUse::links));
    t.add("group", "",
          "links of the same kind: those of a class with * for the number of the worker, gpu-*_up; "
          "of a platform file the link's property class; a link that is like no other is its own",
          part(&LinkUse::group));
    return t;
  }();
  return table;
}

const ColumnTable<OfRun<Decision>>& decisions_table() {
  static const ColumnTable<OfRun<Decision>> table = [] {
    auto t = table_of<Decision>("decisions",
                                "One row per decision that an algorithm made about a worker.");
    t.add("time_s", "s", "virtual time", part(&Decision::time_s));
    t.add("worker", "", "name of the worker",
          [](const auto& r) { return r.run.workers[r.part.rank].name; });
    t.add(
        "quantity", "",
        "what was decided: batch_size, local_steps, group; held_back: once per run, the first time "
        "that a bound made a worker wait",
        part(&Decision::quantity));
    t.add("value", "", "its new value", part(&Decision::value));
    return t;
  }();
  return table;
}

const ColumnTable<OfRun<RunWarning>>& warnings_table() {
  static const ColumnTable<OfRun<RunWarning>> table = [] {
    auto t = table_of<RunWarning>(
        "warnings", "One row per thing that a reader should know before trusting a run.");
    t.add(
        "kind", "",
        "no_update, no_merge (no merge of the workers' models was evaluated), never_moved, "
        "chance_level (no better than always naming the most frequent class), met_at_start (the "
        "initial model meets the target), coarse (the "
        "target was crossed between the first two evaluations: evaluate more often), in_warm_up "
        "(the run ended inside the algorithm's warm-up), bound_idle (its staleness, delay_bound, "
        "backup, wait_for or period never acted), caution (what the algorithm says of itself with "
        "such data), lockstep (equal workers without noise met at the "
        "server's port in "
        "every step), at_edge (tuned to the edge of a grid), sampled_grid (tuned on a part of its "
        "grid), cut_short "
        "(its runs ended before another algorithm arrived) or tuned_in_vain (no run of the tuning "
        "learnt anything); of live runs also overrun (computing took longer than the scenario "
        "gives "
        "it) and large_messages (they held more than it gives them)",
        part(&RunWarning::kind));
    t.add("text", "", "the same in words", part(&RunWarning::text));
    return t;
  }();
  return table;
}

}  // namespace motley
