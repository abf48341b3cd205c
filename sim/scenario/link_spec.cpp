#include "sim/scenario/link_spec.hpp"

#include "sim/base/json.hpp"
#include "sim/scenario/field_schema.hpp"

namespace motley {
namespace {

FieldInfo rate_field(std::string name, std::string doc) {
  FieldInfo info{.name = std::move(name),
                 .doc = std::move(doc),
                 .dimension = Dimension::rate,
                 .minimum = 0,
                 .above_minimum = true};
  info.type = "quantity";
  return info;
}

Fields<Bandwidth> both_directions() {
  Fields<Bandwidth> f;
  f.add(rate_field("up", "away from the host"), &Bandwidth::up_Bps);
  f.add(rate_field("down", "to the host"), &Bandwidth::down_Bps);
  return f;
}

}  // namespace

Bandwidth Bandwidth::read(const Json& value, const Place& place) {
  Bandwidth bandwidth;
  if (value.is_object()) {
    Json given = value;
    both_directions().read(given, place, bandwidth);
  } else {
    fields_detail::read_number(rate_field("bandwidth", ""), value, place, bandwidth.up_Bps);
    bandwidth.down_Bps = bandwidth.up_Bps;
  }
  return bandwidth;
}

JsonValue Bandwidth::schema() {
  const Json one = {{"type", "string"}, {"pattern", quantity_pattern(Dimension::rate, false)}};
  return Json{{"anyOf", {one, object_schema(both_directions().infos())}}};
}

Fields<LinkSpec> LinkSpec::fields() {
  Fields<LinkSpec> f;
  f.add(
      rate_field("bandwidth",
                 "capacity of each direction; where they differ {\"up\": \"20Mbps\", \"down\": "
                 "\"100Mbps\"}, up being away from the host (between sites, from the first to the "
                 "second)"),
      &LinkSpec::bandwidth);
  f.add({.name = "latency",
         .doc = "of this link; a message pays the latency of every link it crosses",
         .dimension = Dimension::time,
         .minimum = 0},
        &LinkSpec::latency_s);
  f.add({.name = "power", .doc = "power drawn by this link, both directions together"},
        &LinkSpec::power);
  return f;
}

}  // namespace motley
