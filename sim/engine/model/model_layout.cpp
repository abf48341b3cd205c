#include "sim/engine/model/model_layout.hpp"

#include "sim/engine/model/modelled_layers.hpp"
#include "sim/engine/model/whole_model.hpp"

namespace motley {

ModelLayout::ModelLayout(const SimulationSetup& setup, const Algorithm& algorithm, Agenda& agenda)
    : initial_(initial_model_of(setup)),
      has_server_(algorithm.needs_server()),
      layers_(modelled_layers(setup.scenario.cost, setup.problem, setup.flops_per_sample)) {
  const ExchangeSpec exchange = algorithm.exchange();
  layers_travel_alone_ = exchange.overlap == ExchangeSpec::Overlap::layers;
  compress_ = exchange.compress;
  if (exchange.bucket_bytes) {
    gradient_buckets_ =
        motley::gradient_buckets(layers_, setup.message_bytes, *exchange.bucket_bytes);
  }
  static const ClusterPlan nowhere;
  for (const Shard& shard :
       split_model(has_server_ ? exchange : ExchangeSpec{}, layers_, initial_.size(),
                   has_server_ ? setup.cluster : nowhere, setup.message_bytes,
                   setup.scenario.cost.flops_per_update, {})) {
    shards_.push_back(std::make_unique<ShardState>(agenda));
    shards_.back()->shard = shard;
    shards_.back()->index = shards_.size() - 1;
    static_cast<Parameters&>(shards_.back()->model) = initial_.slice(shard.begin, shard.size);
  }
}

}  // namespace motley
