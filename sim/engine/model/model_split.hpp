#pragma once

#include <cstdint>
#include <vector>

#include "sim/learning/models/problem.hpp"
#include "sim/scenario/cluster_plan.hpp"
#include "sim/vocabulary/exchange_spec.hpp"

namespace motley {

/// A contiguous part of the model that lives on one server, is updated there on its own and travels
/// as one message.
struct Shard {
  std::size_t server = 0;
  std::size_t layer = 0;  ///< the one it belongs to, when layers travel alone
  std::size_t begin = 0;  ///< first parameter
  std::size_t size = 0;   ///< parameters
  std::uint64_t bytes = 0;
  double update_flops = 0;
};

/// The model in shards, by their place in it. Without overlap one for each server; with it one for
/// each layer (or part of a layer) and server.
///
/// even: equal parts in the order of the servers, layers cut where need be. fast_first, slow_first:
/// whole layers in ranges as equal as they allow, the input's on the fastest (slowest) server; fast
/// is who takes the least time to receive and update a whole model, by its link and its speed (by
/// its speed alone on a platform file). InputError at `place` when there are too few layers or
/// parameters for the servers.
///
/// `dimension`: parameters of the model that is trained. Where the layers are those of another, larger
/// model, the cuts are that one's, and the trained parameters are dealt out over its shards in their
/// order, in proportion to their bytes, at least one to each.
std::vector<Shard> split_model(const ExchangeSpec& spec, const std::vector<Layer>& layers,
                               std::size_t dimension, const ClusterPlan& cluster,
                               std::uint64_t message_bytes, double flops_per_update,
                               const Place& place);

}  // namespace motley
