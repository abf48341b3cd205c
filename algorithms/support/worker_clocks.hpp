#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace motley {

/// How many gradients each worker has made, and the least of those who are there.
class WorkerClocks {
 public:
  WorkerClocks(std::size_t workers, std::span<const std::size_t> present) : clocks_(workers, none) {
    for (const std::size_t worker : present) join(worker);
  }

  /// It begins at the least; harmless when it is there.
  void join(std::size_t worker) {
    if (clocks_[worker] != none) return;
    clocks_[worker] = least();
    ++workers_at_[clocks_[worker]];
  }
  /// Harmless when it is not there.
  void leave(std::size_t worker) {
    if (clocks_[worker] == none) return;
    if (--workers_at_[clocks_[worker]] == 0) workers_at_.erase(clocks_[worker]);
    clocks_[worker] = none;
  }
  /// Of one that is there; returns its new clock.
  std::uint64_t tick(std::size_t worker) {
    const std::uint64_t next = clocks_[worker] + 1;
    leave(worker);
    ++workers_at_[next];
    return clocks_[worker] = next;
  }
  bool has(std::size_t worker) const { return clocks_[worker] != none; }
  /// 0 when nobody is there.
  std::uint64_t least() const { return workers_at_.empty() ? 0 : workers_at_.begin()->first; }

 private:
  static constexpr std::uint64_t none = UINT64_MAX;
  std::vector<std::uint64_t> clocks_;
  std::map<std::uint64_t, std::size_t> workers_at_;  // by clock
};

}  // namespace motley
