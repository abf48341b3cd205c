#pragma once

#include <simgrid/forward.h>
#include <string>

#include "sim/scenario/scenario.hpp"

namespace motley {

/// SimGrid's engine, configured before any platform exists. One per process: a second one would go
/// on from the first one's clock.
class EngineSetup {
 public:
  /// fluid: CM02 without TCP window and cross traffic, so that nothing hidden scales latency or
  /// bandwidth (see Network for its latencies). tcp: LV08 as SimGrid ships it.
  /// `actors` decides how their stacks are kept.
  /// `paje_file`: where SimGrid writes its own trace of hosts and links; empty: nowhere.
  EngineSetup(Scenario::Network network, std::size_t actors, const std::string& paje_file = "");
  ~EngineSetup() = default;  // SimGrid destroys its engine at exit
  EngineSetup(const EngineSetup&) = delete;
  EngineSetup& operator=(const EngineSetup&) = delete;

  simgrid::s4u::Engine& engine() const { return *engine_; }

 private:
  simgrid::s4u::Engine* engine_;
};

}  // namespace motley
