#include "sim/scenario/fabric.hpp"

#include <algorithm>

#include "sim/base/json.hpp"
#include "sim/base/limits.hpp"
#include "sim/scenario/scenario.hpp"

namespace motley {
namespace {

FieldInfo count_field(const std::string& name) {
  FieldInfo info{.name = name, .doc = "how many", .minimum = 1, .maximum = limits::most_workers};
  info.type = "integer";
  return info;
}

FieldInfo hosts_field(const std::string& where) {
  return {.name = "hosts",
          .doc = "the hosts " + where +
                 ": how many workers of each class, and servers as \"server\": {\"a100\": 8, "
                 "\"server\": 1}; those of a class are dealt in the order of their ranks, and a "
                 "server that is \"on\" a node is where the node is"};
}

void check_uplink(const UplinkSpec& uplink, const Place& place) {
  if (uplink.bandwidth.has_value() == uplink.oversubscription.has_value()) {
    throw InputError(place, "needs exactly one of \"bandwidth\" and \"oversubscription\"");
  }
}

void check_racks(const FabricSpec& fabric, const Place& place) {
  if (fabric.uplink) check_uplink(*fabric.uplink, place / "uplink");
  for (std::size_t i = 0; i < fabric.racks.size(); ++i) {
    const Place here = place / "racks" / i;
    if (fabric.racks[i].uplink) {
      check_uplink(*fabric.racks[i].uplink, here / "uplink");
    } else if (!fabric.uplink) {
      throw InputError(here, "needs an \"uplink\", here or in " + place.pointer);
    }
  }
}

bool is_between(const SiteLinkSpec& link, const std::string& a, const std::string& b) {
  return (link.between[0] == a && link.between[1] == b) ||
         (link.between[0] == b && link.between[1] == a);
}

void check_site_links(const FabricSpec& fabric, const std::vector<std::string>& names,
                      const Place& place) {
  for (std::size_t i = 0; i < fabric.links.size(); ++i) {
    const SiteLinkSpec& link = fabric.links[i];
    const Place here = place / "links" / i / "between";
    if (link.between.size() != 2 || link.between[0] == link.between[1]) {
      throw InputError(here, "must name two different sites", Json(link.between));
    }
    for (std::size_t end = 0; end < 2; ++end) {
      const std::string& name = link.between[end];
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        throw InputError(here / end, "must be the name of a site" + did_you_mean(name, names),
                         Json(name));
      }
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (is_between(fabric.links[j], link.between[0], link.between[1])) {
        throw InputError(here, "must be two sites that no other link is between",
                         Json(link.between));
      }
    }
  }
}

void check_sites(const FabricSpec& fabric, const Place& place) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < fabric.sites.size(); ++i) {
    const std::string& name = fabric.sites[i].name;
    const Place here = place / "sites" / i / "name";
    check_name(name, here);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      throw InputError(here, "must differ from the other sites' names", Json(name));
    }
    names.push_back(name);
  }
  check_site_links(fabric, names, place);
  if (fabric.link) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto joins = [&](const SiteLinkSpec& link) {
        return is_between(link, names[j], names[i]);
      };
      if (std::none_of(fabric.links.begin(), fabric.links.end(), joins)) {
        throw InputError(place,
                         "needs a \"link\" for all pairs of sites, or one in \"links\" "
                         "between " +
                             names[j] + " and " + names[i]);
      }
    }
  }
}

}  // namespace

HostCounts HostCounts::read(const Json& value, const Place& place) {
  if (!value.is_object()) {
    throw InputError(place, "must be an object in braces, such as {\"a100\": 8, \"server\": 1}",
                     value);
  }
  HostCounts counts;
  for (const auto& [name, count] : value.items()) {
    if (name.starts_with("//")) continue;
    std::int64_t number = 0;
    fields_detail::read_integer(count_field(name), count, place / name, number);
    counts.of.emplace_back(name, static_cast<std::size_t>(number));
  }
  if (counts.of.empty())
    throw InputError(place, "must name at least one class of workers, or server");
  return counts;
}

