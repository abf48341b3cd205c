#include "sim/engine/platform/engine_setup.hpp"

#include <array>
#include <malloc.h>
#include <string>
#include <sys/prctl.h>
#include <xbt/log.h>

#include <simgrid/s4u.hpp>

#include "sim/engine/platform/simgrid_generation.hpp"

namespace s4u = simgrid::s4u;

namespace motley {

EngineSetup::EngineSetup(Scenario::Network network, [[maybe_unused]] std::size_t actors,
                         const std::string& paje_file) {
  // What users need to know we say ourselves; SimGrid's own notes would land between our lines.
  xbt_log_control_set("root.thresh:critical");
  xbt_log_control_set("ker_engine.thresh:critical");
#ifdef MOTLEY_SANITIZED
  // The sanitizers follow threads, not SimGrid's hand-made stacks. The choice must be there when
  // the engine is made.
  std::array<std::string, 2> words = {"motley", "--cfg=contexts/factory:thread"};
  std::array<char*, 3> argv = {words[0].data(), words[1].data(), nullptr};
  int argc = 2;
  engine_ = new s4u::Engine(&argc, argv.data());
#else
  engine_ = new s4u::Engine("motley");
  // Pages of a stack that are never touched cost nothing, but each guard page splits a mapping, of
  // which the kernel allows 65530.
  constexpr std::size_t most_guarded = 20000;
  s4u::Engine::set_config("contexts/stack-size", 128);
  if (actors > most_guarded) {
    s4u::Engine::set_config("contexts/guard-size", 0);
    // SimGrid then has them cleared as it allocates. malloc need not do so, and no page becomes real,
    // where it takes them fresh from the kernel with nothing in reserve. Side by side they share the
    // page between them, which mappings of their own would not; huge pages would make all of them real.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TOP_PAD, 0);
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  }
#endif
  // SimGrid takes events this near to each other as simultaneous; its 1e-9 s would add up over
  // steps.
  s4u::Engine::set_config(generation::precision_option, 1e-12);
  if (network == Scenario::Network::fluid) {
    s4u::Engine::set_config("network/model", std::string("CM02"));
    s4u::Engine::set_config("network/TCP-gamma", 0.0);
    s4u::Engine::set_config("network/crosstraffic", false);  // else flows cost 5 % of the way back
  } else {
    s4u::Engine::set_config("network/model", std::string("LV08"));
  }
  if (!paje_file.empty()) {
    // Hosts and links. Not its actors: it looks for one behind every message, and ours have none.
    for (const char* option : {"tracing", "tracing/platform", "tracing/uncategorized"}) {
      s4u::Engine::set_config(option, true);
    }
    // Not who is connected with whom: for that it asks for routes between hosts that have none.
    s4u::Engine::set_config("tracing/platform/topology", false);
    s4u::Engine::set_config("tracing/filename", paje_file);
  }
}

}  // namespace motley
