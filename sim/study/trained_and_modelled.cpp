#include "sim/study/trained_and_modelled.hpp"

#include "sim/base/format.hpp"
#include "sim/study/experiment.hpp"

namespace motley {
namespace {

/// "24.3 Gf".
std::string work(double flops) {
  struct Unit {
    double size;
    const char* name;
  };
  for (const Unit& unit : {Unit{1e12, " Tf"}, {1e9, " Gf"}, {1e6, " Mf"}, {1e3, " kf"}}) {
    if (flops >= unit.size) return significant(flops / unit.size, 4) + unit.name;
  }
  return significant(flops, 4) + " f";
}

std::string cost(double bytes, double flops) {
  return data_size(bytes) + " and " + work(flops) + " per sample";
}

}  // namespace

std::string trained_and_modelled(const Experiment& experiment) {
  const CostSpec& given = experiment.scenario().cost;
  if (!given.profile && !given.flops_per_sample && !given.model_size_bytes) return "";
  const Problem& problem = experiment.problem();
  const std::string modelled =
      (given.profile ? given.profile->described() + ", " : "") +
      cost(static_cast<double>(experiment.message_bytes()), experiment.flops_per_sample());
  if (!problem.is_real()) return "Nothing is trained; modelled: " + modelled;
  return "Trained: " + experiment.full()["model"]["kind"].get<std::string>() + ", " +
         cost(static_cast<double>(4 * problem.dimension()), problem.flops_per_sample()) +
         ". Modelled: " + modelled +
         ". Times and bytes are those of the modelled architecture; accuracy is that of the "
         "trained model";
}

}  // namespace motley
