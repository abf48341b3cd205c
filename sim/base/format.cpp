#include "sim/base/format.hpp"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace motley {

std::string fixed(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

std::string significant(double number, int digits) {
  if (std::abs(number) < 5e-7) return "0";  // what rounding leaves of nothing
  std::ostringstream text;
  text << std::setprecision(digits) << number;
  if (text.str().find('e') == std::string::npos) return text.str();
  return fixed(number, std::abs(number) < 1 ? 6 : 0);
}

std::string percent(double share) {
  return fixed(std::round(100 * share) + 0.0, 0) + " %";  // + 0.0: never "-0"
}

std::string seconds_like(double s, double like) {
  if (like >= 100) return fixed(s, 1);
  if (like >= 1) return fixed(s, 2);
  return fixed(s * 1e3, 3);
}

std::string seconds(double s) {
  return seconds_like(s, s) + (s >= 1 ? " s" : " ms");
}

std::string short_duration(double s) {
  if (s >= 1) return significant(s, 4) + " s";
  if (s >= 1e-3) return significant(s * 1e3, 4) + " ms";
  return significant(s * 1e6, 4) + " us";
}

std::string data_size(double bytes) {
  if (bytes >= 1e12) return fixed(bytes / 1e12, 2) + " TB";
  if (bytes >= 1e9) return fixed(bytes / 1e9, 2) + " GB";
  if (bytes >= 1e6) return fixed(bytes / 1e6, 2) + " MB";
  return fixed(bytes / 1e3, 2) + " kB";
}

std::string counted(std::size_t n, const std::string& thing) {
  return std::to_string(n) + " " + thing + (n == 1 ? "" : "s");
}

}  // namespace motley
