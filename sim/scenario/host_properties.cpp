#include "sim/scenario/host_properties.hpp"

#include "sim/base/json.hpp"

namespace motley {

Fields<HostProperties> HostProperties::fields() {
  Fields<HostProperties> f;
  const auto power = [](const char* name, const char* doc) {
    return FieldInfo{.name = name, .doc = doc, .dimension = Dimension::power, .minimum = 0};
  };
  f.add(power("power_busy", "while it computes"), &HostProperties::busy_W);
  f.add(power("power_idle", "while it does not"), &HostProperties::idle_W);
  f.add(power("power_off", "while it takes no part; 0W when absent"), &HostProperties::off_W);
  f.add({.name = "price_per_hour", .doc = "in any currency, while it takes part", .minimum = 0},
        &HostProperties::price_per_hour);
  f.add({.name = "max_batch",
         .doc = "the largest batch that fits a worker's memory; a larger one is an error",
         .minimum = 1},
        &HostProperties::max_batch);
  return f;
}

void apply_properties(const Json& properties, const Place& place, HostPlan& host) {
  Json given = Json::object();
  for (const FieldInfo& field : fields_of<HostProperties>().infos()) {
    const auto found = properties.find(field.name);
    if (found == properties.end()) continue;
    // Properties are text; what has no unit is a number in it.
    const Json number = Json::parse(found->get<std::string>(), nullptr, /*allow_exceptions=*/false);
    given[field.name] = number.is_number() ? number : *found;
  }
  HostProperties read;
  fields_of<HostProperties>().read_given(given, place, read);
  if (read.busy_W.has_value() != read.idle_W.has_value() || (read.off_W && !read.busy_W)) {
    throw InputError(place, "needs both power_busy and power_idle, or no power at all");
  }
  if (read.busy_W) host.power = PowerSpec{*read.busy_W, *read.idle_W, read.off_W.value_or(0)};
  host.price_per_hour = read.price_per_hour;
  host.max_batch = read.max_batch;
}

}  // namespace motley
