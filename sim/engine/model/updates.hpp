#pragma once

#include <cstdint>

#include "sim/engine/ending.hpp"
#include "sim/engine/model/global_model.hpp"

namespace motley {

class Recovery;

/// What bodies say of updates they have made. The caller never returns from these when the run is over.
class Updates {
 public:
  /// `recovery`: where somebody may fail; null elsewhere.
  Updates(GlobalModel& model, Ending& ending, Agenda& agenda, Recovery* recovery)
      : model_(model), ending_(ending), agenda_(agenda), recovery_(recovery) {}

  /// Of the whole model.
  void finish(Model& x);
  void finish_shard(ShardState& shard, Model& x);
  /// Of a worker's own model.
  void finish_own(std::size_t rank, const Model& x, std::uint64_t steps);
  /// Before anything else happens to the model now: see GlobalModel.
  void evaluate_merge_before_now();

 private:
  GlobalModel& model_;
  Ending& ending_;
  Agenda& agenda_;
  Recovery* recovery_;
};

}  // namespace motley
