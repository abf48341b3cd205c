#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/results/tables/column_table.hpp"

namespace motley {

/// How fast an algorithm makes its first so many updates, from the start of the run.
struct Throughput {
  std::uint64_t updates = 0;
  std::uint64_t samples = 0;
  double virtual_s = 0;

  double updates_per_s() const { return static_cast<double>(updates) / virtual_s; }
  double samples_per_s() const { return static_cast<double>(samples) / virtual_s; }
};

/// One row of whatif.csv.
struct WhatIf {
  std::string algorithm;  ///< its label
  std::vector<Json> point;
  std::string change;
  std::optional<Throughput> throughput = {};
  std::optional<double> gain = {};
  std::string why_not = {};               ///< when there is no throughput
  std::optional<std::size_t> named = {};  ///< its place among what is worth naming
  bool is_bottleneck = false;
  std::string note = {};
};

inline constexpr const char* few_updates_note = "few_updates";
inline constexpr const char* lockstep_note = "lockstep";

const ColumnTable<WhatIf>& whatif_table();

}  // namespace motley
