#include "sim/base/json_value.hpp"

#include "sim/base/json.hpp"

namespace motley {

JsonValue::JsonValue(bool value) : JsonValue(Json(value)) {}
JsonValue::JsonValue(int value) : JsonValue(Json(value)) {}
JsonValue::JsonValue(double value) : JsonValue(Json(value)) {}
JsonValue::JsonValue(const char* text) : JsonValue(Json(text)) {}
JsonValue::JsonValue(const Json& value) : value_(std::make_shared<Json>(value)) {}

JsonValue JsonValue::parse(const char* json) {
  return Json::parse(json);
}

}  // namespace motley
