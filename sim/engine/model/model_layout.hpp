#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/collectives/gradient_buckets.hpp"
#include "sim/engine/model/global_model.hpp"
#include "sim/engine/model/shard_state.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/learning/rules/compression.hpp"

namespace motley {

/// The model, in the parts in which the algorithm's exchange() makes it live on servers and travel.
class ModelLayout {
 public:
  ModelLayout(const SimulationSetup& setup, const Algorithm& algorithm, Agenda& agenda);

  /// As every run of this seed starts.
  const Model& initial() const { return initial_; }
  bool has_server() const { return has_server_; }
  /// See modelled_layers().
  const std::vector<Layer>& layers() const { return layers_; }
  bool layers_travel_alone() const { return layers_travel_alone_; }
  /// In which gradients are all-reduced; none when they are whole.
  const std::vector<GradientBucket>& gradient_buckets() const { return gradient_buckets_; }
  /// Of pushed gradients.
  const CompressSpec& compress() const { return compress_; }
  /// Servers that nobody needs hold none; then there is one, of the whole.
  const GlobalModel::Shards& shards() const { return shards_; }
  ShardState& shard(std::size_t index) const { return *shards_[index]; }
  /// By parameters.
  double share_of(const ShardState& shard) const {
    return static_cast<double>(shard.shard.size) / static_cast<double>(initial_.size());
  }

 private:
  Model initial_;
  bool has_server_;
  std::vector<Layer> layers_;
  bool layers_travel_alone_ = false;
  std::vector<GradientBucket> gradient_buckets_;
  CompressSpec compress_;
  GlobalModel::Shards shards_;
};

}  // namespace motley
