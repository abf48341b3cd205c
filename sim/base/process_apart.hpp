#pragma once

#include <functional>
#include <optional>
#include <sys/types.h>

namespace motley {

/// A piece of work in a process of its own, with a copy of all that is here. It goes on when this process is killed,
/// or the whole job that this one is part of is asked to end (SIGINT, SIGTERM).
class ProcessApart {
 public:
  /// `work` returns the exit code. This thread is the only one that the new process has, and no destructor of what
  /// it has copied is called at its end. std::system_error when there can be no new process.
  explicit ProcessApart(const std::function<int()>& work);

  /// The exit code once it has ended; -1 when it was killed.
  std::optional<int> result();
  /// The same, waited for.
  int wait();

 private:
  void look(int options);

  pid_t process_ = 0;
  std::optional<int> result_;
};

}  // namespace motley
