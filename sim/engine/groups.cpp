#include "sim/engine/groups.hpp"

#include <stdexcept>

namespace motley {

GroupState& Groups::group(const std::string& name, const std::vector<std::size_t>& ranks,
                          const std::string& collective) {
  const std::string& by = collective.empty() ? usual_collective_ : collective;
  std::unique_ptr<GroupState>& state = groups_[name];
  if (!state) state = std::make_unique<GroupState>(common_, ranks, by);
  if (state->ranks() != ranks || state->collective() != by) {
    throw std::logic_error("two workers mean different groups by '" + name + "'");
  }
  return *state;
}

}  // namespace motley
