#include "sim/engine/platform_check.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include <simgrid/s4u.hpp>

namespace s4u = simgrid::s4u;

namespace motley {
namespace {

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string host_flaw(const s4u::Host& host) {
  const std::string who = "host " + host.get_name() + ": ";
  if (!(host.get_speed() > 0) || !std::isfinite(host.get_speed())) {
    return who + "speed must be above 0 and finite, got " + number(host.get_speed()) + "f";
  }
  if (!host.is_on()) return who + "is off from the start, and failures are not modelled";
  return "";
}

std::string link_flaw(const s4u::Link& link) {
  const std::string which = "link " + link.get_name() + ": ";
  if (!(link.get_bandwidth() > 0) || !std::isfinite(link.get_bandwidth())) {
    return which + "bandwidth must be above 0 and finite, got " + number(link.get_bandwidth()) +
           "Bps";
  }
  if (!(link.get_latency() >= 0) || !std::isfinite(link.get_latency())) {
    return which + "latency must be at least 0 and finite, got " + number(link.get_latency()) + "s";
  }
  if (!link.is_on()) return which + "is off from the start, and failures are not modelled";
  return "";
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Whether a profile of availability, lines of a time and a value, ever has the value 0.
bool switches_off(const std::string& profile) {
  std::istringstream lines(profile);
  for (std::string line; std::getline(lines, line);) {
    double time = 0;
    double value = 1;
    std::istringstream words(line);
    if (words >> time >> value && value <= 0) return true;
  }
  return false;
}

/// SimGrid does not tell which profiles it has read, so the file is asked: state_file of hosts,
/// links and clusters, and the older <trace_connect kind="HOST_AVAIL"> or "LINK_AVAIL".
std::string state_flaw(const std::filesystem::path& file) {
  const auto flags = std::regex::ECMAScript | std::regex::optimize;
  const std::string text =
      std::regex_replace(text_of(file), std::regex("<!--[^]*?-->", flags), std::string());
  const std::regex tag(R"re(<(\w+)\s([^<>]*)>)re", flags);
  const auto attribute = [&](const std::string& attributes, const std::string& name) {
    std::smatch found;
    const std::regex pattern("(?:^|\\s)" + name + "\\s*=\\s*[\"']([^\"']*)[\"']", flags);
    return std::regex_search(attributes, found, pattern) ? found[1].str() : std::string();
  };
  for (std::sregex_iterator it(text.begin(), text.end(), tag), end; it != end; ++it) {
    const std::string kind = (*it)[1];
    const std::string attributes = (*it)[2];
    const std::string profile = attribute(attributes, "state_file");
    const std::string connected = attribute(attributes, "kind");
    const bool goes_off =
        (!profile.empty() && switches_off(text_of(file.parent_path() / profile))) ||
        (kind == "trace_connect" && (connected == "HOST_AVAIL" || connected == "LINK_AVAIL"));
    if (goes_off) {
      const std::string id = attribute(attributes, kind == "trace_connect" ? "element" : "id");
      return (kind == "trace_connect" ? "" : kind + " ") + id +
             ": is switched off by its state profile, and failures are not modelled";
    }
    if (kind == "include") {
      std::string flaw = state_flaw(file.parent_path() / attribute(attributes, "file"));
      if (!flaw.empty()) return flaw;
    }
  }
  return "";
}

std::string route_flaw(const s4u::Host* from, const s4u::Host* to,
                       const std::function<void(const std::string& text)>& asks) {
  const std::string no_route =
      "no route from host " + from->get_name() + " to host " + to->get_name();
  asks(no_route);
  std::vector<s4u::Link*> links;
  double latency = 0;
  try {
    from->route_to(to, links, &latency);
  } catch (const std::exception&) {
    return no_route;
  }
  return links.empty() ? no_route : "";
}

}  // namespace

std::string platform_flaw(const std::string& file, const std::vector<s4u::Host*>& participants,
                          const std::function<void(const std::string& text)>& asks) {
  std::string flaw;
  for (const s4u::Host* host : participants) {
    flaw = host_flaw(*host);
    if (!flaw.empty()) return flaw;
  }
  for (const s4u::Link* link : s4u::Engine::get_instance()->get_all_links()) {
    flaw = link_flaw(*link);
    if (!flaw.empty()) return flaw;
  }
  flaw = state_flaw(file);
  constexpr std::size_t few = 64;
  const std::size_t count = participants.size();
  for (std::size_t i = 0; flaw.empty() && i < count; ++i) {
    std::set<std::size_t> others = {(i + 1) % count, count - 1};
    for (std::size_t j = 0; count <= few && j < count; ++j) others.insert(j);
    others.erase(i);
    for (const std::size_t j : others) {
      if (flaw.empty()) flaw = route_flaw(participants[i], participants[j], asks);
      if (flaw.empty()) flaw = route_flaw(participants[j], participants[i], asks);
    }
  }
  return flaw;
}

}  // namespace motley
