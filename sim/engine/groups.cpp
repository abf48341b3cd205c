#include "sim/engine/groups.hpp"

#include <numeric>
#include <stdexcept>

namespace motley {

GroupState& Groups::group(const std::string& name, const std::vector<std::size_t>& ranks,
                          const std::string& collective) {
  std::unique_ptr<GroupState>& state = groups_[name];
  if (!state) {
    Collective::Setup setup = common_;
    setup.ranks = ranks;
    state = std::make_unique<GroupState>(setup, collective);
  }
  if (*state->ranks != ranks || state->collective != collective) {
    throw std::logic_error("two workers mean different groups by '" + name + "'");
  }
  return *state;
}

GroupState& Groups::everybody(std::size_t workers) {
  if (everybody_ == nullptr) {
    std::vector<std::size_t> all(workers);
    std::iota(all.begin(), all.end(), std::size_t{0});
    everybody_ = &group(everybody_name, all, "ring");
  }
  return *everybody_;
}

}  // namespace motley
