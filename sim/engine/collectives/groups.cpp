#include "sim/engine/collectives/groups.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace motley {

GroupState& Groups::group(const std::string& name, const std::vector<std::size_t>& ranks,
                          const std::string& collective) {
  const std::string& by = collective.empty() ? usual_collective_ : collective;
  std::unique_ptr<GroupState>& state = groups_[name];
  if (!state) state = std::make_unique<GroupState>(common_, ranks, by, failures_);
  if (*state->ranks != ranks || state->collective != by) {
    throw std::logic_error("two workers mean different groups by '" + name + "'");
  }
  return *state;
}

GroupState& Groups::everybody(std::size_t workers) {
  if (everybody_ == nullptr) {
    std::vector<std::size_t> all(workers);
    std::iota(all.begin(), all.end(), std::size_t{0});
    everybody_ = &group(everybody_name, all, usual_collective_);
  }
  return *everybody_;
}

template <class Happen>
void Groups::for_each_with(std::size_t rank, Happen happen) {
  for (const auto& [name, state] : groups_) {
    if (std::ranges::find(*state->ranks, rank) != state->ranks->end()) happen(*state->elastic);
  }
}

void Groups::member_fails(std::size_t rank) {
  for_each_with(rank, [&](ElasticRounds& rounds) { rounds.member_fails(rank); });
}

void Groups::member_is_missed(std::size_t rank) {
  for_each_with(rank, [&](ElasticRounds& rounds) { rounds.member_is_missed(rank); });
}

void Groups::member_returns(std::size_t rank) {
  for_each_with(rank, [&](ElasticRounds& rounds) { rounds.member_returns(rank); });
}

}  // namespace motley
