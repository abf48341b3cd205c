#include "sim/engine/platform_profiles.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <vector>

#include "sim/base/limits.hpp"
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

/// The values of a profile, which is lines of a time and a value, with its line.
std::vector<std::pair<std::size_t, double>> values_of(const std::string& profile) {
  std::vector<std::pair<std::size_t, double>> values;
  std::istringstream lines(profile);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    double time = 0;
    std::string word;
    std::istringstream words(line);
    if (!(words >> time >> word)) continue;  // a comment, or a word such as PERIODICITY
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    const bool is_number = end == word.c_str() + word.size();
    values.emplace_back(number, is_number ? value : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
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
    const bool is_trace = element.name == "trace" && key == "file";
    if (!key.ends_with("_file") && !is_trace) continue;
    if (file.empty()) continue;
    // SimGrid looks beside the platform file and then where it was called.
    const bool is_beside = std::filesystem::is_regular_file(folder / file);
    if (!is_beside && !std::filesystem::is_regular_file(file)) {
      return who + key + ": no such file: " + (folder / file).string();
    }
    if (is_trace) continue;
    for (const auto& [line, value] :
         values_of(text_of(is_beside ? folder / file : std::filesystem::path(file)))) {
      const std::string where = key + " '" + file + "', line " + std::to_string(line) + ": ";
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
  return "";
}

}  // namespace

std::string profile_flaw(const std::filesystem::path& platform) {
  const std::filesystem::path folder = platform.parent_path();
  for (const Element& element : elements_of(text_of(platform))) {
    const std::string flaw = element.name == "include"
                                 ? profile_flaw(folder / element.attribute("file"))
                             : element.name == "trace_connect" ? connection_flaw(element)
                                                               : flaw_of(element, folder);
    if (!flaw.empty()) return flaw;
  }
  return "";
}

}  // namespace motley
