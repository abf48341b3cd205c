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

std::vector<std::size_t> draw_present(Server& me, std::size_t count,
                                      const std::set<std::size_t>& but) {
  const auto draw = [&](std::size_t n) {
    return draw_some(me.random("clients"), n, std::min(count, n));
  };
  if (me.workers() > 1 && me.count_present() == me.workers()) {  // no list of them is needed
    std::vector<std::size_t> drawn = draw(me.workers() - but.size());
    auto next = but.begin();
    std::size_t passed = 0;
    for (std::size_t& worker : drawn) {  // counted without those before it that are left out
      for (; next != but.end() && *next <= worker + passed; ++next) ++passed;
      worker += passed;
    }
    return drawn;
  }
  std::vector<std::size_t> candidates = me.present();
  std::erase_if(candidates, [&](std::size_t worker) { return but.contains(worker); });
  std::vector<std::size_t> drawn = draw(candidates.size());
  for (std::size_t& worker : drawn) worker = candidates[worker];
  return drawn;
}

std::vector<std::size_t> all_of(const std::vector<bool>& chosen) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]) indices.push_back(i);
  }
  return indices;
}

}  // namespace motley
