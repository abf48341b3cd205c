#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/results/optimal_time.hpp"
#include "sim/results/tables/column_table.hpp"

namespace motley {

/// What nothing on this cluster can exceed, and how near an algorithm comes.
struct LimitRow {
  std::string algorithm;  ///< its label
  std::vector<Json> point;

  // At the speeds of the cluster's description and the scenario's batch sizes. Of an algorithm that chooses
  // other batches there is only samples_per_s, of the best ones.
  std::optional<double> gradients_per_s = {};     ///< sum_i 1/tau_i
  double samples_per_s = 0;                       ///< sum_i b_i/tau_i
  std::optional<double> sync_updates_per_s = {};  ///< 1/max_i tau_i
  std::string narrowest_link = {};
  std::optional<double> link_updates_per_s = {};

  std::optional<double> measured_samples_per_s = {};  ///< mean over the runs
  std::optional<double> measured_updates_per_s = {};
  std::optional<double> time_to_target_s = {};

  struct Theory {
    std::string constants;  ///< "known" or "estimated"
    double smoothness = 0;
    double gap = 0;
    double variance = 0;  ///< of a gradient of the mean batch
    double epsilon = 0;
    OptimalTime same;
    double different_s = 0;
    double sync_s = 0;
  };
  std::optional<Theory> theory = {};

  std::optional<double> of_the_limit() const;
  std::optional<double> of_theory() const;
};

const ColumnTable<LimitRow>& limits_table();

}  // namespace motley
