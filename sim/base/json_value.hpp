#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/base/place.hpp"

namespace motley {

/// A JSON value or none, as the descriptions of fields hold it; includes nothing of the library.
class JsonValue {
 public:
  JsonValue() = default;
  JsonValue(std::nullopt_t) {}
  JsonValue(bool value);
  JsonValue(int value);
  JsonValue(double value);
  JsonValue(const char* text);
  JsonValue(const Json& value);
  /// What the text says in JSON; for lists and objects.
  static JsonValue parse(const char* json);

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  const Json& operator*() const { return *value_; }
  const Json* operator->() const { return value_.get(); }

 private:
  std::shared_ptr<const Json> value_;  // immutable, so copies may share it
};

}  // namespace motley
