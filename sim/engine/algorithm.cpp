#include "sim/engine/algorithm.hpp"

#include <algorithm>

namespace motley {

Fields<DefaultsSpec> DefaultsSpec::fields() {
  return Fields<DefaultsSpec>().include(SgdSpec::fields()).include(ExchangeSpec::fields());
}

std::size_t RunFacts::rank_of(const Json& name_or_rank, const Place& place) const {
  if (name_or_rank.is_number_unsigned() && name_or_rank < workers) return name_or_rank;
  std::string suggestion;
  if (name_or_rank.is_string()) {
    std::vector<std::string> names;
    for (const HostPlan& host : *hosts) names.push_back(host.name);
    const auto found = std::find(names.begin(), names.end(), name_or_rank.get<std::string>());
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    suggestion = did_you_mean(name_or_rank, names);
  }
  throw InputError(
      place, "must be the name of a worker or a rank below " + std::to_string(workers) + suggestion,
      name_or_rank);
}

Json worker_schema() {
  return {{"anyOf", {{{"type", "string"}}, {{"type", "integer"}, {"minimum", 0}}}}};
}

double RunFacts::fastest_speed() const {
  double fastest = 0;
  for (const HostPlan& host : *hosts) fastest = std::max(fastest, host.speed_flops);
  return fastest;
}

}  // namespace motley
