#include "sim/study/planned_batches.hpp"

#include <algorithm>

#include "sim/base/format.hpp"
#include "sim/base/json.hpp"

namespace motley {

BatchSizes planned_batches(const Json& parameters, const ClusterPlan& cluster, const Place& place) {
  BatchSizes sizes = BatchSizes::read(parameters.value("batch_size", Json(1)), place);
  std::vector<std::string> class_of;
  std::vector<std::string> classes;
  for (const HostPlan& worker : cluster.workers) {
    class_of.push_back(worker.class_name);
    if (classes.empty() || classes.back() != worker.class_name)
      classes.push_back(worker.class_name);
  }
  for (const auto& [name, size] : sizes.by_class()) {
    if (std::ranges::find(classes, name) != classes.end()) continue;
    std::ranges::sort(classes);
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    throw InputError(place / name, "there is no such class of workers" +
                                       did_you_mean(name, classes) +
                                       ", there are: " + listed(classes));
  }
  sizes.hand_out(class_of, place);
  for (std::size_t rank = 0; rank < cluster.workers.size(); ++rank) {
    const HostPlan& worker = cluster.workers[rank];
    if (!worker.max_batch || sizes[rank] <= *worker.max_batch) continue;
    throw InputError(sizes.by_class().empty() ? place : place / worker.class_name,
                     "must be at most " + std::to_string(*worker.max_batch) +
                         ", the max_batch of class " + worker.class_name,
                     std::uint64_t{sizes[rank]});
  }
  return sizes;
}

}  // namespace motley
