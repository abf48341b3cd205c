#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/live/ending.hpp"
#include "sim/live/live_clock.hpp"
#include "sim/live/log_file.hpp"
#include "sim/live/run_log.hpp"
#include "sim/live/transport.hpp"

namespace motley {

/// The ranks of this program, as they are for all its runs.
class LiveRanks {
 public:
  explicit LiveRanks(Transport& transport);

  Transport& transport() { return transport_; }
  LiveClock& clock() { return clock_; }
  std::size_t rank() const { return transport_.rank(); }
  std::size_t size() const { return transport_.size(); }
  /// Whether any two of them are on one machine.
  bool share_machine() const { return share_machine_; }
  /// Whether this one is on the first rank's.
  bool is_with_first() const { return is_with_first_; }
  std::uint32_t next_run() { return ++runs_; }

 private:
  Transport& transport_;
  LiveClock clock_;
  bool share_machine_ = false;
  bool is_with_first_ = false;
  std::uint32_t runs_ = 0;
};

/// How many ranks a run of the algorithm needs: workers, then servers.
std::size_t ranks_needed(const ClusterPlan& cluster, const Algorithm& algorithm);

/// Why a run cannot be live, in one sentence that begins with the place in the scenario; empty when it can.
std::string why_not_live(const SimulationSetup& setup, const Algorithm& algorithm, bool emulate);

/// What became of a live run on this rank.
struct LiveOutcome {
  Ending ending;
  double end_s = 0;  ///< when it was over
  /// What all ranks have recorded, by rank, for replay(): on the first rank, or where that one is lost on
  /// the next. Those of lost ranks are what they had kept in their files, or empty.
  std::optional<std::vector<RunLog>> logs;
  std::vector<std::size_t> lost;  ///< ranks
  /// Of this rank, in use as long as this is: until the results are written.
  std::unique_ptr<LogFile> kept = nullptr;

  /// Whether nobody was killed or is about to be.
  bool is_complete() const { return ending.how != Ending::How::interrupted && lost.empty(); }
};

/// How it goes on while it does.
struct LiveEvents {
  std::function<void()> has_begun;  ///< all are there
  /// It is over before its time; called as soon as that is so: who is to be killed has no more than a moment.
  std::function<void(const Ending&)> ends_badly;
  /// After that: who does not answer any more.
  std::function<void(const std::string&)> misses;
};

/// One run of one algorithm for real; every rank calls it with the same arguments. Computations take the
/// time that the scenario gives them if `emulate`, else their own. `notes`: a folder that the ranks share, in
/// which each keeps what it has recorded in a file, should it be killed; may be empty.
LiveOutcome run_live(LiveRanks& ranks, const SimulationSetup& setup, const Algorithm& algorithm,
                     bool emulate, const std::filesystem::path& notes, const LiveEvents& events);

/// What is left of a run whose ranks were all killed: what they had kept in the folder of their notes. Waits until
/// nobody uses that any more, as somebody does who writes the results.
LiveOutcome outcome_of_notes(const std::filesystem::path& notes, std::size_t ranks);

/// Between runs and after the last: waits until this rank is ready and all others are here, in naps, since others may
/// need this core. `ready`: nothing while it is not; empty when it is; or a trouble, by which it ends everywhere, as it
/// does when the job is interrupted or a rank is silent; `ends_badly` is called as soon as that is so.
Ending wait_for_all(LiveRanks& ranks, const std::function<std::optional<std::string>()>& ready,
                    const std::function<void(const Ending&)>& ends_badly);

}  // namespace motley
