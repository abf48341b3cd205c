#include "sim/core/input/json_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "sim/core/json.hpp"

namespace motley {
namespace {

/// Follows the parser and refuses an object that has a key twice: the library would keep one of
/// the values and say nothing.
class UniqueKeys {
 public:
  explicit UniqueKeys(const Place& root) : root_(root) {}

  bool operator()(int, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        levels_.push_back({next_place(), event == Event::array_start, 0, "", {}});
        break;
      case Event::object_end:
      case Event::array_end:
        levels_.pop_back();
        break;
      case Event::key:
        enter(parsed);
        break;
      case Event::value:
        next_place();
        break;
    }
    return true;
  }

 private:
  struct Level {
    Place place;
    bool is_list;
    std::size_t index;  ///< of a list's next element
    std::string key;    ///< of an object's present member
    std::set<std::string> keys;
  };

  Place next_place() {
    if (levels_.empty()) return root_;
    Level& level = levels_.back();
    return level.is_list ? level.place / level.index++ : level.place / level.key;
  }

  void enter(const std::string& key) {
    Level& level = levels_.back();
    level.key = key;
    if (!level.keys.insert(key).second && !key.starts_with("//")) {
      throw InputError(level.place / key, "is given twice");
    }
  }

  Place root_;
  std::vector<Level> levels_;
};

/// "at line 3, column 5: ..." for a text that is not JSON. Not the library's own position: that has
/// column 0 where a number ends its line.
std::string json_mistake(const std::string& text, const Json::parse_error& e) {
  const std::string read = text.substr(0, e.byte > 0 ? e.byte - 1 : 0);
  const std::string what = e.what();  // "[json.exception...] parse error at line 3, column 5: ..."
  return "at line " + std::to_string(1 + std::count(read.begin(), read.end(), '\n')) + ", column " +
         std::to_string(read.size() - (read.rfind('\n') + 1) + 1) + what.substr(what.find(": "));
}

}  // namespace

Json parse_json_file(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw InputError(file + ": is a folder, not a file");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(file + ": cannot be read (no such file, or no permission)");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError(file + ": is empty, must be JSON");
  }
  try {
    return Json::parse(text, UniqueKeys({file, ""}));
  } catch (const Json::parse_error& e) {
    throw InputError(file + ": not valid JSON " + json_mistake(text, e));
  } catch (const Json::exception& e) {
    const std::string what = e.what();  // "[json.exception...] number overflow parsing '1e999'"
    throw InputError(file + ": not valid JSON: " + what.substr(what.find("] ") + 2));
  }
}

Json parse_json(const std::string& text, const Place& place) {
  return Json::parse(text, UniqueKeys(place), /*allow_exceptions=*/false);
}

}  // namespace motley
