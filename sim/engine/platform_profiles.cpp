#include "sim/engine/platform_profiles.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "sim/base/limits.hpp"
#include "sim/base/regular_file.hpp"
#include "sim/base/text.hpp"
#include "sim/scenario/units.hpp"

namespace motley {
namespace {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes;

  std::string attribute(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
};

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The value of an attribute without XML's entities.
std::string decoded(const std::string& text) {
  static const std::map<std::string, char> named = {
      {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '&' ? text.find(';', i) : std::string::npos;
    if (end == std::string::npos) {
      out += text[i];
      continue;
    }
    const std::string entity = text.substr(i + 1, end - i - 1);
    if (entity.starts_with("#")) {
      const bool hexadecimal = entity.starts_with("#x");
      const auto code =
          std::strtoul(entity.c_str() + (hexadecimal ? 2 : 1), nullptr, hexadecimal ? 16 : 10);
      out += static_cast<char>(code);  // names of files beyond ASCII are written plainly
    } else if (const auto found = named.find(entity); found != named.end()) {
      out += found->second;
    }
    i = end;
  }
  return out;
}

/// The opening tags of a text in XML, in their order. SimGrid has read the file before: what it
/// refuses need not be found here.
std::vector<Element> elements_of(const std::string& xml) {
  const std::string space = " \t\r\n";
  std::vector<Element> elements;
  std::size_t at = 0;
  const auto skip_to = [&](const char* end) {
    at = xml.find(end, at);
    if (at != std::string::npos) at += std::char_traits<char>::length(end);
  };
  while ((at = xml.find('<', at)) != std::string::npos) {
    if (xml.compare(at, 4, "<!--") == 0) {
      skip_to("-->");
    } else if (xml.compare(at, 9, "<![CDATA[") == 0) {
      skip_to("]]>");
    } else if (at + 1 >= xml.size() || std::string("!?/").find(xml[at + 1]) != std::string::npos) {
      skip_to(">");
    } else {
      Element element;
      const std::size_t name_end = xml.find_first_of(space + "/>", at);
      element.name = xml.substr(at + 1, name_end - at - 1);
      at = name_end;
      // key = "value", whatever is in the quotes
      while (at != std::string::npos &&
             (at = xml.find_first_not_of(space + "/", at)) != std::string::npos && xml[at] != '>') {
        const std::size_t equals = xml.find('=', at);
        const std::size_t open = xml.find_first_of("\"'", at);
        if (equals == std::string::npos || open == std::string::npos) break;
        const std::size_t close = xml.find(xml[open], open + 1);
        const std::size_t key_end = xml.find_first_of(space + "=", at);
        element.attributes[xml.substr(at, key_end - at)] =
            decoded(xml.substr(open + 1, close - open - 1));
        at = close == std::string::npos ? close : close + 1;
      }
      elements.push_back(element);
    }
    if (at == std::string::npos) break;
  }
  return elements;
}

/// A line of a profile that sets a value.
struct ProfileLine {
  std::size_t number = 0;
  double value = 0;
};

struct Profile {
  std::vector<ProfileLine> lines;
  bool is_drawn = false;  ///< from distributions
  std::string flaw = {};  ///< "line 3: must be ..." where SimGrid could not go on
};

/// A number and nothing else.
std::optional<double> number_in(const std::string& word) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  return !word.empty() && end == word.c_str() + word.size() ? std::optional(value) : std::nullopt;
}

/// Lines of a time and a value, beside comments and how often it repeats.
Profile read_profile(const std::string& text) {
  Profile profile;
  std::istringstream lines(text);
  std::size_t number = 0;
  double before = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string first;
    std::string second;
    words >> first >> second;
    if (first == "STOCHASTIC") return {.lines = {}, .is_drawn = true};
    // For SimGrid a carriage return ends a line, too, even in a comment.
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (last != std::string::npos && line.find('\r') < last) {
      profile.flaw = "line " + std::to_string(number) + ": must end with a line feed, or with both";
      return profile;
    }
    if (first.empty() || first[0] == '#' || first[0] == '%') continue;
    const bool repeats = first == "PERIODICITY" || first == "LOOPAFTER";
    const std::optional<double> time = repeats ? std::optional(before) : number_in(first);
    const std::optional<double> value = number_in(second);
    const std::string here = "line " + std::to_string(number) + ": ";
    if (!time || !value || !std::isfinite(*time) || *time < 0) {
      profile.flaw = here +
                     "must be a time of at least 0 and a value, or PERIODICITY and a time, got '" +
                     shortened(valid_utf8(line)) + "'";
      return profile;
    }
    if (*time < before) {
      profile.flaw = here + "must not come before the line above it, got '" +
                     shortened(valid_utf8(line)) + "'";
      return profile;
    }
    before = *time;
    if (!repeats) profile.lines.push_back({number, *value});
  }
  return profile;
}

/// What an attribute names a file with.
bool names_profile(const Element& element, const std::string& key) {
  return key.ends_with("_file") || (element.name == "trace" && key == "file");
}

std::string flaw_of(const Element& element, const std::filesystem::path& folder) {
  const std::string who = element.name + " " + element.attribute("id") + ": ";
  if (!element.attribute("latency_file").empty()) {
    return who + "latency_file: latencies that change are not modelled";
  }
  if (const std::string cores = element.attribute("core");
      element.name == "host" && !cores.empty() && std::atoi(cores.c_str()) < 1) {
    return who + "core must be a whole number of at least 1, got \"" + cores + "\"";
  }
  for (const auto& [key, file] : element.attributes) {
    if (!names_profile(element, key) || file.empty()) continue;
    const Profile profile = read_profile(text_of(folder / file));
    const std::string in_file = key + " '" + file + "', ";
    if (!profile.flaw.empty()) return who + in_file + profile.flaw;
    if (profile.is_drawn) {
      return who + key + " '" + file +
             "' must list times and values: what a STOCHASTIC profile draws cannot be checked";
    }
    if (element.name == "trace") continue;
    for (const auto& [line, value] : profile.lines) {
      const std::string where = in_file + "line " + std::to_string(line) + ": ";
      if (key == "state_file") {
        if (!(value > 0)) {
          return who + "is switched off by its state profile, and failures are not modelled";
        }
      } else if (key == "bandwidth_file") {
        if (!is_sane(value, Dimension::rate)) {
          return who + where + "bandwidth must be " + sane_range(Dimension::rate);
        }
      } else if (!(value >= limits::smallest_number && value <= limits::largest_number)) {
        return who + where + "must be a number above 0, of a size that can be reckoned with";
      }
    }
  }
  return "";
}

std::string connection_flaw(const Element& element) {
  const std::string kind = element.attribute("kind");
  if (kind == "HOST_AVAIL" || kind == "LINK_AVAIL") {
    return element.attribute("element") +
           ": is switched off by its state profile, and failures are not modelled";
  }
  if (kind == "LATENCY") {
    return element.attribute("element") + ": latencies that change are not modelled";
  }
  const std::string instead =
      kind == "BANDWIDTH" ? "bandwidth_file of the link" : "speed_file of the host";
  return element.attribute("element") + ": is given a profile by a trace_connect of the kind '" +
         kind + "', which is not looked at: name the profile in a " + instead;
}

/// Why a file that an element names cannot be read; empty when it can.
std::string file_flaw(const std::filesystem::path& file) {
  std::error_code ignored;
  // SimGrid would also look where it was called, which is elsewhere the next time.
  if (std::filesystem::exists(file, ignored)) return why_not_regular(file);
  constexpr std::size_t longest = 500;
  return "no such file: " + shortened(file.string(), longest) +
         " (paths are relative to the platform file)";
}

}  // namespace

