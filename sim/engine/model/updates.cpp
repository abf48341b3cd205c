#include "sim/engine/model/updates.hpp"

#include "sim/engine/failures/recovery.hpp"

namespace motley {

void Updates::finish(Model& x) {
  evaluate_merge_before_now();
  model_.update(agenda_.now(), x);
  ending_.stop_if_over();
}

void Updates::finish_shard(ShardState& shard, Model& x) {
  evaluate_merge_before_now();
  if (recovery_ != nullptr) recovery_->shard_changes(shard);
  model_.update_shard(agenda_.now(), shard, x);
  ending_.stop_if_over();
}

void Updates::finish_own(std::size_t rank, const Model& x, std::uint64_t steps) {
  model_.update_own(agenda_.now(), rank, x, steps);
  ending_.stop_if_over();
}

void Updates::evaluate_merge_before_now() {
  if (!ending_.is_over()) model_.evaluate_merge_before(agenda_.now());
  ending_.stop_if_over();
}

}  // namespace motley
