#include "sim/engine/platform/platform_profiles.hpp"

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "sim/base/limits.hpp"
#include "sim/base/regular_file.hpp"
#include "sim/base/text.hpp"
#include "sim/engine/platform/xml_elements.hpp"
#include "sim/scenario/units.hpp"

namespace motley {
namespace {

/// A line of a profile that sets a value.
struct ProfileLine {
  std::size_t number = 0;
  double time_s = 0;
  double value = 0;
};

struct Profile {
  std::vector<ProfileLine> lines;
  std::optional<double> period_s = {};  ///< PERIODICITY
  std::optional<double> pause_s = {};   ///< LOOPAFTER: from the last line to the next round
  bool is_drawn = false;                ///< from distributions
  std::string flaw = {};                ///< "line 3: must be ..." where SimGrid could not go on
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
    std::string third;
    words >> first >> second >> third;
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
    const bool repeats_before_it_ends = repeats && value && !(*value >= 0);
    if (!time || !value || !third.empty() || !std::isfinite(*time) || *time < 0 ||
        repeats_before_it_ends) {
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
    if (!repeats)
      profile.lines.push_back({number, *time, *value});
    else
      (first == "PERIODICITY" ? profile.period_s : profile.pause_s) = value;
  }
  return profile;
}

StateProfile states_in(const Profile& profile) {
  StateProfile states;
  for (const ProfileLine& line : profile.lines) {
    states.changes.push_back({line.time_s, line.value > 0});
  }
  if (states.changes.empty()) return states;
  if (profile.period_s && *profile.period_s > 0) states.repeat_s = profile.period_s;
  if (profile.pause_s) states.repeat_s = states.changes.back().time_s + *profile.pause_s;
  return states;
}

/// Of a host.
std::string state_flaw(const Profile& profile) {
  if (profile.is_drawn) {
    return "must list times: for failures that are drawn give /cluster/failures \"laws\"";
  }
  if (profile.period_s && profile.pause_s) return "must have PERIODICITY or LOOPAFTER, not both";
  const StateProfile states = states_in(profile);
  const double last_s = states.changes.empty() ? 0 : states.changes.back().time_s;
  if (states.repeat_s && !(*states.repeat_s > 0 && *states.repeat_s >= last_s)) {
    return "must begin anew after its last line";
  }
  return "";
}

/// What an attribute names a file with.
bool names_profile(const XmlElement& element, const std::string& key) {
  return key.ends_with("_file") || (element.name == "trace" && key == "file");
}

/// Of what is no host.
constexpr const char* not_switched =
    "only hosts may be switched off: a link that goes off is not modelled, let its bandwidth_file "
    "make it slow";

std::string flaw_of(const XmlElement& element, const std::filesystem::path& folder) {
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
    const Profile profile = read_profile(text_of_file(folder / file));
    const std::string in_file = key + " '" + file + "', ";
    if (!profile.flaw.empty()) return who + in_file + profile.flaw;
    if (key == "state_file" && element.name == "host") {
      const std::string flaw = state_flaw(profile);
      if (!flaw.empty()) return who + key + " '" + file + "' " + flaw;
      continue;
    }
    if (profile.is_drawn) {
      return who + key + " '" + file +
             "' must list times and values: what a STOCHASTIC profile draws cannot be checked";
    }
    if (element.name == "trace") continue;
    for (const auto& [line, time_s, value] : profile.lines) {
      const std::string where = in_file + "line " + std::to_string(line) + ": ";
      if (key == "state_file") {
        if (!(value > 0)) return who + where + not_switched;
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

std::string connection_flaw(const XmlElement& element) {
  const std::string kind = element.attribute("kind");
  if (kind == "HOST_AVAIL") {
    return element.attribute("element") +
           ": is switched off by a trace_connect: name the profile in a state_file of the host";
  }
  if (kind == "LINK_AVAIL") return element.attribute("element") + ": " + not_switched;
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
  for (const XmlElement& element : xml_elements_of(text_of_file(platform))) {
    for (const auto& [key, file] : element.attributes) {
      if (!file.empty() && names_profile(element, key)) files.push_back(folder / file);
    }
  }
  return files;
}

std::string named_file_flaw(const std::filesystem::path& platform) {
  const std::filesystem::path folder = platform.parent_path();
  for (const XmlElement& element : xml_elements_of(text_of_file(platform))) {
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

std::map<std::string, StateProfile> host_states(const std::filesystem::path& platform) {
  const std::filesystem::path folder = platform.parent_path();
  std::map<std::string, StateProfile> all;
  for (const XmlElement& element : xml_elements_of(text_of_file(platform))) {
    const std::string file = element.attribute("state_file");
    if (element.name != "host" || file.empty()) continue;
    const StateProfile states = states_in(read_profile(text_of_file(folder / file)));
    if (states.goes_off()) all[element.attribute("id")] = states;
  }
  return all;
}

std::string profile_flaw(const std::filesystem::path& platform) {
  const std::filesystem::path folder = platform.parent_path();
  for (const XmlElement& element : xml_elements_of(text_of_file(platform))) {
    std::string flaw =
        element.name == "trace_connect" ? connection_flaw(element) : flaw_of(element, folder);
    if (!flaw.empty()) return flaw;
  }
  return "";
}

}  // namespace motley
