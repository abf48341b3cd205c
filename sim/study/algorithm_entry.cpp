#include "sim/study/algorithm_entry.hpp"

#include <map>
#include <optional>
#include <vector>

#include "sim/scenario/fields.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/tune.hpp"

namespace motley {
namespace {

std::string text_member(const Json& object, const char* key, const Place& place) {
  if (!object.contains(key)) return "";
  if (!object[key].is_string())
    throw InputError(place / key, "must be text in quotes", object[key]);
  return object[key];
}

/// What stands beside an algorithm's own parameters.
struct BesideParameters {
  std::string name;
  std::optional<std::string> label;
  std::optional<OwnGrids> tune;

  static Fields<BesideParameters> fields() {
    Fields<BesideParameters> f;
    f.add({.name = "name", .doc = "of the algorithm"}, &BesideParameters::name);
    f.add({.name = "label", .doc = "what tables and plots call it; its name when absent"},
          &BesideParameters::label);
    f.add({.name = "tune",
           .doc = "of its own parameters, each with the values to try, beside those that the "
                  "scenario tunes; null leaves one alone"},
          &BesideParameters::tune);
    return f;
  }
};

/// All keys of an entry.
const std::vector<FieldInfo>& entry_keys(const AlgorithmInfo& info) {
  static std::map<std::string, std::vector<FieldInfo>> keys_by_name;  // of those asked for so far
  std::vector<FieldInfo>& keys = keys_by_name[info.name];
  if (keys.empty()) {
    keys = fields_of<BesideParameters>().infos();
    keys.insert(keys.end(), info.parameters.begin(), info.parameters.end());
  }
  return keys;
}

/// The label given, or the algorithm's name, with a number where that is taken.
std::string label_of(const Json& given, const AlgorithmInfo& info, const Place& place,
                     std::set<std::string>& labels) {
  std::string label = text_member(given, "label", place);
  if (label.empty()) {
    label = info.name;
    for (int n = 2; labels.contains(label); ++n) label = info.name + "_" + std::to_string(n);
  }
  check_name(label, place / "label");
  if (!labels.insert(label).second) {
    throw InputError(place / "label", "must differ from the other algorithms' labels", Json(label));
  }
  return label;
}

}  // namespace

AlgorithmEntry read_algorithm_entry(const Json& given, const Place& place,
                                    std::set<std::string>& labels) {
  if (!given.is_object() || !given.contains("name")) {
    throw InputError(place, "must be an object with the \"name\" of an algorithm", given);
  }
  const std::string name = text_member(given, "name", place);
  const Place place_of_name = place / "name";
  const AlgorithmInfo& info = find_algorithm(name, place_of_name);
  check_keys(entry_keys(info), given, place);
  return {&info, label_of(given, info, place, labels), own_parameters(given)};
}

Json own_parameters(const Json& entry) {
  Json parameters = entry;
  for (const char* key : {"name", "label", "tune"}) parameters.erase(key);
  return parameters;
}

}  // namespace motley
