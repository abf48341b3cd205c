#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/live/post.hpp"
#include "sim/live/run_live.hpp"

namespace motley {

/// One thing that was timed between ranks. All messages go to one rank or come from one.
struct Timing {
  enum class What : std::uint8_t {
    up,    ///< a message from a worker to the hub, and an empty one back
    down,  ///< the other way round
    incast,  ///< an empty message from the hub to each of the first workers, and a message back from all
    outcast,  ///< a message from the hub to each of them, and an empty one back from all
    ring      ///< everybody sends one to the next rank at the same time, and waits for its own
  };
  static const char* name(What what);

  What what = What::up;
  std::uint64_t worker = 0;   ///< of up, down and ring: whose time it is
  std::uint64_t senders = 1;  ///< how many workers took part
  std::uint64_t bytes = 0;    ///< of each message
  double seconds = 0;         ///< the median of several
};

/// Times of gradients of one rank.
struct SpeedTiming {
  std::uint64_t rank = 0;
  std::uint64_t batch = 0;
  double seconds = 0;  ///< of one gradient, the median of several, or of fewer where they are slow
};

struct Measured {
  std::vector<Timing> network;
  std::vector<SpeedTiming> computing;  ///< empty where computing is emulated
};

/// What is to be measured.
struct CalibrationSetup {
  const SimulationSetup& setup;
  bool computes = true;              ///< also how fast gradients are
  std::vector<std::uint64_t> sizes;  ///< of messages, ascending
  std::size_t rounds = 0;            ///< how often every message is timed, and a gradient at least
  std::function<void(const std::string&)> tell = [](const std::string&) {};  ///< what comes next
  /// It is over before its time; called as soon as that is so.
  std::function<void(const Ending&)> ends_badly = [](const Ending&) {};
};

/// Measures what a cluster's description needs: called by all ranks, the result is on the first. The hub is
/// the first server; where there is none, the last worker, which then sends nothing to itself. Nothing is measured
/// where it ends badly.
Measured calibrate(LiveRanks& ranks, const CalibrationSetup& setup);

}  // namespace motley
