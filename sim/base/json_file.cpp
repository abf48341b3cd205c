#include "sim/base/json_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "sim/base/json.hpp"
#include "sim/base/limits.hpp"
#include "sim/base/regular_file.hpp"
#include "sim/base/text.hpp"

namespace motley {
namespace {

/// Follows the parser and refuses an object that has a key twice: the library would keep one of
/// the values and say nothing. Refuses one with too many keys before they take long.
class UniqueKeys {
 public:
  explicit UniqueKeys(const Place& root) : root_(root) {}

  bool operator()(int, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        begin_value();
        levels_.push_back({event == Event::array_start, 0, "", {}});
        break;
      case Event::object_end:
      case Event::array_end:
        levels_.pop_back();
        break;
      case Event::key:
        enter(parsed);
        break;
      case Event::value:
        begin_value();
        break;
    }
    return true;
  }

 private:
  struct Level {
    bool is_list;
    std::size_t begun;  ///< how many of a list's elements have begun
    std::string key;    ///< of an object's present member
    std::set<std::string> keys;
  };

  void begin_value() {
    if (!levels_.empty()) ++levels_.back().begun;
  }

  /// Of the value being read.
  Place here() const {
    Place place = root_;
    for (const Level& level : levels_) {
      place = level.is_list ? place / (level.begun - 1) : place / level.key;
    }
    return place;
  }

  void enter(const std::string& key) {
    Level& level = levels_.back();
    level.key = key;
    if (level.keys.size() == limits::most_keys) {
      levels_.pop_back();
      throw InputError(here(), "has more than " + std::to_string(limits::most_keys) + " keys");
    }
    if (!level.keys.insert(key).second && !key.starts_with("//")) {
      throw InputError(here(), "is given twice");
    }
  }

  Place root_;
  std::vector<Level> levels_;
};

/// "at line 3, column 5" of the byte with this index.
std::string position(const std::string& text, std::size_t index) {
  const std::string before = text.substr(0, index);
  return "at line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) +
         ", column " + std::to_string(before.size() - (before.rfind('\n') + 1) + 1);
}

/// "at line 3, column 5: ..." for a text that is not JSON. Not the library's own position: that has
/// column 0 where a number ends its line.
std::string json_mistake(const std::string& text, const Json::parse_error& e) {
  const std::string what = e.what();  // "[json.exception...] parse error at line 3, column 5: ..."
  constexpr std::size_t longest = 300;  // it quotes what it has read last, however long
  return position(text, e.byte > 0 ? e.byte - 1 : 0) +
         shortened(what.substr(what.find(": ")), longest);
}

struct Excess {
  std::size_t index;  ///< of the byte where it begins
  std::string what;
};

/// What may be JSON but is too much: nesting so deep that it takes memory without end, numbers that
/// no double holds. The library would tell neither with its place.
std::optional<Excess> excess_of(const std::string& text) {
  const std::string in_numbers = "+-.0123456789eE";
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (c == '[' || c == '{') {
      if (++depth > limits::deepest_nesting) {
        return Excess{i, "is nested more than " + std::to_string(limits::deepest_nesting) +
                             " lists and objects deep"};
      }
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (in_numbers.find(c) != std::string::npos) {
      const std::size_t end = std::min(text.find_first_not_of(in_numbers, i), text.size());
      const std::string number = text.substr(i, end - i);
      if (std::isinf(std::strtod(number.c_str(), nullptr))) {
        return Excess{i, "the number " + shortened(number) + " is too large"};
      }
      i = end - 1;
    }
  }
  return std::nullopt;
}

}  // namespace

Json parse_json_file(const std::string& file) {
  const std::string why_not = why_not_regular(file);
  if (!why_not.empty()) throw InputError(file + ": " + why_not);
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(file + ": cannot be read (no such file, or no permission)");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError(file + ": is empty, must be JSON");
  }
  if (const std::optional<Excess> excess = excess_of(text)) {
    throw InputError(file + ": " + position(text, excess->index) + ": " + excess->what);
  }
  try {
    return Json::parse(text, UniqueKeys({file, ""}));
  } catch (const Json::parse_error& e) {
    throw InputError(file + ": not valid JSON " + json_mistake(text, e));
  }
}

Json parse_json(const std::string& text, const Place& place) {
  if (const std::optional<Excess> excess = excess_of(text)) throw InputError(place, excess->what);
  return Json::parse(text, UniqueKeys(place), /*allow_exceptions=*/false);
}

}  // namespace motley
