#include "sim/learning/data/sample_order.hpp"

namespace motley {

FieldInfo sample_order_field() {
  return {.name = "order",
          .doc =
              "shuffled (each worker passes over its samples in a new random order each time) "
              "or independent (drawn with replacement)",
          .fallback = "shuffled",
          .choices = {"shuffled", "independent"}};
}

}  // namespace motley
