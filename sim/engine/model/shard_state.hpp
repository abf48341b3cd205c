#pragma once

#include <memory>

#include "sim/engine/computing/host_work.hpp"
#include "sim/engine/failures/checkpoint.hpp"
#include "sim/engine/model/shard_model.hpp"
#include "sim/engine/network/arrival.hpp"
#include "sim/engine/network/inbox.hpp"
#include "sim/vocabulary/message.hpp"

namespace motley {

/// A shard of the model inside the simulation, with the inbox of its server's actor.
struct ShardState : ShardModel {
  explicit ShardState(Agenda& agenda) : arrival(agenda) {}

  Inbox inbox;
  Arrival arrival;
  std::unique_ptr<HostWork> work;  ///< of a server whose speed changes, once it has worked
  Checkpoint checkpoint = {};
  std::uint64_t life = 0;             ///< how often its server has begun anew
  std::uint64_t updates_before = 0;   ///< in the model it then began with, without lost ones
  const char* waits_for = "nothing";  ///< while it waits; for the report of a deadlock
};

}  // namespace motley