std::vector<std::filesystem::path> files_named_in(const std::filesystem::path& platform) {
  const std::filesystem::path folder = platform.parent_path();
  std::vector<std::filesystem::path> files;
  for (const Element& element : elements_of(text_of(platform))) {
    for (const auto& [key, file] : element.attributes) {
      if (!file.empty() && names_profile(element, key)) files.push_back(folder / file);
    }
  }
  return files;
}

std::string named_file_flaw(const std::filesystem::path& platform) {
  const std::filesystem::path folder = platform.parent_path();
  for (const Element& element : elements_of(text_of(platform))) {
    if (element.name == "include") {
      return "include '" + shortened(element.attribute("file")) +
             "': SimGrid includes no files any more: write its contents here";
    }
    for (const auto& [key, file] : element.attributes) {
      if (file.empty() || !names_profile(element, key)) continue;
      const std::string flaw = file_flaw(folder / file);
      if (!flaw.empty())
        return element.name + " " + element.attribute("id") + ": " + key + ": " + flaw;
    }
  }
  return "";
}

std::string profile_flaw(const std::filesystem::path& platform) {
  const std::filesystem::path folder = platform.parent_path();
  for (const Element& element : elements_of(text_of(platform))) {
    std::string flaw =
        element.name == "trace_connect" ? connection_flaw(element) : flaw_of(element, folder);
    if (!flaw.empty()) return flaw;
  }
  return "";
}

}  // namespace motley
