#include "sim/results/finite_result.hpp"

#include <cmath>
#include <initializer_list>
#include <utility>

namespace motley {
namespace {

using Named = std::pair<const char*, double>;

const char* not_finite_of(std::initializer_list<Named> numbers) {
  for (const auto& [name, number] : numbers) {
    if (!std::isfinite(number)) return name;
  }
  return nullptr;
}

}  // namespace

std::string first_not_finite(const RunResult& r) {
  if (const char* name = not_finite_of({{"virtual_s", r.virtual_s},
                                        {"time_to_target_s", r.time_to_target_s.value_or(0)},
                                        {"averaging_s", r.averaging_s.value_or(0)},
                                        {"epochs", r.epochs},
                                        {"bytes", r.bytes},
                                        {"energy_J", r.energy_J.value_or(0)},
                                        {"cost", r.cost.value_or(0)},
                                        {"mean_staleness", r.mean_staleness}})) {
    return name;
  }
  for (const WorkerResult& w : r.workers) {
    if (const char* name = not_finite_of({{"speed", w.speed_flops},
                                          {"compute_s", w.compute_s},
                                          {"transfer_s", w.transfer_s},
                                          {"wait_s", w.wait_s},
                                          {"discarded_s", w.discarded_s},
                                          {"down_s", w.down_s},
                                          {"lost_s", w.lost_s},
                                          {"mean_staleness", w.mean_staleness}})) {
      return std::string(name) + " of worker " + w.name;
    }
  }
  for (const LinkResult& l : r.links) {
    if (const char* name = not_finite_of({{"bandwidth", l.bandwidth_Bps},
                                          {"bytes", l.bytes},
                                          {"busy time", l.busy_s},
                                          {"background bytes", l.background_bytes}})) {
      return std::string(name) + " of link " + l.name;
    }
    if (l.bandwidth_Bps <= 0) return "what a byte takes on link " + l.name;
  }
  for (const CurvePoint& p : r.curve) {
    if (const char* name =
            not_finite_of({{"time_s", p.time_s}, {"epochs", p.epochs}, {"bytes", p.bytes}})) {
      return std::string(name) + " of the curve";
    }
  }
  for (const Decision& d : r.decisions) {
    if (const char* name = not_finite_of({{"time_s", d.time_s}, {"value", d.value}})) {
      return std::string(name) + " of a decision about " + d.quantity;
    }
  }
  return "";
}

RunResult failed_unless_finite(const RunResult& result) {
  const std::string name = first_not_finite(result);
  if (name.empty()) return result;
  RunResult failed;
  failed.status = RunStatus::failed;
  failed.reason = name + " is not finite: a quantity of the scenario is too large or too small";
  return failed;
}

}  // namespace motley
