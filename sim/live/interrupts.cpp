#include "sim/live/interrupts.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <sys/types.h>
#include <unistd.h>

namespace motley {
namespace {

volatile std::sig_atomic_t signalled = 0;
std::atomic<void (*)(int)> act_on_signal = nullptr;
std::atomic<pid_t> acts_in = 0;

extern "C" void note_signal(int number) {
  const int kept = errno;  // of what is interrupted
  signalled = number;
  auto* const act = act_on_signal.load();
  if (act != nullptr && getpid() == acts_in) act(number);
  errno = kept;
}

}  // namespace

int interrupting_signal() {
  return signalled;
}

void watch_signals() {
  std::signal(SIGINT, note_signal);
  std::signal(SIGTERM, note_signal);
  std::signal(SIGPIPE, SIG_IGN);  // who listened may be gone before this rank is
}

void on_interrupt(void (*act)(int)) {
  acts_in = getpid();
  act_on_signal = act;
}

std::string interruption(int signal) {
  if (signal == SIGINT) return "interrupted by SIGINT";
  return "interrupted by SIGTERM (somebody ends the job; mpirun and srun do so when a rank is "
         "gone)";
}

}  // namespace motley
