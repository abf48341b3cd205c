#include "sim/engine/collective.hpp"

#include <stdexcept>

#include "sim/engine/ring.hpp"

namespace motley {

std::unique_ptr<Collective> make_collective(const std::string& name, Collective::Setup setup) {
  if (name == "ring") return std::make_unique<Ring>(std::move(setup));
  throw std::logic_error("there is no collective '" + name + "', only ring");
}

}  // namespace motley
