#pragma once

#include <string>
#include <vector>

namespace motley {

/// Runs another program, found on the PATH, and returns its exit code; 127 when it cannot be started.
/// When quiet, what it prints is thrown away.
int run_and_wait(std::vector<std::string> words, bool quiet);

}  // namespace motley
