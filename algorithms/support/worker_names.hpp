#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/json_value.hpp"
#include "sim/scenario/fields.hpp"
#include "sim/vocabulary/run_facts.hpp"

/// Workers as parameters of algorithms name them. Types of fields: what is written is read here,
/// whom it means is found out when the run's workers are known.
namespace motley {

/// One worker, by its name or its rank.
struct WorkerName {
  std::string name;
  std::optional<std::size_t> rank;  ///< without a name

  /// InputError at `place` if there is no such worker.
  std::size_t rank_in(const RunFacts& facts, const Place& place) const;

  static WorkerName read(const Json& value, const Place& place);
  static JsonValue schema();
};

/// "auto", how many groups, or who is in which: [["gpu-0", "gpu-1"], ["cpu-0"]].
struct WorkerGroups {
  std::optional<std::size_t> count;
  std::vector<std::vector<WorkerName>> lists;

  /// The group of each worker where that is given: by lists, as one group, or as one for each where there are
  /// no more workers than groups. Empty when it must be found out. InputError at `place` when workers are named
  /// twice or left out.
  std::vector<std::size_t> of_workers(const RunFacts& facts, const Place& place) const;

  /// How the key "groups" of an algorithm is described. `fallback`: JSON.
  static FieldInfo field(const char* fallback);
  static WorkerGroups read(const Json& value, const Place& place);
  static JsonValue schema();
};

}  // namespace motley
