#pragma once

#include <string>
#include <vector>

#include "sim/vocabulary/algorithm.hpp"

namespace motley {

/// Every algorithm there is, in the order in which it is listed.
const std::vector<AlgorithmInfo>& algorithm_catalog();

/// The entry of this name; an InputError at `place` lists the names there are.
const AlgorithmInfo& find_algorithm(const std::string& name, const Place& place);

// One per file in this folder.
AlgorithmInfo sync_sgd();
AlgorithmInfo allreduce_sgd();
AlgorithmInfo async_sgd();
AlgorithmInfo stale_sgd();
AlgorithmInfo local_sgd();
AlgorithmInfo grouping_sgd();
AlgorithmInfo simuparallel_sgd();
AlgorithmInfo wp_sgd();
AlgorithmInfo biased_local_sgd();
AlgorithmInfo od_sgd();
AlgorithmInfo allocation_sgd();
AlgorithmInfo backup_sgd();
AlgorithmInfo dc_asgd();
AlgorithmInfo ringmaster();
AlgorithmInfo scaffold();
AlgorithmInfo fedbuff();
AlgorithmInfo diloco();
AlgorithmInfo hierarchical();
AlgorithmInfo ad_psgd();

}  // namespace motley
