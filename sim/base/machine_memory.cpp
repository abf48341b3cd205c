#include "sim/base/machine_memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <sys/resource.h>

namespace motley {
namespace {

double main_memory_and_swap() {
  std::ifstream file("/proc/meminfo");
  double bytes = 0;
  std::string name;
  double kib = 0;
  std::string unit;
  while (file >> name >> kib) {
    std::getline(file, unit);
    if (name == "MemTotal:" || name == "SwapTotal:") bytes += 1024 * kib;
  }
  return bytes > 0 ? bytes : HUGE_VAL;
}

/// Without a limit the file holds "max" (version 2) or a number beyond any memory (version 1).
double control_group_limit(const char* path) {
  std::ifstream file(path);
  double bytes = 0;
  return file >> bytes && bytes > 0 ? bytes : HUGE_VAL;
}

double process_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return HUGE_VAL;
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

double machine_memory() {
  return std::min({main_memory_and_swap(), control_group_limit("/sys/fs/cgroup/memory.max"),
                   control_group_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
                   process_limit()});
}

std::string shown_bytes(double bytes) {
  constexpr std::array<const char*, 7> units = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  std::ostringstream text;
  text << std::fixed << std::setprecision(bytes < 9.95 && unit > 0 ? 1 : 0) << bytes << " "
       << units[unit];
  return text.str();
}

void check_fits_memory(double bytes, const std::string& what, const Place& place) {
  static const double there = machine_memory();  // takes longer than what it is asked for
  if (bytes <= there) return;
  throw InputError(place, what + " needs about " + shown_bytes(bytes) +
                              " of memory, more than the " + shown_bytes(there) +
                              " of this machine");
}

}  // namespace motley
