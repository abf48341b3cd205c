#include "sim/cli/live_warnings.hpp"

#include <sstream>

#include "sim/base/machine_memory.hpp"

namespace motley {

void warn_of_overruns(const std::vector<RunLog>& logs, RunResult& result) {
  std::uint64_t all = 0;
  std::uint64_t late = 0;
  double computed_s = 0;
  double late_s = 0;
  for (const RunLog& log : logs) {
    all += log.computations;
    late += log.overruns;
    computed_s += log.computed_s;
    late_s += log.overrun_s;
  }
  if (late == 0) return;
  std::ostringstream text;
  text.precision(2);
  text << "had " << late << " of " << all
       << " computations that took longer in reality than the scenario gives them, by "
       << 100 * late_s / computed_s
       << " % of all computing: the machine is too busy or too slow for this scenario";
  result.warnings.push_back({"overrun", text.str()});
}

void warn_of_large_messages(const std::vector<RunLog>& logs, RunResult& result) {
  std::uint64_t messages = 0;
  double more = 0;
  for (const RunLog& log : logs) {
    messages += log.large_messages;
    more += log.large_by_bytes;
  }
  if (messages == 0) return;
  std::ostringstream text;
  text
      << messages << " messages held more than the scenario gives them, by "
      << shown_bytes(more / static_cast<double>(messages))
      << " on average: what was trained is larger than the model_size, it was quantised to so many "
         "levels that listing them takes room, or the samples' scores of biased_local, which "
         "really travel as lists; they took longer than they would have";
  result.warnings.push_back({"large_messages", text.str()});
}

}  // namespace motley
