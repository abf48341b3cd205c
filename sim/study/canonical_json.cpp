#include "sim/study/canonical_json.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <string>

namespace motley {

Json canonical(const Json& json) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& element : json) list.push_back(canonical(element));
    return list;
  }
  if (json.is_number_float() && std::abs(json.get<double>()) < 1e15 &&
      json.get<double>() == std::floor(json.get<double>())) {
    return json.get<std::int64_t>();
  }
  if (!json.is_object()) return json;
  std::map<std::string, const Json*> sorted;
  for (const auto& [key, value] : json.items()) {
    if (!key.starts_with("//")) sorted[key] = &value;
  }
  Json object = Json::object();
  for (const auto& [key, value] : sorted) object[key] = canonical(*value);
  return object;
}

}  // namespace motley
