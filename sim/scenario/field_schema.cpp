#include "sim/scenario/field_schema.hpp"

#include <algorithm>

#include "sim/base/json.hpp"
#include "sim/base/limits.hpp"

namespace motley {
namespace {

const Json comments = {{"^//", Json::object()}};

void add_bounds(Json& schema, const FieldInfo& field) {
  if (std::isfinite(field.minimum)) {
    schema[field.above_minimum ? "exclusiveMinimum" : "minimum"] = field.minimum;
  }
  if (std::isfinite(field.maximum)) {
    schema[field.below_maximum ? "exclusiveMaximum" : "maximum"] = field.maximum;
  } else {
    schema["maximum"] = field.type == "integer" ? limits::largest_count : limits::largest_number;
  }
}

/// Without documentation and default.
Json bare_schema(const FieldInfo& field) {
  if (field.schema != nullptr) {
    const JsonValue own = field.schema();
    return *own;
  }
  if (field.element().type != field.type) {
    return {{"type", "array"}, {"items", bare_schema(field.element())}};
  }
  Json schema;
  if (field.type == "object") {
    schema = object_schema(field.children);
  } else if (field.type == "choice") {
    schema = {{"enum", field.choices}};
  } else if (field.type == "quantity") {
    schema = {{"type", "string"},
              {"pattern", quantity_pattern(field.dimension, field.minimum < 0)}};
  } else if (field.type == "text") {
    schema = {{"type", "string"}};
  } else if (field.type == "boolean") {
    schema = {{"type", "boolean"}};
  } else if (field.type == "any") {
    schema = Json::object();
  } else {
    schema = {{"type", field.type}};  // number, integer
    add_bounds(schema, field);
  }
  if (!field.word.empty()) schema = {{"anyOf", {schema, {{"const", field.word}}}}};
  return schema;
}

Json required_of(const std::vector<FieldInfo>& fields, const std::string& kind) {
  Json required = Json::array();
  for (const FieldInfo& field : fields) {
    if (!field.fallback && !field.may_be_absent && field.belongs_to(kind)) {
      required.push_back(field.name);
    }
  }
  return required;
}

/// What holds for objects of one kind: which keys they may have and which they must.
Json kind_rule(const std::vector<FieldInfo>& fields, const FieldInfo& deciding,
               const std::string& kind) {
  Json condition = {{"properties", {{deciding.name, {{"const", kind}}}}}};
  if (!deciding.fallback || *deciding.fallback != Json(kind))
    condition["required"] = {deciding.name};
  Json known = Json::object();
  for (const FieldInfo& field : fields) {
    if (field.belongs_to(kind)) known[field.name] = Json::object();
  }
  return {{"if", condition},
          {"then",
           {{"properties", known},
            {"patternProperties", comments},
            {"additionalProperties", false},
            {"required", required_of(fields, kind)}}}};
}

}  // namespace

Json value_schema(const FieldInfo& field) {
  std::string text = field.doc + " (" + field.must_be();
  if (!field.kinds.empty()) {
    text += "; only with";
    for (const std::string& kind : field.kinds) text += " " + kind;
  }
  Json schema = {{"description", text + ")"}};
  if (field.fallback) schema["default"] = *field.fallback;
  schema.update(bare_schema(field));
  return schema;
}

Json object_schema(const std::vector<FieldInfo>& fields) {
  Json schema = {{"type", "object"}, {"properties", Json::object()}};
  for (const FieldInfo& field : fields) schema["properties"][field.name] = value_schema(field);
  schema["patternProperties"] = comments;
  schema["additionalProperties"] = false;
  const auto deciding = std::find_if(fields.begin(), fields.end(), [](const FieldInfo& field) {
    return field.decides_kind() && !field.choices.empty();
  });
  if (deciding == fields.end()) {
    schema["required"] = required_of(fields, "");
    return schema;
  }
  schema["required"] = deciding->fallback ? Json::array() : Json::array({deciding->name});
  for (const std::string& kind : deciding->choices) {
    schema["allOf"].push_back(kind_rule(fields, *deciding, kind));
  }
  return schema;
}

}  // namespace motley
