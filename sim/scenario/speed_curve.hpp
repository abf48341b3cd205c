#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/scenario/change_spec.hpp"
#include "sim/scenario/factor_steps.hpp"

namespace motley {

/// The name of the random streams of slow-downs, by rank. Not for algorithms.
inline constexpr const char* slowdown_stream = "cluster: slow-downs";

/// The steps of one worker in a trace; the first is at 0.
struct TracePlan {
  std::vector<FactorStep> steps;
  std::optional<double> repeat_s;  ///< begins anew after so long
};

/// How the speed of one host changes during a run.
struct SpeedPlan {
  std::size_t rank = 0;  ///< whose slow-downs are drawn, though others are taken out of the cluster
  std::vector<FactorStep> listed;
  std::optional<SlowdownSpec> slowdowns;
  TracePlan trace;

  bool is_constant() const { return listed.empty() && !slowdowns && trace.steps.empty(); }
};

/// What the speed of a host is multiplied by, as a function of virtual time: constant in pieces, the
/// product of the changes that are listed, of random slow-downs and of a trace. It depends on the
/// plan and the seed alone, never on what is computed. Pieces are made when they are first asked for.
class SpeedCurve {
 public:
  SpeedCurve(const SpeedPlan& plan, std::uint64_t seed);

  /// From now on, until next_change(now). Time does not go back between calls.
  double at(double now);
  /// After now; infinite when there is none.
  double next_change(double now);
  /// When work is done that takes so long at factor 1 and begins now.
  double end_of(double now, double work_s);
  /// The mean factor up to then.
  double mean_until(double end);

 private:
  struct Piece {
    double begin_s = 0;
    double factor = 1;
  };
  /// One of the three, step by step.
  struct Source {
    FactorStep next;    ///< infinite: none any more
    double factor = 1;  ///< before it
  };

  void forget_before(double now);
  void extend();
  void advance_listed();
  void advance_slowdowns();
  void advance_trace();
  double piece_end(std::size_t piece);

  const SpeedPlan& plan_;
  RandomStream random_;
  Source listed_;
  Source slowdowns_;
  Source trace_;
  std::size_t next_listed_ = 0;
  std::size_t next_traced_ = 0;
  double trace_begin_s_ = 0;  // of its present repetition
  bool slow_ = false;
  std::deque<Piece> pieces_;
  bool complete_ = false;  // the last piece holds for good
};

}  // namespace motley
