#include "sim/engine/model/whole_model.hpp"

namespace motley {

Model initial_model_of(const SimulationSetup& setup) {
  Parameters values(setup.problem.dimension());
  setup.problem.initial_model(setup.scenario.seed, values.overwritable());
  Model x;
  static_cast<Parameters&>(x) = std::move(values);
  return x;
}

}  // namespace motley
