#include "sim/base/strict_json.hpp"

#include <cmath>

#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"

namespace motley {
namespace {

constexpr const char* checksum_key = "checksum";

std::string checksum(const Json& content) {
  return digest(content.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

Place StrictJson::place() const {
  if (whole_ == nullptr) return {file_, ""};
  return key_ != nullptr ? whole_->place() / key_ : whole_->place() / index_;
}

void StrictJson::refuse(const std::string& what_must_hold) const {
  throw InputError(place(), what_must_hold, value_);
}

StrictJson StrictJson::member(const char* key) const {
  if (!value_.is_object()) refuse("must be an object");
  const auto found = value_.find(key);
  if (found == value_.end()) refuse(std::string("must have a member \"") + key + "\"");
  return {*found, *this, key, 0};
}

std::size_t StrictJson::elements() const {
  if (!value_.is_array()) refuse("must be a list");
  return value_.size();
}

const StrictJson& StrictJson::row(std::size_t columns) const {
  if (elements() != columns) refuse("must be a list of " + std::to_string(columns));
  return *this;
}

const std::string& StrictJson::text() const {
  if (!value_.is_string()) refuse("must be text");
  return value_.get_ref<const std::string&>();
}

double StrictJson::number() const {
  if (!value_.is_number() || !std::isfinite(value_.get<double>()))
    refuse("must be a finite number");
  return value_.get<double>();
}

std::optional<double> StrictJson::number_or_null() const {
  if (value_.is_null()) return std::nullopt;
  return number();
}

std::uint64_t StrictJson::count() const {
  if (!value_.is_number_integer() ||
      (!value_.is_number_unsigned() && value_.get<std::int64_t>() < 0)) {
    refuse("must be a whole number from 0");
  }
  return value_.get<std::uint64_t>();
}

Json sealed(const Json& content) {
  Json json = {{checksum_key, checksum(content)}};
  json.update(content);
  return json;
}

bool has_seal(const Json& json) {
  return json.is_object() && json.contains(checksum_key);
}

std::optional<Json> unsealed(Json json) {
  if (!has_seal(json)) return std::nullopt;
  const Json claimed = json[checksum_key];
  json.erase(checksum_key);
  if (claimed != Json(checksum(json))) return std::nullopt;
  return json;
}

}  // namespace motley
