#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/learning/rules/parameters.hpp"

namespace motley {

/// The numbers of several workers, by rank, or that travel along with a message; shared.
using Notes = std::shared_ptr<const std::vector<double>>;
/// Several numbers of each of several workers; shared. Null when nobody gave any.
using NotesOfAll = std::shared_ptr<const std::vector<std::vector<double>>>;
/// The version of each shard of a model made of several; null when there is one.
using ShardVersions = std::shared_ptr<const std::vector<std::uint64_t>>;

/// A version of the global model (or a worker's own copy on the way from one). Copies are
/// snapshots.
struct Model : Parameters {
  std::uint64_t version = 0;          ///< how many updates of the global model made it
  Notes notes = nullptr;              ///< numbers that the server sends along
  std::vector<Parameters> more = {};  ///< vectors that travel along, each of a model's size
  ShardVersions shard_versions = nullptr;
};

/// A mini-batch gradient with what is known of its making.
struct Gradient : Parameters {
  std::uint64_t version = 0;  ///< of the model it was computed at
  std::uint64_t samples = 0;
  double compute_s = 0;  ///< virtual time its computation took
  ShardVersions shard_versions = nullptr;
};

/// A model after local steps, with what is known of its making. Its version is that of the model
/// they began at.
struct Trained : Model {
  std::uint64_t samples = 0;
  double compute_s = 0;  ///< virtual time the steps took
};

}  // namespace motley
