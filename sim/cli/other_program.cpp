#include "sim/cli/other_program.hpp"

#include <cstdio>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

namespace motley {

int run_and_wait(std::vector<std::string> words, ChildOutput output) {
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    if (output == ChildOutput::hidden && (std::freopen("/dev/null", "w", stdout) == nullptr ||
                                          std::freopen("/dev/null", "w", stderr) == nullptr)) {
      _exit(127);
    }
    if (output == ChildOutput::on_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) _exit(127);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

}  // namespace motley
