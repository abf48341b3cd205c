#include "algorithms/support/local_work.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace motley {
namespace {

std::size_t at_least_one(double steps) {
  return static_cast<std::size_t>(std::max(1.0, std::round(steps)));
}

}  // namespace

std::vector<std::size_t> steps_by_speed(std::size_t steps, std::span<const double> steps_per_s) {
  const double fastest = *std::max_element(steps_per_s.begin(), steps_per_s.end());
  std::vector<std::size_t> of_each;
  for (const double speed : steps_per_s) {
    const double share = speed / fastest;
    of_each.push_back(at_least_one(static_cast<double>(steps) * share));
  }
  return of_each;
}

Fields<LocalWork> LocalWork::fields() {
  Fields<LocalWork> f;
  f.add({.name = "local_steps",
         .doc = "H: steps per round",
         .fallback = static_cast<int>(LocalWork().local_steps),
         .minimum = 1},
        &LocalWork::local_steps);
  f.add({.name = "local_epochs",
         .doc = "instead of local_steps: passes of each worker over its own data",
         .minimum = 0,
         .above_minimum = true},
        &LocalWork::local_epochs);
  f.add({.name = "local_work",
         .doc = "equal (local_steps for every worker) or speed (local_steps for the fastest, "
                "others in proportion to their speed)",
         .fallback = "equal",
         .choices = {"equal", "speed"}},
        &LocalWork::local_work);
  return f;
}

void LocalWork::check(const Place& place) const {
  if (local_epochs && local_work == Spread::speed) {
    throw InputError(place / "local_epochs",
                     "counts each worker's own data: remove it, or \"local_work\": \"speed\"");
  }
  if (local_epochs && local_steps != LocalWork().local_steps) {
    throw InputError(place / "local_steps",
                     "has no effect, since local_epochs is given: remove one of them");
  }
}

LocalSteps::LocalSteps(const LocalWork& work, const BatchSizes& batches, const RunFacts& facts)
    : epochs_(work.local_epochs),
      batches_(batches.by_rank()),
      steps_(facts.workers, work.local_steps) {
  batches_.resize(facts.workers, batches[0]);
  if (work.local_work == LocalWork::Spread::speed) {
    steps_ = steps_by_speed(work.local_steps, batches.step_rates(facts.speeds));
  }
  if (epochs_) {
    const double passes = facts.everybody_has_all_data ? static_cast<double>(facts.workers) : 1;
    mean_ = *epochs_ * passes * facts.updates_per_epoch(batches.sum());
  } else {
    mean_ = static_cast<double>(std::accumulate(steps_.begin(), steps_.end(), std::size_t{0})) /
            static_cast<double>(facts.workers);
  }
}

std::size_t LocalSteps::at_least(std::size_t rank, const RunFacts& facts) const {
  if (!epochs_) return steps_[rank];
  if (!facts.everybody_has_all_data) return 1;  // it may have few
  return at_least_one(*epochs_ * static_cast<double>(facts.samples_per_epoch) /
                      static_cast<double>(batches_[rank]));
}

std::size_t LocalSteps::of(const Worker& me) const {
  if (!epochs_) return steps_[me.rank()];
  return at_least_one(*epochs_ * static_cast<double>(me.data_samples()) /
                      static_cast<double>(batches_[me.rank()]));
}

}  // namespace motley
