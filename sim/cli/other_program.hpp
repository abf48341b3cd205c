#pragma once

#include <string>
#include <vector>

namespace motley {

/// Where another program's output goes.
enum class ChildOutput {
  shown,      ///< where this program's goes
  on_stderr,  ///< all of it; stdout is for something else
  hidden,
};

/// Runs another program, found on the PATH, and returns its exit code; 127 when it cannot be started.
int run_and_wait(std::vector<std::string> words, ChildOutput output = ChildOutput::shown);

}  // namespace motley
