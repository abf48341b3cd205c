#include "sim/engine/world.hpp"

#include <algorithm>

#include "sim/scenario/planned_traffic.hpp"

namespace motley {
namespace {

/// Of a message. Those of others have up to 1e15 bytes: a part of a byte of theirs must not overflow.
std::uint64_t typical_bytes(const SimulationSetup& setup) {
  constexpr std::uint64_t of_others = std::uint64_t{1} << 36U;
  return setup.cluster.traffic.empty() ? setup.message_bytes
                                       : std::max(setup.message_bytes, of_others);
}

/// Where workers talk with a single server only, every message shares links with others at that server's
/// port alone: no solver is ever asked.
Platform::Extent extent_for(const SimulationSetup& setup, const Algorithm& algorithm) {
  const ClusterPlan& cluster = setup.cluster;
  const bool is_known = cluster.is_plain_switch() && cluster.link_changes.empty() &&
                        cluster.traffic.empty() && setup.paje_file.empty() &&
                        setup.scenario.solver == Scenario::Solver::fast &&
                        setup.scenario.network == Scenario::Network::fluid;
  const bool at_one_port = algorithm.needs_server() && algorithm.workers_begin_with_a_model() &&
                           cluster.servers.size() == 1;
  return is_known && at_one_port ? Platform::Extent::servers : Platform::Extent::everything;
}

void report_progress(const SimulationSetup& setup, const Recorder& recorder, double now) {
  if (!setup.on_progress || recorder.curve().empty()) return;
  const CurvePoint& last = recorder.curve().back();
  setup.on_progress(
      {recorder.progress(now), now, recorder.updates(), last.test_accuracy, last.test_loss});
}

}  // namespace

World::World(const SimulationSetup& of, const Algorithm& run)
    : setup(of),
      algorithm(run),
      engine(of.scenario.network, of.cluster.workers.size(), of.paje_file),
      platform(of.cluster, extent_for(of, run)),
      recovery(*this),
      failures(of.cluster, of.scenario.cluster.failures ? &*of.scenario.cluster.failures : nullptr,
               of.scenario.seed, agenda, recovery),
      recorder(of.scenario, of.cluster, of.problem.train_size()),
      network(platform, of.scenario, recorder, agenda, of.cluster.workers.size(),
              is_plain_switch() && !has_traffic_outside(of.cluster),
              of.paje_file.empty() ? typical_bytes(of) : 0),
      background(
          network, agenda, of.cluster, of.scenario.seed,
          {[this] { return standstill.is_left_to_background() && !recovery.can_get_going(); },
           [this] { standstill.end_run(); }}),
      pool(of.threads),
      look_ahead(pool, of.problem.dimension() * sizeof(float)),
      evaluator(of.problem, pool),
      partitions(of.problem.train_size(), of.scenario.seed),
      layout(of, run, agenda),
      average_of_all(*this),
      global_model(layout.initial(), evaluator, recorder, pool, of.problem.is_real(),
                   of.cluster.workers.size(),
                   [this](double now) { report_progress(setup, recorder, now); }),
      updates(global_model, ending, agenda, failures.any() ? &recovery : nullptr),
      post(network, agenda, failures, recorder, layout, bodies),
      groups({network, platform, setup.cluster, pool, setup.scenario.approximate, of.message_bytes,
              of.problem.dimension()},
             failures, ExchangeSpec::name_of(run.exchange().collective)),
      replicas(network, agenda, failures, of.message_bytes, of.cluster.workers.size()),
      bodies(*this),
      ending(recorder, network, agenda),
      standstill(*this) {
  if (of.trace) recorder.keep_timeline(*of.trace, of.cluster);
  if (!layout.has_server()) recorder.expenses().leave_out_servers();
  global_model.begin(run, layout.shards());
  global_model.average_by(
      [this](const std::vector<std::size_t>& ranks) { average_of_all.begin(ranks); });
  if (failures.any()) recovery.begin();
}

}  // namespace motley
