#include "sim/results/run_result.hpp"

#include <algorithm>
#include <iterator>

#include "sim/base/json.hpp"

namespace motley {
namespace {

template <class T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

/// Of rows that stand for several: which row, and for how many.
template <class Row>
Json counts_of(const std::vector<Row>& rows) {
  Json counts = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].count != 1) counts.push_back({i, rows[i].count});
  }
  return counts;
}

template <class Read>
void for_each_row(const StrictJson& table, std::size_t columns, Read read) {
  const std::size_t rows = table.elements();
  for (std::size_t i = 0; i < rows; ++i) read(table.element(i).row(columns));
}

/// What is counted in a run stays where numbers are exact, however long it takes.
std::uint64_t amount(const StrictJson& value) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53U;
  if (value.count() > most) value.refuse("must be a count that a run can reach");
  return value.count();
}

template <class Row>
void read_counts(const StrictJson& counts, std::vector<Row>& rows) {
  for_each_row(counts, 2, [&rows](const StrictJson& row) {
    const std::uint64_t index = row.element(0).count();
    if (index >= rows.size()) row.element(0).refuse("must be the number of a row");
    rows[index].count = amount(row.element(1));
  });
}

double not_negative(const StrictJson& value) {
  if (value.number() < 0) value.refuse("must be at least 0");
  return value.number();
}

std::optional<double> not_negative_or_null(const StrictJson& value) {
  if (value.any().is_null()) return std::nullopt;
  return not_negative(value);
}

double sum(const std::vector<WorkerResult>& workers, double WorkerResult::*member) {
  double total = 0;
  for (const WorkerResult& worker : workers) {
    total += static_cast<double>(worker.count) * worker.*member;
  }
  return total;
}

}  // namespace

std::uint64_t RunResult::worker_count() const {
  std::uint64_t all = 0;
  for (const WorkerResult& worker : workers) all += worker.count;
  return all;
}

double RunResult::compute_s() const {
  return sum(workers, &WorkerResult::compute_s);
}
double RunResult::transfer_s() const {
  return sum(workers, &WorkerResult::transfer_s);
}
double RunResult::wait_s() const {
  return sum(workers, &WorkerResult::wait_s);
}
double RunResult::discarded_s() const {
  return sum(workers, &WorkerResult::discarded_s);
}

double RunResult::down_s() const {
  return sum(workers, &WorkerResult::down_s);
}
double RunResult::lost_s() const {
  return sum(workers, &WorkerResult::lost_s);
}
std::uint64_t RunResult::failures() const {
  std::uint64_t all = 0;
  for (const WorkerResult& worker : workers) all += worker.failures;
  return all;
}

double at_time(const std::vector<CurvePoint>& curve, double time_s,
               double (*value)(const CurvePoint&)) {
  const auto after = std::find_if(curve.begin(), curve.end(), [time_s](const CurvePoint& point) {
    return point.time_s >= time_s;
  });
  if (after == curve.end()) return curve.empty() ? 0 : value(curve.back());
  if (after == curve.begin() || after->time_s == time_s) return value(*after);
  const CurvePoint& before = *std::prev(after);
  const double share = (time_s - before.time_s) / (after->time_s - before.time_s);
  return value(before) + share * (value(*after) - value(before));
}

std::optional<double> RunResult::target_crossed_s() const {
  if (!time_to_target_s) return std::nullopt;
  return *time_to_target_s - averaging_s.value_or(0);
}

std::optional<double> RunResult::energy_to_target_J() const {
  if (!time_to_target_s || !energy_J) return std::nullopt;
  return at_time(curve, *time_to_target_s,
                 [](const CurvePoint& p) { return p.energy_J.value_or(0); });
}

std::optional<double> RunResult::cost_to_target() const {
  if (!time_to_target_s || !cost) return std::nullopt;
  return at_time(curve, *time_to_target_s, [](const CurvePoint& p) { return p.cost.value_or(0); });
}

std::optional<Heterogeneity> RunResult::cluster_heterogeneity() const {
  if (uneven) return uneven;
  if (workers.empty()) return std::nullopt;
  std::vector<double> speeds;
  for (const WorkerResult& worker : workers) speeds.push_back(worker.speed_flops);
  return heterogeneity(speeds);
}

