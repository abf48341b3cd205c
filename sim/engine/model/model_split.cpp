#include "sim/engine/model/model_split.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace motley {
namespace {

/// Where each of `parts` contiguous ranges of whole layers ends, in layers, so that the largest
/// range is as small as possible.
std::vector<std::size_t> balanced_ends(const std::vector<Layer>& layers, std::size_t parts) {
  const std::size_t n = layers.size();
  std::vector<std::size_t> sums(n + 1, 0);
  for (std::size_t l = 0; l < n; ++l) sums[l + 1] = sums[l] + layers[l].size;
  // best[p][l]: the largest range when the first l layers make p ranges; cut[p][l]: where the last
  // of them begins.
  constexpr std::size_t impossible = std::numeric_limits<std::size_t>::max();
  std::vector best(parts + 1, std::vector<std::size_t>(n + 1, impossible));
  std::vector cut(parts + 1, std::vector<std::size_t>(n + 1, 0));
  best[0][0] = 0;
  for (std::size_t p = 1; p <= parts; ++p) {
    for (std::size_t l = p; l <= n; ++l) {
      for (std::size_t from = p - 1; from < l; ++from) {
        const std::size_t largest = std::max(best[p - 1][from], sums[l] - sums[from]);
        if (best[p - 1][from] != impossible && largest < best[p][l]) {
          best[p][l] = largest;
          cut[p][l] = from;
        }
      }
    }
  }
  std::vector<std::size_t> ends(parts);
  std::size_t end = n;
  for (std::size_t p = parts; p > 0; --p) {
    ends[p - 1] = end;
    end = cut[p][end];
  }
  return ends;
}

std::vector<std::size_t> fastest_first(const ClusterPlan& cluster, std::uint64_t message_bytes,
                                       double flops_per_update) {
  const auto time = [&](std::size_t s) {
    const HostPlan& server = cluster.servers[s];
    if (!cluster.platform_file.empty()) return 1 / server.speed_flops;
    // Of what comes and what goes, on average.
    const auto bytes = static_cast<double>(message_bytes);
    const Bandwidth& bandwidth = server.link.bandwidth;
    return (bytes / bandwidth.down_Bps + bytes / bandwidth.up_Bps) / 2 +
           flops_per_update / server.speed_flops;
  };
  std::vector<std::size_t> order(cluster.servers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return time(a) != time(b) ? time(a) < time(b)
                              : cluster.servers[a].speed_flops > cluster.servers[b].speed_flops;
  });
  return order;
}

/// Turns ranges of another model's bytes into ranges of the trained model's parameters.
void deal_out(std::size_t dimension, std::size_t size, std::vector<Shard>& shards,
              const Place& place) {
  const std::size_t count = shards.size();
  if (dimension < count) {
    throw InputError(place, "the trained model has " + std::to_string(dimension) +
                                " parameters, fewer than the " + std::to_string(count) +
                                " parts in which the modelled architecture is sent");
  }
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < count; ++i) {
    const auto share =
        static_cast<std::size_t>(static_cast<double>(dimension) *
                                 static_cast<double>(shards[i].begin) / static_cast<double>(size));
    const std::size_t least = i == 0 ? 0 : begins.back() + 1;
    begins.push_back(std::clamp(share, least, dimension - (count - i)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    shards[i].begin = begins[i];
    shards[i].size = (i + 1 < count ? begins[i + 1] : dimension) - begins[i];
  }
}

}  // namespace

std::vector<Shard> split_model(const ExchangeSpec& spec, const std::vector<Layer>& layers,
                               std::size_t dimension, const ClusterPlan& cluster,
                               std::uint64_t message_bytes, double flops_per_update,
                               const Place& place) {
  const std::size_t servers = std::max<std::size_t>(1, cluster.servers.size());
  std::vector<std::size_t> layer_ends;
  std::size_t size = 0;  // of all layers: in parameters, or in bytes of another model
  for (const Layer& layer : layers) layer_ends.push_back(size += layer.size);

  std::vector<std::size_t> order(servers);  // server by server along the model
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::size_t> ends;  // of their ranges, in the unit of `size`
  if (spec.placement == ExchangeSpec::Placement::even || servers == 1) {
    if (size < servers) {
      throw InputError(place, "the model has " + std::to_string(size) +
                                  (size == dimension ? " parameters" : " bytes") +
                                  ", fewer than the " + std::to_string(servers) +
                                  " servers of /cluster/servers");
    }
    for (std::size_t s = 0; s < servers; ++s) ends.push_back(size * (s + 1) / servers);
  } else {
    if (layers.size() < servers) {
      throw InputError(place / "placement",
                       "needs at least as many layers as servers, but the model has " +
                           std::to_string(layers.size()) + " and /cluster/servers " +
                           std::to_string(servers) + ": choose \"even\", which cuts layers");
    }
    order = fastest_first(cluster, message_bytes, flops_per_update);
    if (spec.placement == ExchangeSpec::Placement::slow_first) {
      std::reverse(order.begin(), order.end());
    }
    for (const std::size_t end : balanced_ends(layers, servers)) {
      ends.push_back(layer_ends[end - 1]);
    }
  }

  // Cut at the ends of the servers' ranges and, with overlap, of the layers.
  std::vector<Shard> shards;
  std::size_t begin = 0;
  std::size_t server = 0;
  std::size_t layer = 0;
  while (begin < size) {
    std::size_t end = ends[server];
    if (spec.overlap == ExchangeSpec::Overlap::layers) end = std::min(end, layer_ends[layer]);
    const auto bytes_before = [&](std::size_t part) {  // so that all add up exactly
      if (part == size) return message_bytes;
      if (size == message_bytes) return std::uint64_t{part};
      return static_cast<std::uint64_t>(static_cast<double>(message_bytes) *
                                        static_cast<double>(part) / static_cast<double>(size));
    };
    shards.push_back(
        {order[server], layer, begin, end - begin, bytes_before(end) - bytes_before(begin),
         flops_per_update * static_cast<double>(end - begin) / static_cast<double>(size)});
    begin = end;
    if (begin == ends[server]) ++server;
    if (begin == layer_ends[layer]) ++layer;
  }
  if (dimension != size) deal_out(dimension, size, shards, place);
  return shards;
}

}  // namespace motley
