#include "sim/cli/duration.hpp"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace motley {

std::string duration(double seconds) {
  std::ostringstream text;
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole >= 3600)
    text << whole / 3600 << " h " << whole % 3600 / 60 << " min";
  else if (whole >= 60)
    text << whole / 60 << " min " << whole % 60 << " s";
  else if (seconds >= 9.95 || seconds < 0.05)
    text << whole << " s";
  else
    text << std::fixed << std::setprecision(1) << seconds << " s";
  return text.str();
}

}  // namespace motley
