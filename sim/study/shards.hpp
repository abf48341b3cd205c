#pragma once

#include <string>
#include <vector>

#include "sim/study/study.hpp"

namespace motley {

/// The K-th of N parts of the work, counted from 1.
struct StudyShard {
  std::size_t index = 1;
  std::size_t count = 1;
};

/// From text such as "2/8"; InputError for anything else.
StudyShard parse_shard(const std::string& text);

/// Which of the study's runs a shard has to do: one for each hash, in the order of the plan, and all
/// that wait for the same tuning, which the shard does too. The shards are of nearly equal expected
/// cost, and the same whatever is done already.
std::vector<std::size_t> runs_of_shard(const Study& study, const StudyShard& shard);

/// More than these would have nothing to do.
std::size_t most_shards(const Study& study);

}  // namespace motley
