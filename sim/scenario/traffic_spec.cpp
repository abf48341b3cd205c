#include "sim/scenario/traffic_spec.hpp"

#include "sim/base/json.hpp"

namespace motley {

Fields<TrafficSpec> TrafficSpec::fields() {
  Fields<TrafficSpec> f;
  f.add({.name = "from",
         .doc = "a worker, a class (each of its workers sends by itself), server, or outside (of "
                "the cluster, by no link but the receiver's)"},
        &TrafficSpec::from);
  f.add({.name = "to",
         .doc = "a worker, a class (each message goes to one of its workers, drawn at random), "
                "server, or outside"},
        &TrafficSpec::to);
  f.add({.name = "size",
         .doc = "of each message: a size, or a law such as {\"law\": \"pareto\", \"least\": "
                "\"1MB\", \"alpha\": 1.5}; never above 1e15 bytes",
         .dimension = Dimension::data,
         .minimum = 0,
         .above_minimum = true,
         .type = "quantity"},
        &TrafficSpec::size);
  f.add({.name = "every",
         .doc = "from the beginning of one message to that of the next, however long it takes: a "
                "time, or a law such as {\"law\": \"exponential\", \"mean\": \"2s\"}",
         .dimension = Dimension::time,
         .minimum = 0,
         .above_minimum = true,
         .type = "quantity"},
        &TrafficSpec::every);
  f.add({.name = "at",
         .doc = "when it begins; the first message comes one `every` later",
         .fallback = "0s",
         .dimension = Dimension::time,
         .minimum = 0},
        &TrafficSpec::at_s);
  f.add({.name = "for",
         .doc = "how long new messages are sent; for good when absent",
         .dimension = Dimension::time,
         .minimum = 0,
         .above_minimum = true},
        &TrafficSpec::for_s);
  return f;
}

}  // namespace motley
