#include "sim/results/tuning_record.hpp"

#include <iomanip>
#include <sstream>

#include "sim/scenario/sweep.hpp"

namespace motley {
namespace {

std::vector<std::string> texts(const StrictJson& list) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < list.elements(); ++i) found.push_back(list.element(i).text());
  return found;
}

double to_digits(double value, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return std::stod(text.str());
}

}  // namespace

std::size_t TuningRecord::runs() const {
  std::size_t count = 0;
  for (const CandidateRecord& candidate : candidates) count += candidate.hashes.size();
  return count;
}

std::string TuningRecord::chosen_text() const {
  std::string text;
  if (chosen < 0) return text;
  for (const auto& [name, value] : candidates[static_cast<std::size_t>(chosen)].values.items()) {
    // Those of a log scale have as many digits as a double; tuned.csv has them all.
    text += (text.empty() ? "" : ", ") + name + " " +
            shown_value(value.is_number_float() ? Json(to_digits(value, 4)) : value);
  }
  return text;
}

Json to_json(const TuningRecord& record) {
  Json candidates = Json::array();
  for (const CandidateRecord& candidate : record.candidates) {
    candidates.push_back(
        {{"values", candidate.values}, {"rung", candidate.rung}, {"hashes", candidate.hashes}});
  }
  return {{"algorithm", record.label},
          {"point", record.point},
          {"parameters", record.parameters},
          {"identity", record.identity},
          {"candidates", candidates},
          {"chosen", record.chosen < 0 ? Json() : Json(record.chosen)},
          {"grid", record.grid},
          {"tried", record.tried},
          {"at_edge", record.at_edge ? 1 : 0}};
}

TuningRecord tuning_record_from_json(const StrictJson& json, std::size_t axes) {
  TuningRecord record;
  record.label = json.member("algorithm").text();
  const StrictJson point = json.member("point");
  point.row(axes);
  for (const Json& value : point.any()) record.point.push_back(value);
  record.parameters = texts(json.member("parameters"));
  record.identity = json.member("identity").text();
  const StrictJson candidates = json.member("candidates");
  for (std::size_t i = 0; i < candidates.elements(); ++i) {
    const StrictJson in = candidates.element(i);
    if (!in.member("values").any().is_object()) in.member("values").refuse("must be an object");
    record.candidates.push_back({in.member("values").any(),
                                 static_cast<std::size_t>(in.member("rung").count()),
                                 texts(in.member("hashes"))});
  }
  const StrictJson chosen = json.member("chosen");
  if (!chosen.any().is_null()) record.chosen = static_cast<std::int64_t>(chosen.count());
  if (record.chosen >= static_cast<std::int64_t>(record.candidates.size())) {
    chosen.refuse("must be the number of a candidate");
  }
  record.grid = static_cast<std::size_t>(json.member("grid").count());
  record.tried = static_cast<std::size_t>(json.member("tried").count());
  record.at_edge = json.member("at_edge").count() > 0;
  return record;
}

}  // namespace motley
