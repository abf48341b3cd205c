#include "sim/cli/duration.hpp"

#include <cmath>
#include <sstream>

namespace motley {

std::string duration(double seconds) {
  std::ostringstream text;
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole >= 3600)
    text << whole / 3600 << " h " << whole % 3600 / 60 << " min";
  else if (whole >= 60)
    text << whole / 60 << " min " << whole % 60 << " s";
  else
    text << whole << " s";
  return text.str();
}

}  // namespace motley
