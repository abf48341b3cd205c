#include "sim/base/child_process.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace motley {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 4096> buffer{};
  std::size_t n = 0;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), file)) > 0) text.append(buffer.data(), n);
  return text;
}

void write_line(int fd, const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(1);  // nobody listens any more
    written += static_cast<std::size_t>(n);
  }
}

/// The leak sanitizer looks at exit(), which a child does not call: its parent's objects are not
/// its own to destroy. So it is asked here; the details go to stderr.
bool has_leaked() {
#if defined(__SANITIZE_ADDRESS__)
  return __lsan_do_recoverable_leak_check() != 0;
#else
  return false;
#endif
}

[[noreturn]] void be_the_child(const std::function<Json(const ChildProcess::Report&)>& body,
                               int out) {
  Json answer;
  try {
    answer = {{"result", body([out](const Json& report) {
                 write_line(out, {{"report", report}});
               })}};
  } catch (const std::bad_alloc&) {
    answer = {{"error", "not enough memory"}};
  } catch (const std::exception& e) {
    answer = {{"error", e.what()}};
  }
  if (has_leaked()) answer = {{"error", "memory has leaked"}};
  write_line(out, answer);
  std::fflush(nullptr);
  _exit(0);
}

}  // namespace

std::string ChildOutcome::complaint() const {
  if (stderr_text.empty()) return first_line(error);
  return first_line(error) + " (" + first_line(stderr_text) + ")";
}

ChildProcess::ChildProcess(const std::function<Json(const Report&)>& body) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("a process cannot be started: pipe");
  stderr_file_ = std::tmpfile();
  const auto give_up = [&](const char* what) {
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    if (stderr_file_ != nullptr) std::fclose(stderr_file_);
    errno = error;
    fail(what);
  };
  if (stderr_file_ == nullptr) give_up("a process cannot be started: temporary file");
  std::fflush(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) give_up("a process cannot be started: fork");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it died in between
    signal(SIGINT, SIG_IGN);            // the parent decides what an interrupt means
    signal(SIGTERM, SIG_DFL);
    dup2(fileno(stderr_file_), STDERR_FILENO);
    be_the_child(body, ends[1]);
  }
  close(ends[1]);
  fd_ = ends[0];
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill();
    wait();
  }
}

bool ChildProcess::read(const Report& on_report) {
  std::array<char, 65536> buffer{};
  const ssize_t n = ::read(fd_, buffer.data(), buffer.size());
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  unread_.append(buffer.data(), static_cast<std::size_t>(n));
  std::size_t begin = 0;
  for (std::size_t end = unread_.find('\n'); end != std::string::npos;
       end = unread_.find('\n', begin)) {
    Json line = Json::parse(unread_.begin() + static_cast<std::ptrdiff_t>(begin),
                            unread_.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (line.is_object() && line.contains("report"))
      on_report(line["report"]);
    else
      last_ = std::move(line);
    begin = end + 1;
  }
  unread_.erase(0, begin);
  return true;
}

ChildOutcome ChildProcess::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  close(fd_);
  ChildOutcome outcome;
  outcome.stderr_text = contents(stderr_file_);
  std::fclose(stderr_file_);
  if (WIFSIGNALED(status)) {
    outcome.died = true;
    outcome.error = std::string("its process died: ") + strsignal(WTERMSIG(status));
  } else if (last_.is_object() && last_.contains("result")) {
    outcome.result = std::move(last_["result"]);
  } else if (last_.is_object() && last_.contains("error")) {
    outcome.error = last_["error"];
  } else {
    outcome.died = true;
    outcome.error =
        "its process ended without an answer, exit code " + std::to_string(WEXITSTATUS(status));
  }
  return outcome;
}

void ChildProcess::kill() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

ChildOutcome run_in_child(const std::function<Json()>& function) {
  ChildProcess child([&function](const ChildProcess::Report&) { return function(); });
  while (child.read([](const Json&) {})) {
  }
  return child.wait();
}

}  // namespace motley
