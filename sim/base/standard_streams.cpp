#include "sim/base/standard_streams.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

namespace motley {

void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // A closed stdout stays one that cannot be written to; nobody misses what goes to stderr.
    // The lowest free descriptor is this one, as those below are taken.
    open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

bool standard_output_is_written() {
  std::cout.flush();
  return std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace motley
