#pragma once

#include <ctime>

namespace motley {

/// Seconds this process has computed, all its threads together. For what one thread does this is
/// the time on the wall of an idle machine, and on a busy one still the right one.
inline double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace motley
