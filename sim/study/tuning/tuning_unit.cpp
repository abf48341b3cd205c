#include "sim/study/tuning/tuning_unit.hpp"

#include <set>
#include <sstream>

namespace motley {

Json TuningUnit::with_names(const std::vector<Json>& values) const {
  Json named = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) named[parameters[i]] = values[i];
  return named;
}

std::size_t tuning_runs_of(const std::vector<TuningUnit>& units) {
  std::size_t runs = 0;
  for (const TuningUnit& unit : units) runs += unit.budgeted_runs();
  return runs;
}

std::string describe_tuning(const std::vector<TuningUnit>& units,
                            const std::vector<RunEntry>& runs) {
  if (units.empty()) return "";
  std::ostringstream text;
  std::set<std::string> told;
  for (const TuningUnit& unit : units) {
    const double all = product_size(unit.choice.grids);
    if (all == static_cast<double>(unit.choice.candidates.size())) continue;
    if (!told.insert(unit.label).second) continue;
    text << "\ntuning: " << unit.label << " tries an even sample of "
         << unit.choice.candidates.size() << " of its " << all << " candidates; "
         << unit.choice.budget << " runs allow no more";
  }
  std::set<std::string> by_hand;
  for (const RunEntry& run : runs) {
    if (run.before_tuning.empty()) by_hand.insert(run.label);
  }
  for (const std::string& label : by_hand) {
    text << "\ntuning: " << label << " is not tuned; it has the values it is given";
  }
  return text.str();
}

}  // namespace motley
