#pragma once

#include <set>
#include <string>

#include "algorithms/catalog.hpp"
#include "sim/base/json.hpp"

namespace motley {

/// An entry of the scenario's list of algorithms: its name and what stands beside its own parameters.
struct AlgorithmEntry {
  const AlgorithmInfo* info = nullptr;
  std::string label;  ///< what tables and plots call it
  Json parameters;    ///< its own, as far as they are given
};

/// Reads one. `labels`: of the entries before it, to which its own is added. InputError for anything
/// that no such entry can have; the values of parameters are not looked at.
AlgorithmEntry read_algorithm_entry(const Json& given, const Place& place,
                                    std::set<std::string>& labels);

/// Of an entry, without what stands beside them.
Json own_parameters(const Json& entry);

}  // namespace motley
