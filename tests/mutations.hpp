#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "sim/core/input/place.hpp"
#include "sim/core/json.hpp"

/// Damages texts and JSON at random, but the same way on every machine: only the bits of a
/// generator with a fixed seed decide, never a library's distribution.
namespace motley::tests {

class Mutations {
 public:
  explicit Mutations(std::uint32_t seed) : random_(seed) {}

  /// From 0 to below n.
  std::size_t below(std::size_t n) { return random_() % n; }

  /// A text with a bit flipped, cut, or with a part left out, doubled or overwritten.
  std::string text(std::string text) {
    if (text.empty()) return "x";
    const std::size_t at = below(text.size());
    const std::size_t length = 1 + below(std::min<std::size_t>(40, text.size() - at));
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      default:
        for (std::size_t i = at; i < at + length; ++i) text[i] = static_cast<char>(below(256));
    }
    return text;
  }

  /// JSON in which one value, somewhere, has become another, gone, or come twice.
  Json json(Json json) {
    std::vector<Json*> values;
    collect(json, values);
    Json& chosen = *values[below(values.size())];
    if (chosen.is_array() && !chosen.empty() && below(2) == 0) {
      if (below(2) == 0)
        chosen.erase(below(chosen.size()));
      else
        chosen.push_back(Json(chosen[below(chosen.size())]));
    } else if (chosen.is_object() && !chosen.empty() && below(2) == 0) {
      const std::string key =
          std::next(chosen.begin(), static_cast<int>(below(chosen.size()))).key();
      chosen.erase(key);
    } else {
      const Json other = below(3) == 0 ? Json(*values[below(values.size())]) : strange();
      chosen = other;
    }
    return json;
  }

 private:
  static void collect(Json& json, std::vector<Json*>& values) {
    values.push_back(&json);
    if (json.is_structured()) {
      for (Json& part : json) collect(part, values);
    }
  }

  Json strange() {
    const std::vector<Json> values = {nullptr,
                                      true,
                                      0,
                                      -1,
                                      1000000,
                                      18446744073709551615ULL,
                                      1e308,
                                      -1e-308,
                                      0.5,
                                      "",
                                      "weird",
                                      "../evil",
                                      std::string(300, 'x'),
                                      "a\"b,c\nd",
                                      Json::array(),
                                      Json::object(),
                                      Json::array({Json::array({Json::array()})})};
    return values[below(values.size())];
  }

  std::mt19937 random_;
};

}  // namespace motley::tests
