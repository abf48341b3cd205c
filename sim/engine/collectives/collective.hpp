#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace motley {

class Network;

/// By what messages the members of a group average a vector: what crosses the network, and when each
/// of them may go on. It moves bytes only; the mean itself is Averaging's, and has the same bits
/// whichever collective is chosen.
///
/// Members are counted by their position, in an order in which neighbours are near each other (see
/// member_order.hpp). They are the same in all rounds: a group that is formed anew has a new one.
class Collective {
 public:
  struct Setup {
    Network& network;
    const ApproximateSpec& approximate;
    std::vector<std::size_t> ranks;  ///< of the members, by position
    std::vector<std::size_t> nodes;  ///< those with the same number are in one machine
  };

  virtual ~Collective() = default;

  /// Called by an actor of each member, for one round after another, with the bytes of the whole
  /// vector. Returns when this member has the mean and need not send any more.
  virtual void pass(std::size_t position, std::uint64_t bytes) = 0;

  /// For whom a member waits inside pass(), for the report of a deadlock.
  virtual const char* waits_for() const = 0;
};

/// By a name of ExchangeSpec::collectives(); std::logic_error for an unknown one.
std::unique_ptr<Collective> make_collective(const std::string& name, Collective::Setup setup);

}  // namespace motley
