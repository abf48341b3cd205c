#include "sim/study/planned_batches.hpp"

#include <algorithm>
#include <set>

#include "sim/base/format.hpp"
#include "sim/base/json.hpp"

namespace motley {

BatchSizes planned_batches(const Json& parameters, const RunFacts& facts, const Place& place) {
  BatchSizes sizes = BatchSizes::read(parameters.value("batch_size", Json(1)), place);
  for (const auto& [name, size] : sizes.by_class()) {
    if (std::ranges::find(facts.class_of, name) != facts.class_of.end()) continue;
    const std::set<std::string> there(facts.class_of.begin(), facts.class_of.end());
    const std::vector<std::string> classes(there.begin(), there.end());
    throw InputError(place / name, "there is no such class of workers" +
                                       did_you_mean(name, classes) +
                                       ", there are: " + listed(classes));
  }
  sizes.hand_out(facts.class_of, place);
  for (std::size_t rank = 0; rank < facts.max_batches.size(); ++rank) {
    const std::optional<std::size_t>& most = facts.max_batches[rank];
    if (!most || sizes[rank] <= *most) continue;
    const std::string& name = facts.class_of[rank];
    throw InputError(
        sizes.by_class().empty() ? place : place / name,
        "must be at most " + std::to_string(*most) + ", the max_batch of class " + name,
        std::uint64_t{sizes[rank]});
  }
  return sizes;
}

}  // namespace motley
