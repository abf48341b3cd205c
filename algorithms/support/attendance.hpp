#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/vocabulary/server.hpp"

namespace motley {

/// Which workers a server need not do without, as it is told by events; everybody where failures are
/// waited out.
class Attendance {
 public:
  explicit Attendance(Server& me) : there_(me.workers(), false) {
    for (const std::size_t i : me.present()) there_[i] = true;
  }

  void note(const Event& event) {
    if (event.kind != Event::Kind::message)
      there_[event.worker] = event.kind == Event::Kind::joined;
  }
  bool has(std::size_t worker) const { return there_[worker]; }
  /// Whether this holds of everybody who is there.
  template <class F>
  bool all(const F& of_worker) const {
    for (std::size_t i = 0; i < there_.size(); ++i) {
      if (there_[i] && !of_worker(i)) return false;
    }
    return true;
  }

 private:
  std::vector<bool> there_;
};

}  // namespace motley
