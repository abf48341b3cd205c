#pragma once

#include <ctime>

namespace motley {

/// CPU seconds of this process, all its threads together. For what one thread does this is the wall
/// time on an idle machine, and it stays right on a busy one.
inline double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace motley
