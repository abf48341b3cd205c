#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"

namespace motley {

/// What became of a function run in a process of its own.
struct ChildOutcome {
  std::optional<Json> result;  ///< what it returned; empty when it threw or died
  std::string error;           ///< what it threw, or how the process died
  bool died = false;           ///< the process ended without returning or throwing
  std::string stderr_text;     ///< what it wrote there

  /// One line that says why there is no result.
  std::string complaint() const;
};

/// A function in a process of its own, as SimGrid needs it: one engine per process. It shares what
/// the parent has loaded, dies with it, and sends reports and its result through a pipe. Start it
/// while this process has no other threads.
class ChildProcess {
 public:
  using Report = std::function<void(const Json&)>;

  explicit ChildProcess(const std::function<Json(const Report& report)>& body);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// Readable when there is something to read(): for poll().
  int fd() const { return fd_; }
  /// Takes what has come, passing reports on; false once the child has closed its end.
  bool read(const Report& on_report);
  /// Waits for the end, then tells how it went. Call it once.
  ChildOutcome wait();
  void kill();

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  std::FILE* stderr_file_ = nullptr;
  std::string unread_;  // an incomplete line
  Json last_;           // the result or the error, when it has come
};

/// Runs the function in a child and returns when it has ended.
ChildOutcome run_in_child(const std::function<Json()>& function);

}  // namespace motley
