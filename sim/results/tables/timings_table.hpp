#pragma once

#include <cstdint>
#include <string>

#include "sim/results/tables/column_table.hpp"

namespace motley {

/// What `motley calibrate` has timed between ranks, and of their gradients, and what the cluster that it wrote gives for it.
struct TimingRow {
  std::string what;
  std::uint64_t worker = 0;
  std::uint64_t senders = 0;
  std::uint64_t bytes = 0;
  std::uint64_t batch = 0;
  double measured_s = 0;
  double fitted_s = 0;
};

/// Of the file beside a calibrated scenario.
const ColumnTable<TimingRow>& timings_table();

}  // namespace motley
