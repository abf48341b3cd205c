#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/learning/parameters.hpp"

namespace motley {

/// Numbers that travel along with a message, shared and free of cost.
using Notes = std::shared_ptr<const std::vector<double>>;
/// The version of each shard of a model that several are put together of; null when there is one.
using ShardVersions = std::shared_ptr<const std::vector<std::uint64_t>>;

/// A version of the global model (or a worker's own copy on the way from one). Copies are
/// snapshots.
struct Model : Parameters {
  std::uint64_t version = 0;  ///< how many updates of the global model made it
  Notes notes = nullptr;      ///< what the server tells along
  ShardVersions shard_versions = nullptr;
};

/// A mini-batch gradient with what is known of its making.
struct Gradient : Parameters {
  std::uint64_t version = 0;  ///< of the model it was computed at
  std::uint64_t samples = 0;
  double compute_s = 0;  ///< virtual time its computation took
  ShardVersions shard_versions = nullptr;
};

/// What reaches the server from a worker: a gradient, or an empty one when only a model is asked
/// for.
struct Push {
  std::size_t worker = 0;
  Gradient gradient;
  bool wants_model = true;
  double note = 0;            ///< what the worker tells along
  std::uint32_t message = 0;  ///< which brought it, on the timeline of a traced run
};

}  // namespace motley
