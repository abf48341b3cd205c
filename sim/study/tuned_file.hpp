#pragma once

#include <functional>
#include <string>

#include "sim/results/run_store.hpp"

namespace motley {

/// tuned.csv: a row for every candidate of every algorithm and point, with its values, how far it
/// got, its score over the runs that are there, and whether it was chosen.
std::string tuned_csv(const RunTable& table,
                      const std::function<const RunResult*(const std::string& hash)>& result);

}  // namespace motley
