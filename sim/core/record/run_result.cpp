#include "sim/core/record/run_result.hpp"

#include <numeric>

#include "sim/core/json.hpp"

namespace motley {
namespace {

template <class T>
Json json_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

std::optional<double> optional_number(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

double sum(const std::vector<WorkerResult>& workers, double WorkerResult::*member) {
  double total = 0;
  for (const WorkerResult& worker : workers) total += worker.*member;
  return total;
}

}  // namespace

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

std::optional<Heterogeneity> RunResult::cluster_heterogeneity() const {
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
               {"status", r.status},
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
               {"mean_staleness", r.mean_staleness},
               {"max_staleness", r.max_staleness},
               {"wall_s", r.wall_s},
               {"peak_rss_mb", r.peak_rss_mb},
               {"evaluation_wall_s", r.evaluation_wall_s},
               {"curve", Json::array()},
               {"workers", Json::array()},
               {"links", Json::array()},
               {"staleness", Json::array()},
               {"decisions", Json::array()}};
  for (const CurvePoint& p : r.curve) {
    json["curve"].push_back({p.time_s, p.updates, p.samples, p.epochs, p.bytes,
                             json_or_null(p.train_loss), json_or_null(p.test_loss),
                             json_or_null(p.test_accuracy)});
  }
  for (const WorkerResult& w : r.workers) {
    json["workers"].push_back({w.name, w.class_name, w.speed_flops, w.compute_s, w.transfer_s,
                               w.wait_s, w.discarded_s, w.gradients, w.samples, w.mean_staleness,
                               w.max_staleness, w.data_samples});
  }
  for (const LinkResult& l : r.links) {
    json["links"].push_back({l.name, l.bandwidth_Bps, l.bytes, l.busy_s});
  }
  for (const StalenessCount& s : r.staleness) {
    json["staleness"].push_back({s.class_name, s.staleness, s.count});
  }
  for (const Decision& d : r.decisions) {
    json["decisions"].push_back({d.time_s, d.rank, d.quantity, d.value});
  }
  return json;
}

RunResult run_result_from_json(const Json& json) {
  RunResult r;
  r.run = json.at("run");
  r.algorithm = json.at("algorithm");
  r.replica = json.at("replica");
  r.seed = json.at("seed");
  r.status = json.at("status");
  r.reason = json.at("reason");
  r.time_budget_s = optional_number(json.at("time_budget_s"));
  r.virtual_s = json.at("virtual_s");
  r.updates = json.at("updates");
  r.gradients = json.at("gradients");
  r.samples = json.at("samples");
  r.epochs = json.at("epochs");
  r.bytes = json.at("bytes");
  r.final_test_accuracy = optional_number(json.at("final_test_accuracy"));
  r.best_test_accuracy = optional_number(json.at("best_test_accuracy"));
  r.final_test_loss = optional_number(json.at("final_test_loss"));
  r.time_to_target_s = optional_number(json.at("time_to_target_s"));
  r.mean_staleness = json.at("mean_staleness");
  r.max_staleness = json.at("max_staleness");
  r.wall_s = json.at("wall_s");
  r.peak_rss_mb = json.at("peak_rss_mb");
  r.evaluation_wall_s = json.at("evaluation_wall_s");
  for (const Json& p : json.at("curve")) {
    r.curve.push_back({p[0], p[1], p[2], p[3], p[4], optional_number(p[5]), optional_number(p[6]),
                       optional_number(p[7])});
  }
  for (const Json& w : json.at("workers")) {
    r.workers.push_back({w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]});
  }
  for (const Json& l : json.at("links")) r.links.push_back({l[0], l[1], l[2], l[3]});
  for (const Json& s : json.at("staleness")) r.staleness.push_back({s[0], s[1], s[2]});
  for (const Json& d : json.at("decisions")) r.decisions.push_back({d[0], d[1], d[2], d[3]});
  return r;
}

}  // namespace motley
