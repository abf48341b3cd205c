#pragma once

#include <chrono>
#include <cstddef>

namespace motley {

/// Tells on stderr how many points of a sweep have been checked, once that takes seconds: one line
/// that is rewritten and removed at the end on a terminal, now and then a plain line elsewhere.
class CheckingDisplay {
 public:
  CheckingDisplay();
  ~CheckingDisplay();

  void checked(std::size_t points, std::size_t of_all);

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace motley
