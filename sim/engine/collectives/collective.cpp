#include "sim/engine/collectives/collective.hpp"

#include <stdexcept>

#include "sim/engine/collectives/halving_doubling.hpp"
#include "sim/engine/collectives/hierarchical.hpp"
#include "sim/engine/collectives/ring.hpp"
#include "sim/engine/collectives/tree.hpp"

namespace motley {

std::unique_ptr<Collective> make_collective(const std::string& name, Collective::Setup setup) {
  if (name == "ring") return std::make_unique<Ring>(std::move(setup));
  if (name == "hierarchical") return std::make_unique<Hierarchical>(setup);
  if (name == "tree") return std::make_unique<Tree>(setup);
  if (name == "halving_doubling") return std::make_unique<HalvingDoubling>(setup);
  throw std::logic_error("there is no collective '" + name +
                         "', only ring, hierarchical, tree and halving_doubling");
}

}  // namespace motley