Json to_json(const RunResult& r) {
  Json json = {{"run", r.run},
               {"algorithm", r.algorithm},
               {"replica", r.replica},
               {"seed", r.seed},
               {"status", to_text(r.status)},
               {"reason", r.reason},
               {"time_budget_s", json_or_null(r.time_budget_s)},
               {"virtual_s", r.virtual_s},
               {"updates", r.updates},
               {"gradients", r.gradients},
               {"samples", r.samples},
               {"epochs", r.epochs},
               {"bytes", r.bytes},
               {"final_test_accuracy", json_or_null(r.final_test_accuracy)},
               {"best_test_accuracy", json_or_null(r.best_test_accuracy)},
               {"final_test_loss", json_or_null(r.final_test_loss)},
               {"time_to_target_s", json_or_null(r.time_to_target_s)},
               {"averaging_s", json_or_null(r.averaging_s)},
               {"energy_J", json_or_null(r.energy_J)},
               {"cost", json_or_null(r.cost)},
               {"failures", Json()},
               {"mean_staleness", r.mean_staleness},
               {"max_staleness", r.max_staleness},
               {"wall_s", r.wall_s},
               {"peak_rss_mb", r.peak_rss_mb},
               {"evaluation_wall_s", r.evaluation_wall_s},
               {"curve", Json::array()},
               {"workers", Json::array()},
               {"links", Json::array()},
               {"staleness", Json::array()},
               {"decisions", Json::array()},
               {"warnings", Json::array()}};
  for (const CurvePoint& p : r.curve) {
    json["curve"].push_back({p.time_s, p.updates, p.samples, p.epochs, p.bytes,
                             json_or_null(p.train_loss), json_or_null(p.test_loss),
                             json_or_null(p.test_accuracy),
                             p.kind == EvaluatedModel::oracle ? 1 : 0, json_or_null(p.energy_J),
                             json_or_null(p.cost), json_or_null(p.consensus)});
  }
  for (const WorkerResult& w : r.workers) {
    json["workers"].push_back({w.name, w.class_name, w.speed_flops, w.compute_s, w.transfer_s,
                               w.wait_s, w.discarded_s, w.gradients, w.samples, w.mean_staleness,
                               w.max_staleness, w.data_samples});
  }
  if (r.lost_updates) {
    json["failures"] = {{"lost_updates", *r.lost_updates}, {"workers", Json::array()}};
    for (const WorkerResult& w : r.workers) {
      json["failures"]["workers"].push_back({w.down_s, w.lost_s, w.failures});
    }
  }
  for (const LinkResult& l : r.links) {
    json["links"].push_back(
        {l.name, l.bandwidth_Bps, l.bytes, l.busy_s, l.group, l.background_bytes});
  }
  for (const StalenessCount& s : r.staleness) {
    json["staleness"].push_back({s.class_name, s.staleness, s.count});
  }
  for (const Decision& d : r.decisions) {
    json["decisions"].push_back({d.time_s, d.rank, d.quantity, d.value});
  }
  for (const RunWarning& w : r.warnings) json["warnings"].push_back({w.kind, w.text});
  const Json workers = counts_of(r.workers);
  const Json links = counts_of(r.links);
  if (!r.uneven && workers.empty() && links.empty()) return json;
  json["not_listed"] = {{"unevenness", Json()}, {"workers", workers}, {"links", links}};
  if (r.uneven) {
    json["not_listed"]["unevenness"] = {r.uneven->speed_ratio, r.uneven->speed_cv,
                                        r.uneven->sync_efficiency};
  }
  return json;
}

