#include "sim/base/process_apart.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace motley {

ProcessApart::ProcessApart(const std::function<int()>& work) {
  std::cout.flush();
  std::cerr.flush();
  process_ = fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process_ > 0) return;
  setsid();
  std::signal(SIGPIPE, SIG_IGN);  // whoever read what is said may be gone
  for (const int asks_to_end : {SIGINT, SIGTERM})
    std::signal(asks_to_end, SIG_IGN);  // its job, not this process
  const int code = work();
  std::cout.flush();
  std::cerr.flush();
  std::_Exit(code);
}

void ProcessApart::look(int options) {
  int status = 0;
  if (!result_ && waitpid(process_, &status, options) == process_) {
    result_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
}

std::optional<int> ProcessApart::result() {
  look(WNOHANG);
  return result_;
}

int ProcessApart::wait() {
  do {
    look(0);
  } while (!result_ && errno == EINTR);
  return result_.value_or(-1);
}

}  // namespace motley
