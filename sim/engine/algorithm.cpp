#include "sim/engine/algorithm.hpp"

#include <algorithm>

namespace motley {

Fields<DefaultsSpec> DefaultsSpec::fields() {
  return Fields<DefaultsSpec>().include(SgdSpec::fields()).include(ExchangeSpec::fields());
}

std::size_t RunFacts::rank_of(const Json& name_or_rank, const Place& place) const {
  if (name_or_rank.is_number_unsigned() && name_or_rank < workers) return name_or_rank;
  for (std::size_t rank = 0; name_or_rank.is_string() && rank < workers; ++rank) {
    if ((*hosts)[rank].name == name_or_rank.get<std::string>()) return rank;
  }
  throw InputError(place, "must be the name of a worker or a rank below " + std::to_string(workers),
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
