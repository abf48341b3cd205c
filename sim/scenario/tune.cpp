#include "sim/scenario/tune.hpp"

#include <algorithm>

#include "sim/scenario/field_schema.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {
namespace {

/// What stands in the scenario's "tune" beside the grids.
struct Budget {
  std::size_t runs = 0;
  TuneSpec::At at = TuneSpec::At::every_point;

  static Fields<Budget> fields() {
    Fields<Budget> f;
    f.add({.name = "runs",
           .doc = "how many runs each algorithm takes at each point to choose its values: exactly "
                  "so many, or none where only one candidate is given; on seeds that are not "
                  "reported, the scenario's seed + 1000000 and following",
           .fallback = 20,
           .minimum = 4,
           .maximum = 10'000},
          &Budget::runs);
    f.add({.name = "at",
           .doc = "every_point of the sweep by itself, or only the first_point, whose values are "
                  "then used at all of them",
           .fallback = "every_point",
           .choices = {"every_point", "first_point"}},
          &Budget::at);
    return f;
  }
};

Json grids_schema(const Json& grid) {
  return {{"type", "object"},
          {"patternProperties", {{"^//", Json::object()}}},
          {"additionalProperties", grid}};
}

void check_object(const Json& value, const Place& place) {
  if (value.is_object()) return;
  throw InputError(place, "must be an object of parameters, each with its values", value);
}

}  // namespace

OwnGrids OwnGrids::read(const Json& value, const Place& place) {
  check_object(value, place);
  OwnGrids own;
  for (const auto& [parameter, values] : value.items()) {
    if (parameter.starts_with("//")) continue;
    const Place here = place / parameter;
    if (values.is_null())
      own.left_alone.push_back(parameter);
    else
      own.grids.push_back({parameter, ValueList::read(values, here), here});
  }
  return own;
}

JsonValue OwnGrids::schema() {
  return grids_schema({{"anyOf", {{{"type", "null"}}, ValueList::schema()}}});
}

TuneGrid WrittenGrid::read() const {
  return {parameter, ValueList::read(*values, place), place};
}

std::vector<std::string> TuneSpec::own_keys() {
  std::vector<std::string> keys;
  for (const FieldInfo& field : fields_of<Budget>().infos()) keys.push_back(field.name);
  return keys;
}

TuneSpec TuneSpec::read(const Json& value, const Place& place) {
  check_object(value, place);
  Json budget_json = Json::object();
  TuneSpec tune;
  const std::vector<std::string> own = own_keys();
  for (const auto& [key, given] : value.items()) {
    if (key.starts_with("//")) continue;
    if (std::ranges::find(own, key) != own.end())
      budget_json[key] = given;
    else
      tune.grids.push_back({key, JsonValue(given), place / key});
  }
  Budget budget;
  fields_of<Budget>().read(budget_json, place, budget);
  tune.runs = budget.runs;
  tune.at = budget.at;
  return tune;
}

JsonValue TuneSpec::schema() {
  Json schema = grids_schema(ValueList::schema());
  for (const FieldInfo& field : fields_of<Budget>().infos()) {
    schema["properties"][field.name] = value_schema(field);
  }
  return schema;
}

}  // namespace motley
