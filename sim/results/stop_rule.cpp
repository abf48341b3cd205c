#include "sim/results/stop_rule.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "sim/base/format.hpp"

namespace motley {

StopRule::StopRule(const StopSpec& stop, std::size_t samples_per_epoch)
    : stop_(stop), samples_per_epoch_(samples_per_epoch) {}

double StopRule::progress(double now, std::uint64_t updates, std::uint64_t samples_done) const {
  double share = 0;
  if (stop_.time_s) share = std::max(share, now / *stop_.time_s);
  if (stop_.updates) {
    share = std::max(share, static_cast<double>(updates) / static_cast<double>(*stop_.updates));
  }
  const auto samples = static_cast<double>(samples_done);
  if (stop_.samples) share = std::max(share, samples / static_cast<double>(*stop_.samples));
  if (stop_.epochs) {
    share = std::max(share, samples / (*stop_.epochs * static_cast<double>(samples_per_epoch_)));
  }
  return std::min(share, 1.0);
}

void StopRule::check_budget(double now, std::uint64_t updates, std::uint64_t samples) {
  if (!stopped() && progress(now, updates, samples) >= 1) status_ = Status::finished;
}

void StopRule::diverge(const std::string& what, std::uint64_t updates) {
  if (status_ == Status::diverged) return;  // the first reason stays; finished does not
  status_ = Status::diverged;
  reason_ = what + " after " + counted(updates, "update") + ": try a smaller step_size";
}

bool StopRule::check_finite(double loss, const std::string& which, std::uint64_t updates) {
  if (std::isfinite(loss)) return true;
  diverge(which + " is not finite", updates);
  return false;
}

bool StopRule::check_growth(double test_loss, std::uint64_t updates) {
  if (!initial_loss_) initial_loss_ = test_loss;
  if (!(test_loss > stop_.diverged_above * *initial_loss_)) return true;
  std::ostringstream limit;
  limit << stop_.diverged_above;
  diverge("the test loss is more than " + limit.str() + " times the initial one", updates);
  return false;
}

void StopRule::target_reached() {
  if (stop_.at_target && !stopped()) status_ = Status::finished;
}

}  // namespace motley
