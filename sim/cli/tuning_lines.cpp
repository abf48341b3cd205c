#include "sim/cli/tuning_lines.hpp"

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

}  // namespace

void print_tuning(std::ostream& out, const Study& study) {
  const RunTable& table = study.table();
  std::vector<std::string> chosen;
  for (const TuningRecord& record : table.tuning) {
    if (record.chosen < 0) continue;
    chosen.push_back(name_of(table, record) + ": " + record.chosen_text() + " (of " +
                     std::to_string(record.candidates.size()) + " candidates in " +
                     std::to_string(record.runs()) + " runs)");
  }
  if (chosen.empty()) return;
  out << "\nTuned on seeds that are not reported; every candidate is in tuned.csv:\n";
  for (std::size_t i = 0; i < std::min(chosen.size(), most_lines); ++i) {
    out << "  " << chosen[i] << "\n";
  }
  if (chosen.size() > most_lines) {
    out << "  ... and " << chosen.size() - most_lines << " more\n";
  }
}

}  // namespace motley
