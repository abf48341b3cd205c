#include "algorithms/support/participation.hpp"

#include <algorithm>
#include <cmath>

namespace motley {

Fields<Participation> Participation::fields() {
  Fields<Participation> f;
  f.add({.name = "count", .doc = "how many; this or share", .minimum = 1}, &Participation::count);
  f.add({.name = "share",
         .doc = "which part of them, rounded to a whole number, at least one; this or count",
         .minimum = 0,
         .maximum = 1,
         .above_minimum = true},
        &Participation::share);
  return f;
}

FieldInfo Participation::of_a_round() {
  return {.name = "participation",
          .doc = "how many workers take part in a round",
          .fallback = JsonValue::parse("{}")};
}

FieldInfo Participation::at_once() {
  return {.name = "concurrency",
          .doc = "how many workers are at work at once",
          .fallback = JsonValue::parse("{}")};
}

void Participation::check(std::size_t workers, const Place& place) const {
  if (count && share) throw InputError(place, "takes one of \"count\" and \"share\", not both");
  if (count && *count > workers) {
    throw InputError(place / "count",
                     "must be at most the number of workers, " + std::to_string(workers), *count);
  }
}

std::size_t Participation::of(std::size_t workers) const {
  if (count) return *count;
  if (!share) return workers;
  const auto part = static_cast<std::size_t>(std::llround(*share * static_cast<double>(workers)));
  return std::max<std::size_t>(1, part);
}

}  // namespace motley
