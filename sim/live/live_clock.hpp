#pragma once

#include <chrono>

namespace motley {

/// Seconds since the start of the run, the same on all ranks as nearly as their clocks could be compared.
class LiveClock {
 public:
  double now() const { return machine_s() + ahead_s_ - start_s_; }
  /// By the clock of this machine alone.
  static double machine_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  /// By the clock of the first rank's machine.
  double common_s() const { return machine_s() + ahead_s_; }

  /// So much is the first rank's clock ahead of this one.
  void set_ahead(double seconds) { ahead_s_ = seconds; }
  /// The run starts then, by the first rank's clock.
  void start_at(double common_s) { start_s_ = common_s; }

 private:
  double ahead_s_ = 0;
  double start_s_ = 0;
};

}  // namespace motley
