#pragma once

#include <string>

namespace motley {

struct World;

/// Whether a run has come to a standstill, since when, and who waits for whom.
class Standstill {
 public:
  explicit Standstill(World& world) : world_(world) {}

  /// Nobody computes and nothing is under way: only a timer could go on.
  bool is_stuck() const;
  /// Stuck, with nothing to come but what happens in the background.
  bool is_left_to_background() const;
  /// When anything last happened to a worker.
  double since() const;
  std::string who_waits_for_whom(double since) const;
  /// Ends the run, which nothing brings any further.
  void end_run();

 private:
  World& world_;
};

}  // namespace motley
