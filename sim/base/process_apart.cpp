#include "sim/base/process_apart.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace motley {

namespace {

/// Interrupts come when this is gone.
class WithoutInterrupts {
 public:
  WithoutInterrupts() {
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &interrupts, &before_);
  }
  ~WithoutInterrupts() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutInterrupts(const WithoutInterrupts&) = delete;
  WithoutInterrupts& operator=(const WithoutInterrupts&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

ProcessApart::ProcessApart(const std::function<int()>& work) {
  std::cout.flush();
  std::cerr.flush();
  const WithoutInterrupts guard;  // until the new process ignores them
  process_ = fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process_ > 0) return;
  setsid();
  for (const int ignored : {SIGINT, SIGTERM, SIGPIPE}) std::signal(ignored, SIG_IGN);
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
