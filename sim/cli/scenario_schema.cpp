#include "sim/cli/scenario_schema.hpp"

#include <set>

#include "algorithms/catalog.hpp"
#include "sim/base/json.hpp"
#include "sim/learning/learning_spec.hpp"
#include "sim/scenario/field_schema.hpp"

namespace motley {
namespace {

/// What the definition of a parameter that "defaults" may give, and that is an object, is called.
std::string shared_name(const std::string& field) {
  return "shared " + field;
}

/// The objects that "defaults" may give, each written down once for all algorithms.
Json shared_definitions() {
  Json definitions = Json::object();
  const std::vector<FieldInfo> fields = DefaultsSpec::fields().infos();
  const Json defaults = object_schema(fields);
  for (const FieldInfo& field : fields) {
    if (!field.children.empty()) {
      definitions[shared_name(field.name)] = defaults["properties"][field.name];
    }
  }
  return definitions;
}

void refer_to_shared(Json& properties, const Json& shared) {
  for (auto& [name, property] : properties.items()) {
    const std::string definition = shared_name(name);
    if (shared.contains(definition) && property == shared[definition]) {
      const Json reference = {{"$ref", "#/definitions/" + definition}};
      property = {{"description", property["description"]}, {"allOf", Json::array({reference})}};
    }
  }
}

/// Narrows a schema of grids, which takes any key, to these.
void allow_only(Json& tune, const std::set<std::string>& keys) {
  const Json comment = {{"pattern", "^//"}};
  tune["propertyNames"] = {{"anyOf", {comment, {{"enum", keys}}}}};
}

std::set<std::string> names_of(const std::vector<FieldInfo>& parameters) {
  std::set<std::string> names;
  for (const FieldInfo& field : parameters) names.insert(field.name);
  return names;
}

const char* const own_values_to_try = "own values to try";

/// One entry of "algorithms" that names this algorithm.
Json entry_schema(const AlgorithmInfo& info) {
  Json schema = object_schema(info.parameters);
  schema.erase("required");  // "defaults" or "tune" may give it
  schema["description"] = info.summary + " [" + info.paper + "]";
  schema["properties"]["name"] = Json::object();
  schema["properties"]["label"] = Json::object();
  Json& tune = schema["properties"]["tune"] = *OwnGrids::schema();
  tune["description"] =
      "of its own parameters, each with the values to try, beside those that the scenario tunes; "
      "null leaves one alone";
  tune["additionalProperties"] = {{"$ref", std::string("#/definitions/") + own_values_to_try}};
  allow_only(tune, names_of(info.parameters));
  return schema;
}

Json algorithms_schema() {
  Json names = Json::array();
  Json rules = Json::array();
  for (const AlgorithmInfo& info : algorithm_catalog()) {
    names.push_back({{"const", info.name}, {"description", info.summary}});
    rules.push_back(
        {{"if", {{"properties", {{"name", {{"const", info.name}}}}}, {"required", {"name"}}}},
         {"then", {{"$ref", "#/definitions/" + info.name}}}});
  }
  return {{"type", "object"},
          {"properties",
           {{"name", {{"description", "of the algorithm"}, {"oneOf", names}}},
            {"label",
             {{"description", "what tables and plots call it; its name when absent"},
              {"type", "string"}}},
            {"tune", Json::object()}}},
          {"required", {"name"}},
          {"allOf", rules}};
}

}  // namespace

Json scenario_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "A scenario of Motley"}};
  schema.update(object_schema(scenario_keys()));
  Json defaults = object_schema(DefaultsSpec::fields().infos());
  defaults.erase("required");
  schema["properties"]["defaults"].update(defaults);
  schema["properties"]["algorithms"]["items"] = algorithms_schema();
  schema["properties"]["algorithms"]["minItems"] = 1;
  const Json shared = shared_definitions();
  schema["definitions"] = shared;
  schema["definitions"][own_values_to_try] = (*OwnGrids::schema())["additionalProperties"];
  const std::vector<std::string> own_keys = TuneSpec::own_keys();
  std::set<std::string> tuned(own_keys.begin(), own_keys.end());
  for (const AlgorithmInfo& info : algorithm_catalog()) {
    tuned.merge(names_of(info.parameters));
    Json entry = entry_schema(info);
    refer_to_shared(entry["properties"], shared);
    schema["definitions"][info.name] = std::move(entry);
  }
  allow_only(schema["properties"]["tune"], tuned);
  return schema;
}

}  // namespace motley
