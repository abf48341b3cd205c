#include "sim/engine/groups.hpp"

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
  if (state->ranks != ranks || state->collective != collective) {
    throw std::logic_error("two workers mean different groups by '" + name + "'");
  }
  return *state;
}

}  // namespace motley
