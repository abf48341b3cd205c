#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "sim/base/json.hpp"

/// Damages texts and JSON at random, but the same way on every machine: only the bits of a
/// generator with a fixed seed decide, never a library's distribution.
namespace motley::tests {

class Mutations {
 public:
  explicit Mutations(std::uint32_t seed) : random_(seed) {}

  /// From 0 to below n.
  std::size_t below(std::size_t n) { return random_() % n; }

  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

  /// A text with a bit flipped, cut, or with a part left out, doubled, overwritten or put in.
  std::string text(std::string text) {
    if (text.empty()) return "x";
    const std::size_t at = below(text.size());
    const std::size_t length = 1 + below(std::min<std::size_t>(40, text.size() - at));
    switch (below(6)) {
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
      case 4:
        text.insert(at, bytes(1 + below(8)));
        break;
      default:
        text.replace(at, length, bytes(length));
    }
    return text;
  }

  /// JSON in which one value, somewhere, has become another, gone, come twice or under another key.
  Json json(Json json) {
    std::vector<Json::json_pointer> places;
    collect(json, Json::json_pointer(), places);
    const Json::json_pointer place = one_of(places);
    const Json value = json[place];
    switch (place.empty() ? 0 : below(6)) {
      case 0:
      case 1:
        json[place] = one_of(odd_values());
        break;
      case 2:
        remove(json[place.parent_pointer()], place.back());
        break;
      case 3:
        repeat(json[place.parent_pointer()], place.back(), value);
        break;
      case 4:
        json[place] = Json::array({value});
        break;
      default:
        json[place] = Json(json[one_of(places)]);
    }
    return json;
  }

 private:
  std::string bytes(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += static_cast<char>(below(256));
    return text;
  }

  static void collect(const Json& json, const Json::json_pointer& here,
                      std::vector<Json::json_pointer>& places) {
    places.push_back(here);
    for (std::size_t i = 0; json.is_array() && i < json.size(); ++i) {
      collect(json[i], here / i, places);
    }
    if (!json.is_object()) return;
    for (const auto& [key, part] : json.items()) collect(part, here / key, places);
  }

  static void remove(Json& from, const std::string& key) {
    if (from.is_array())
      from.erase(static_cast<std::size_t>(std::stoull(key)));
    else
      from.erase(key);
  }

  /// Once more in a list; in an object with a slip of the keyboard.
  void repeat(Json& in, const std::string& key, const Json& value) {
    if (in.is_array())
      in.push_back(value);
    else
      in[key + one_of<std::string>({"s", "_", "", "x", "//"})] = value;
  }

  /// What people and programs put in place of what belongs there.
  static const std::vector<Json>& odd_values() {
    static const std::vector<Json> values = [] {
      std::vector<Json> list = Json::parse(R"([
        null, true, false, 0, 1, 2, 3, -1, 0.5, -0.0, 1e15, 1e38, 1e308, -1e308, 1e-37,
        1e-320, 9007199254740993, 9223372036854775807, 18446744073709551615,
        "", " ", "x", "weird", "auto", "all", "inf", "nan", "10", "5 parsecs", "-1s", "0s",
        "1e12s", "0f", "1e-320f", "1e-3f", "1e27f", "1e308f", "1B", "1e-3Bps", "1e18Bps",
        "1e308Bps", "../evil", "../../etc/passwd", "/dev/zero", "a\nb\u0001", "a\"b,c\nd",
        "\u00f6", [], {}, [null], [[[]]], [1, "1", [1]], {"kind": "x"}, {"name": "sync"},
        {"from": 1, "to": 1e308, "steps": 3}
      ])");
      list.emplace_back(std::string(100'000, 'y'));
      return list;
    }();
    return values;
  }

  std::mt19937 random_;
};

}  // namespace motley::tests
