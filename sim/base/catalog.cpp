#include "sim/base/catalog.hpp"

#include "sim/base/text.hpp"

namespace motley {

void throw_unknown(const std::string& what, const std::string& name,
                   const std::vector<std::string>& names, const Place& place) {
  std::string listed;
  for (const std::string& known : names) listed += (listed.empty() ? "" : ", ") + known;
  throw InputError(place, "unknown " + what + " '" + shortened(name) + "'" +
                              did_you_mean(name, names) + ", there are: " + listed);
}

}  // namespace motley
