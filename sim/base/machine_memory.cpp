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

double control_groups_limit(const std::string& groups, const std::string& root) {
  double least = HUGE_VAL;
  std::ifstream file(groups);
  for (std::string line; std::getline(file, line);) {  // number:controllers:/path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool is_version_2 = controllers == ",,";
    if (!is_version_2 && controllers.find(",memory,") == std::string::npos) continue;
    const std::string tree = is_version_2 ? root : root + "/memory";
    const char* name = is_version_2 ? "/memory.max" : "/memory.limit_in_bytes";
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      if (path == "/") path.clear();
      least = std::min(least, control_group_limit((tree + path + name).c_str()));
      if (path.empty() || path[0] != '/') break;
    }
  }
  return least;
}

double shared_memory() {
  return std::min(main_memory_and_swap(),
                  control_groups_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
}

double machine_memory() {
  return std::min(shared_memory(), process_limit());
}

unsigned jobs_that_fit(unsigned wanted, double bytes_of_each, double memory) {
  if (wanted * bytes_of_each <= memory) return wanted;
  return std::max(1U, static_cast<unsigned>(memory / bytes_of_each));
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
