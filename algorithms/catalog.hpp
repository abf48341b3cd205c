#pragma once

#include <string>
#include <vector>

#include "sim/vocabulary/algorithm.hpp"

namespace motley {

/// Every algorithm there is, in the order in which it is listed. Its source is made from
/// catalog.cpp.in and the files in this folder: a new file is a new algorithm.
const std::vector<AlgorithmInfo>& algorithm_catalog();

/// One that a plug-in brings, behind all others. References to entries do not outlive it.
void add_algorithm(AlgorithmInfo info);

/// The entry of this name; an InputError at `place` lists the names there are.
const AlgorithmInfo& find_algorithm(const std::string& name, const Place& place);

}  // namespace motley
