#include "sim/scenario/change_spec.hpp"

#include "sim/base/json.hpp"

namespace motley {
namespace {

FieldInfo factor_field(const char* name, const char* doc) {
  return {.name = name, .doc = doc, .minimum = 1 / largest_change, .maximum = largest_change};
}

}  // namespace

Fields<ChangeSpec> ChangeSpec::fields() {
  Fields<ChangeSpec> f;
  f.add({.name = "at",
         .doc = "virtual time at which it begins",
         .dimension = Dimension::time,
         .minimum = 0},
        &ChangeSpec::at_s);
  f.add({.name = "for",
         .doc = "how long it lasts; for good when absent",
         .dimension = Dimension::time,
         .minimum = 0,
         .above_minimum = true},
        &ChangeSpec::for_s);
  f.add(
      factor_field("speed",
                   "factor of the speed, for all of a step's time; changes that overlap multiply"),
      &ChangeSpec::speed);
  f.add(factor_field("bandwidth",
                     "factor of the bandwidth of each one's link, both directions (the card of a "
                     "node, not its ports inside)"),
        &ChangeSpec::bandwidth);
  return f;
}

TimedFactor ChangeSpec::timed(double factor) const {
  TimedFactor change{.from_s = at_s, .factor = factor};
  if (for_s) change.to_s = at_s + *for_s;
  return change;
}

Fields<NamedChangeSpec> NamedChangeSpec::fields() {
  Fields<NamedChangeSpec> f;
  f.add({.name = "worker", .doc = "the name of a worker, such as \"gpu-3\""},
        &NamedChangeSpec::worker);
  f.add(
      {.name = "class", .doc = "instead of worker: a class of workers, or \"server\": all servers"},
      &NamedChangeSpec::class_name);
  f.add({.name = "link",
         .doc = "instead of worker: one direction of a link by its name in links.csv "
                "(\"gpu-3_up\"), or a group of them (\"gpu-*_up\")"},
        &NamedChangeSpec::link);
  f.include(ChangeSpec::fields());
  return f;
}

Fields<SlowdownSpec> SlowdownSpec::fields() {
  Fields<SlowdownSpec> f;
  const auto time_field = [](const char* name, const char* doc) {
    return FieldInfo{.name = name,
                     .doc = doc,
                     .dimension = Dimension::time,
                     .minimum = 0,
                     .above_minimum = true,
                     .type = "quantity"};
  };
  f.add(time_field("after",
                   "from the beginning, and from the end of each slow-down, to the next one: a "
                   "time, or a law such as {\"law\": \"exponential\", \"mean\": \"300s\"}"),
        &SlowdownSpec::after);
  f.add(time_field("for", "how long each lasts: a time or a law"), &SlowdownSpec::lasting);
  f.add({.name = "slower",
         .doc = "how many times slower the worker is meanwhile: a number, or a law such as "
                "{\"law\": \"uniform\", \"from\": 2, \"to\": 8}",
         .minimum = 1,
         .type = "number"},
        &SlowdownSpec::slower);
  return f;
}

void check_change(const ChangeSpec& change, const Place& place) {
  if (change.speed || change.bandwidth) return;
  throw InputError(place, "needs \"speed\", \"bandwidth\" or both: what it becomes");
}

}  // namespace motley
