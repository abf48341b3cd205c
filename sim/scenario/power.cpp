#include "sim/scenario/power.hpp"

#include "sim/base/json.hpp"

namespace motley {

Fields<PowerSpec> PowerSpec::fields() {
  Fields<PowerSpec> f;
  f.add({.name = "busy",
         .doc = "while a host computes; of a link with both directions full, and in between in "
                "proportion to the bytes that messages brought through it",
         .dimension = Dimension::power,
         .minimum = 0},
        &PowerSpec::busy_W);
  f.add({.name = "idle",
         .doc = "while a host does not, be it waiting or sending; of a link when nothing flows",
         .dimension = Dimension::power,
         .minimum = 0},
        &PowerSpec::idle_W);
  f.add({.name = "off",
         .doc = "while it takes no part: a server and its link in a run without one, a worker that "
                "has left",
         .fallback = "0W",
         .dimension = Dimension::power,
         .minimum = 0},
        &PowerSpec::off_W);
  return f;
}

}  // namespace motley
