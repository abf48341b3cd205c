#include "sim/engine/collectives/gradient_buckets.hpp"

#include "sim/engine/model/model_split.hpp"

namespace motley {

std::vector<GradientBucket> gradient_buckets(const std::vector<Layer>& layers,
                                             std::uint64_t message_bytes, double bucket_bytes) {
  std::size_t size = 0;
  for (const Layer& layer : layers) size += layer.size;
  // As they would travel alone to one server.
  ExchangeSpec by_layers;
  by_layers.overlap = ExchangeSpec::Overlap::layers;
  const std::vector<Shard> shards =
      split_model(by_layers, layers, size, ClusterPlan{}, message_bytes, 0, {});
  std::vector<GradientBucket> buckets;
  for (std::size_t l = layers.size(); l-- > 0;) {
    if (buckets.empty() || static_cast<double>(buckets.back().bytes) >= bucket_bytes) {
      buckets.emplace_back();
    }
    buckets.back().bytes += shards[l].bytes;
    buckets.back().backward_flops += layers[l].backward_flops;
  }
  return buckets;
}

}  // namespace motley
