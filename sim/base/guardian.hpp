#pragma once

#include <functional>

#include "sim/base/process_apart.hpp"

namespace motley {

/// A process that does what is left to do when this one has gone, or has destroyed it, without having dismissed it.
class Guardian {
 public:
  /// `work` as of ProcessApart. It has the standard streams, and no other file that is open here. Where there can be
  /// no new process there is no guardian.
  explicit Guardian(const std::function<void()>& work);
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  /// There is nothing left to do; waits until the process is gone.
  void dismiss();
  /// In a process that was forked since: the guardian need not wait for that one's end, too.
  void disown() noexcept;

 private:
  // Of a connection that ends with this process and those it has forked that have not disowned it.
  int fd_ = -1;
  std::optional<ProcessApart> process_;
};

}  // namespace motley