JsonValue HostCounts::schema() {
  return Json{{"type", "object"},
              {"patternProperties", {{"^//", Json::object()}}},
              {"additionalProperties",
               {{"type", "integer"}, {"minimum", 1}, {"maximum", limits::most_workers}}},
              {"minProperties", 1}};
}

Fields<UplinkSpec> UplinkSpec::fields() {
  Fields<UplinkSpec> f;
  FieldInfo bandwidth = LinkSpec::fields().infos().front();
  bandwidth.doc =
      "capacity of each direction; where they differ {\"up\": ..., \"down\": ...}, up being away "
      "from the rack";
  bandwidth.schema = nullptr;
  f.add(bandwidth, &UplinkSpec::bandwidth);
  f.add(
      {.name = "oversubscription",
       .doc = "instead of bandwidth: how many times wider the links of the rack's hosts and nodes "
              "are together, in each direction; 1 never blocks",
       .minimum = 1,
       .maximum = 1e6},
      &UplinkSpec::oversubscription);
  f.add({.name = "latency",
         .doc = "of the uplink; a message between two racks pays those of both",
         .dimension = Dimension::time,
         .minimum = 0},
        &UplinkSpec::latency_s);
  f.add({.name = "power", .doc = "power drawn by the uplink, both directions together"},
        &UplinkSpec::power);
  return f;
}

Fields<RackSpec> RackSpec::fields() {
  Fields<RackSpec> f;
  f.add({.name = "count",
         .doc = "how many such racks there are, each with these hosts",
         .fallback = 1,
         .minimum = 1,
         .maximum = limits::most_workers},
        &RackSpec::count);
  f.add(hosts_field("in each of them"), &RackSpec::hosts);
  f.add({.name = "uplink", .doc = "of each of them, instead of the fabric's"}, &RackSpec::uplink);
  return f;
}

Fields<SiteSpec> SiteSpec::fields() {
  Fields<SiteSpec> f;
  f.add({.name = "name", .doc = "of the site"}, &SiteSpec::name);
  f.add(hosts_field("there"), &SiteSpec::hosts);
  return f;
}

Fields<SiteLinkSpec> SiteLinkSpec::fields() {
  Fields<SiteLinkSpec> f;
  f.add({.name = "between", .doc = "the names of two sites; up is from the first to the second"},
        &SiteLinkSpec::between);
  f.include(LinkSpec::fields());
  return f;
}

Fields<FabricSpec> FabricSpec::fields() {
  Fields<FabricSpec> f;
  f.add({.name = "kind",
         .doc = "switch (one non-blocking switch), racks (one switch per rack, uplinks to a "
                "non-blocking core) or sites (one switch per site, every two sites joined by a "
                "wide-area link)",
         .choices = {"switch", "racks", "sites"}},
        &FabricSpec::kind);
  f.add({.name = "racks", .doc = "which hosts are in which rack", .kinds = {"racks"}},
        &FabricSpec::racks);
  f.add({.name = "uplink",
         .doc = "of every rack that has none of its own, full duplex",
         .kinds = {"racks"}},
        &FabricSpec::uplink);
  f.add({.name = "sites", .doc = "which hosts are at which site", .kinds = {"sites"}},
        &FabricSpec::sites);
  f.add(
      {.name = "link",
       .doc =
           "between every two sites that \"links\" does not name, full duplex; up is from the one "
           "that is listed first",
       .kinds = {"sites"}},
      &FabricSpec::link);
  f.add({.name = "links",
         .doc = "between two sites each, full duplex",
         .fallback = Json::array(),
         .kinds = {"sites"}},
        &FabricSpec::links);
  return f;
}

void check_fabric(const FabricSpec& fabric, const Place& place) {
  if (fabric.kind == FabricSpec::Kind::racks) check_racks(fabric, place);
  if (fabric.kind == FabricSpec::Kind::sites) check_sites(fabric, place);
}

LinkSpec link_between(const FabricSpec& fabric, const std::string& from, const std::string& to) {
  for (const SiteLinkSpec& link : fabric.links) {
    if (!is_between(link, from, to)) continue;
    LinkSpec found = link;
    if (link.between[0] != from) std::swap(found.bandwidth.up_Bps, found.bandwidth.down_Bps);
    return found;
  }
  return *fabric.link;
}

}  // namespace motley
