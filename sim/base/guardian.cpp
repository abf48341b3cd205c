#include "sim/base/guardian.hpp"

#include <array>
#include <cerrno>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace motley {
namespace {

/// Waits for a word, or for the end of whoever could say it; true when there was one.
bool hears_a_word(int fd) {
  char word = 0;
  ssize_t length = 0;
  do {
    length = read(fd, &word, 1);
  } while (length < 0 && errno == EINTR);
  return length == 1;
}

/// Somebody at the other end of a file that is open here may wait for this process to close it.
int close_all_but(int fd) {
  constexpr int kept = STDERR_FILENO + 1;
  if (fd != kept) dup2(fd, kept);
  close_range(kept + 1, ~0U, 0);
  return kept;
}

}  // namespace

Guardian::Guardian(const std::function<void()>& work) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  fd_ = ends[0];
  const int theirs = ends[1];
  try {
    process_.emplace([&] {
      prctl(PR_SET_NAME, "guardian");  // whoever kills all programs of this name does not mean it
      if (!hears_a_word(close_all_but(theirs))) work();
      return 0;
    });
  } catch (const std::system_error&) {  // done without
  }
  close(theirs);
}

Guardian::~Guardian() {
  if (fd_ >= 0) close(fd_);
}

void Guardian::dismiss() {
  if (fd_ < 0) return;
  const char word = '.';
  send(fd_, &word, 1, MSG_NOSIGNAL);
  if (process_) process_->wait();
}

void Guardian::disown() noexcept {
  if (fd_ < 0) return;
  close(fd_);
  fd_ = -1;
}

}  // namespace motley
