#include "sim/engine/network/port_limits.hpp"

namespace motley {

bool PortLimits::enter(Port& port, Passer& passer) {
  if (port.flows == *most_) {
    port.queue.push_back(&passer);
    return false;
  }
  ++port.flows;
  return true;
}

bool PortLimits::enter(Passer& passer) {
  return enter(up_[passer.from], passer) && enter_down(passer);
}

bool PortLimits::enter_down(Passer& passer) {
  return enter(down_[passer.to], passer);
}

PortLimits::Passer* PortLimits::take_next(Port& port) {
  if (port.queue.empty()) return nullptr;
  Passer* next = port.queue.front();
  port.queue.pop_front();
  ++port.flows;
  return next;
}

bool PortLimits::stop_waiting(Passer& passer) {
  // It waits at one of its ports, perhaps with a place at the other.
  return std::erase(up_[passer.from].queue, &passer) == 0 &&
         std::erase(down_[passer.to].queue, &passer) > 0;
}

}  // namespace motley
