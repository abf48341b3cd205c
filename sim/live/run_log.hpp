#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/learning/rules/parameters.hpp"
#include "sim/live/bytes.hpp"

namespace motley {

/// One thing that a rank has noted. Which of the fields count depends on what it is.
struct LogEntry {
  enum class Kind : std::uint8_t {
    computes,      ///< begins to compute, `count` samples at the model of this version
    has_computed,  ///< ends
    discards,      ///< computing of `value` seconds was for nothing; of worker `who`
    gradient,      ///< of `count` samples, with mean loss `value` (NaN: nothing is learnt)
    /// A message from node `who` of `count` bytes, departed at begin_s, the number-th here; it brings the
    /// model of this version, or what was computed at it.
    arrival,
    staleness,  ///< of what worker `who` has pushed, in the number-th arrival here: `count`
    update,  ///< of the global model, or of this server's shard, begun at begin_s, of mean staleness `value`
    own_update,  ///< of this worker's own model, the count-th since it was merged
    decision,    ///< `text` is `value` for worker `who`
    left         ///< its body has ended
  };

  Kind kind = Kind::computes;
  double time_s = 0;
  double begin_s = 0;
  double value = 0;
  std::uint64_t who = 0;
  std::uint64_t count = 0;
  std::uint64_t number = 0;
  std::optional<std::uint64_t> version = {};
  std::string text = {};
  std::vector<std::uint32_t> used = {};  ///< update: of which arrivals
  /// The model as it was then, if it was kept: index into RunLog::models.
  std::optional<std::uint32_t> model = {};
};

/// What happened to one rank, in order, and the models it kept. Nothing is worked out while the run goes
/// on: see replay.hpp.
struct RunLog {
  std::vector<LogEntry> entries;
  std::vector<Parameters> models;
  std::uint64_t data_samples = 0;
  // Where computations are stretched to what the scenario says: how many there were, and of those that
  // took longer in reality how many and by how much.
  std::uint64_t computations = 0;
  std::uint64_t overruns = 0;
  double overrun_s = 0;
  double computed_s = 0;  ///< of all of them, as the scenario says
  // Messages of the algorithm that held more than the scenario gives them.
  std::uint64_t large_messages = 0;
  double large_by_bytes = 0;
  double averaging_s =
      0;  ///< what averaging all workers' models would take, as tried before the run
  std::string ending = {};  ///< why the run was over here before its time, if that was known

  std::uint32_t keep(const Parameters& model) {
    models.push_back(model);
    return static_cast<std::uint32_t>(models.size() - 1);
  }
};

/// All of it, or what has come to it since it had so many entries and models.
void put_log(ByteWriter& to, const RunLog& log, std::size_t first_entry = 0,
             std::size_t first_model = 0);
/// Adds what was put to the end of a log.
void take_log(ByteReader& from, RunLog& log);

}  // namespace motley