RunResult run_result_from_json(const StrictJson& in) {
  RunResult r;
  r.run = in.member("run").text();
  r.algorithm = in.member("algorithm").text();
  r.replica = in.member("replica").count();
  r.seed = in.member("seed").count();
  const std::optional<RunStatus> status = run_status_of(in.member("status").text());
  if (!status) in.member("status").refuse("must be ok, diverged or failed");
  r.status = *status;
  r.reason = in.member("reason").text();
  r.time_budget_s = not_negative_or_null(in.member("time_budget_s"));
  r.virtual_s = not_negative(in.member("virtual_s"));
  r.updates = amount(in.member("updates"));
  r.gradients = amount(in.member("gradients"));
  r.samples = amount(in.member("samples"));
  r.epochs = not_negative(in.member("epochs"));
  r.bytes = not_negative(in.member("bytes"));
  r.final_test_accuracy = in.member("final_test_accuracy").number_or_null();
  r.best_test_accuracy = in.member("best_test_accuracy").number_or_null();
  r.final_test_loss = in.member("final_test_loss").number_or_null();
  r.time_to_target_s = not_negative_or_null(in.member("time_to_target_s"));
  r.averaging_s = not_negative_or_null(in.member("averaging_s"));
  r.energy_J = not_negative_or_null(in.member("energy_J"));
  r.cost = not_negative_or_null(in.member("cost"));
  r.mean_staleness = not_negative(in.member("mean_staleness"));
  r.max_staleness = amount(in.member("max_staleness"));
  r.wall_s = not_negative(in.member("wall_s"));
  r.peak_rss_mb = not_negative(in.member("peak_rss_mb"));
  r.evaluation_wall_s = not_negative(in.member("evaluation_wall_s"));
  for_each_row(in.member("curve"), 12, [&r](const StrictJson& p) {
    r.curve.push_back({not_negative(p.element(0)), amount(p.element(1)), amount(p.element(2)),
                       not_negative(p.element(3)), not_negative(p.element(4)),
                       p.element(5).number_or_null(), p.element(6).number_or_null(),
                       p.element(7).number_or_null(),
                       p.element(8).count() == 0 ? EvaluatedModel::real : EvaluatedModel::oracle,
                       p.element(9).number_or_null(), p.element(10).number_or_null(),
                       p.element(11).number_or_null()});
  });
  for_each_row(in.member("workers"), 12, [&r](const StrictJson& w) {
    r.workers.push_back({w.element(0).text(), w.element(1).text(), w.element(2).number(),
                         w.element(3).number(), w.element(4).number(), w.element(5).number(),
                         w.element(6).number(), amount(w.element(7)), amount(w.element(8)),
                         w.element(9).number(), amount(w.element(10)), amount(w.element(11))});
  });
  // Only a run that failed may have ended before there was anything to tell.
  for (const char* table : {"curve", "workers"}) {
    if (r.status != RunStatus::failed && in.member(table).elements() == 0) {
      in.member(table).refuse("must have rows");
    }
  }
  if (const StrictJson failures = in.member("failures"); !failures.any().is_null()) {
    r.lost_updates = amount(failures.member("lost_updates"));
    std::size_t rank = 0;
    for_each_row(failures.member("workers"), 3, [&](const StrictJson& w) {
      if (rank == r.workers.size()) w.refuse("must be as many as there are workers");
      WorkerResult& worker = r.workers[rank++];
      worker.down_s = w.element(0).number();
      worker.lost_s = w.element(1).number();
      worker.failures = amount(w.element(2));
    });
    if (rank < r.workers.size()) {
      failures.member("workers").refuse("must be as many as there are workers");
    }
  }
  for_each_row(in.member("links"), 6, [&r](const StrictJson& l) {
    r.links.push_back({l.element(0).text(), l.element(1).number(), l.element(2).number(),
                       l.element(3).number(), l.element(4).text(), l.element(5).number()});
  });
  for_each_row(in.member("staleness"), 3, [&r](const StrictJson& s) {
    r.staleness.push_back({s.element(0).text(), amount(s.element(1)), amount(s.element(2))});
  });
  for_each_row(in.member("decisions"), 4, [&r](const StrictJson& d) {
    r.decisions.push_back(
        {d.element(0).number(), d.element(1).count(), d.element(2).text(), d.element(3).number()});
    if (r.decisions.back().rank >= r.workers.size()) {
      d.element(1).refuse("must be the rank of one of the " + std::to_string(r.workers.size()) +
                          " workers");
    }
  });
  for_each_row(in.member("warnings"), 2, [&r](const StrictJson& w) {
    r.warnings.push_back({w.element(0).text(), w.element(1).text()});
  });
  if (in.any().contains("not_listed")) {
    const StrictJson others = in.member("not_listed");
    if (const StrictJson uneven = others.member("unevenness"); !uneven.any().is_null()) {
      const StrictJson& row = uneven.row(3);
      r.uneven = {row.element(0).number(), row.element(1).number(), row.element(2).number()};
    }
    read_counts(others.member("workers"), r.workers);
    read_counts(others.member("links"), r.links);
  }
  return r;
}

}  // namespace motley
