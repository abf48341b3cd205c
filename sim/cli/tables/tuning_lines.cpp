#include "sim/cli/tables/tuning_lines.hpp"

#include <set>

#include "sim/base/format.hpp"
#include "sim/base/json.hpp"

namespace motley {
namespace {

/// More would be no answer but a table of its own.
constexpr std::size_t most_lines = 12;

std::string name_of(const RunTable& table, const TuningRecord& record) {
  std::string text = record.label;
  for (std::size_t i = 0; i < table.axes.size(); ++i) {
    text += (i == 0 ? " at " : ", ") + table.axes[i] + "=" + shown_value(record.point[i]);
  }
  return text;
}

/// "tried 4 of its 5 values, and 1 beyond, in 10 runs".
std::string how_tuned(const TuningUnit& unit, const TuningRecord& record) {
  const std::string thing = unit.parameters.size() == 1 ? "value" : "combination";
  if (record.runs() == 0) return "its only " + thing;
  const std::size_t beyond = record.candidates.size() - record.tried;
  return "tried " + (record.is_sampled() ? std::to_string(record.tried) + " of" : "all of") +
         " its " + counted(record.grid, thing) +
         (beyond > 0 ? ", and " + std::to_string(beyond) + " beyond, in " : " in ") +
         counted(record.runs(), "run");
}

}  // namespace

void print_tuning(std::ostream& out, const Study& study) {
  const RunTable& table = study.table();
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < table.tuning.size(); ++i) {
    const TuningRecord& record = table.tuning[i];
    if (record.chosen < 0) continue;
    chosen.push_back(name_of(table, record) + ": " + record.chosen_text() + " (" +
                     how_tuned(study.units()[i], record) + ")");
  }
  if (chosen.empty()) return;
  out << "\nTuned on seeds that are not reported; every candidate is in tuned.csv:\n";
  for (std::size_t i = 0; i < std::min(chosen.size(), most_lines); ++i) {
    out << "  " << chosen[i] << "\n";
  }
  if (chosen.size() > most_lines) {
    out << "  ... and " << chosen.size() - most_lines << " more\n";
  }
  std::set<std::string> by_hand;
  for (const RunEntry& run : table.runs) {
    if (run.before_tuning.empty()) by_hand.insert(run.label);
  }
  if (!by_hand.empty()) {
    out << "  not tuned, but compared with what is: "
        << listed(std::vector<std::string>(by_hand.begin(), by_hand.end())) << "\n";
  }
}

}  // namespace motley
