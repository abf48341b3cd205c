#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/vocabulary/model.hpp"

namespace motley {

class Network;
class ThreadPool;

/// How a group of workers averages a vector: what crosses the network, and when each member may go
/// on. Members are counted from 0, in the order of the group.
class Collective {
 public:
  struct Setup {
    Network& network;
    ThreadPool& pool;
    const ApproximateSpec& approximate;
    std::vector<std::size_t> ranks;  ///< of the members
    std::uint64_t model_bytes = 0;   ///< of a vector of model_size floats
    std::size_t model_size = 0;
  };

  virtual ~Collective() = default;

  /// What a member takes from a round.
  struct Outcome {
    Parameters mean;
    NotesOfAll numbers;  ///< of all members
  };

  /// Called by an actor of each member, for one round after another. `numbers` travel along.
  virtual Outcome mean(std::size_t member, const Parameters& value, double weight,
                       std::vector<double> numbers) = 0;
};

/// By name; std::logic_error for an unknown one.
std::unique_ptr<Collective> make_collective(const std::string& name, Collective::Setup setup);

}  // namespace motley
