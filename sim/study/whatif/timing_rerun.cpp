#include "sim/study/whatif/timing_rerun.hpp"

#include <memory>
#include <stdexcept>

#include "sim/base/json.hpp"
#include "sim/learning/models/time_only.hpp"

namespace motley {
namespace {

/// As large as its times need it: where the whole model travels as it is, any few numbers do.
std::unique_ptr<Problem> without_mathematics(const Problem& problem, const Algorithm& algorithm,
                                             const ClusterPlan& plan) {
  const ExchangeSpec exchange = algorithm.exchange();
  const bool is_whole = plan.servers.size() <= 1 && !algorithm.sends_parts() &&
                        exchange.overlap == ExchangeSpec::Overlap::none && !exchange.bucket_bytes &&
                        exchange.compress.kind == CompressSpec::Kind::none;
  if (is_whole) return std::make_unique<TimeOnly>(problem.train_size());
  return std::make_unique<TimeOnly>(problem.train_size(), problem.layers());
}

RunFacts facts_on(const ClusterPlan& plan, RunFacts facts) {
  describe_workers(plan, facts);
  return facts;
}

}  // namespace

Throughput timing_rerun(const Experiment& experiment, const RunPlan& plan, const Change& change,
                        std::uint64_t updates) {
  ChangedCluster changed{experiment.cluster(), experiment.scenario().cost.flops_per_update,
                         experiment.message_bytes()};
  change.apply(changed);
  Scenario scenario = experiment.scenario();
  scenario.cost.flops_per_update = changed.flops_per_update;
  scenario.target.reset();
  scenario.stop = {};
  scenario.stop.updates = updates;
  scenario.evaluate = {};

  Json parameters = plan.parameters;
  const std::unique_ptr<Algorithm> algorithm =
      find_algorithm(plan.algorithm, plan.place)
          .make(parameters, plan.place, facts_on(changed.plan, experiment.facts()));
  const std::unique_ptr<Problem> problem =
      without_mathematics(experiment.problem(), *algorithm, changed.plan);
  const RunResult result =
      simulate({scenario, changed.plan, *problem, experiment.partition(), experiment.order(),
                experiment.flops_per_sample(), changed.message_bytes, 1, nullptr},
               *algorithm);
  if (result.status != RunStatus::ok) throw std::runtime_error(result.reason);
  if (result.updates == 0 || !(result.virtual_s > 0)) {
    throw std::runtime_error("nothing happened");
  }
  return {result.updates, result.samples, result.virtual_s};
}

}  // namespace motley
