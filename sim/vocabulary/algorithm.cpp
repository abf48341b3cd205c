#include "sim/vocabulary/algorithm.hpp"

namespace motley {

const std::vector<std::pair<Family, std::string>>& families() {
  static const std::vector<std::pair<Family, std::string>> all = {
      {Family::synchronous, "synchronous"},
      {Family::asynchronous, "asynchronous"},
      {Family::local, "local"},
      {Family::federated, "federated"},
      {Family::decentralised, "decentralised"},
      {Family::hierarchical, "hierarchical"},
      {Family::other, "other"}};
  return all;
}

std::string Traits::tolerates() const {
  if (failures && different_data) return "failures and different data";
  if (failures) return "failures";
  if (different_data) return "different data";
  return "neither failures nor different data";
}

Fields<DefaultsSpec> DefaultsSpec::fields() {
  return Fields<DefaultsSpec>()
      .include(SgdSpec::fields())
      .include(ExchangeSpec::fields())
      .include(GradientAllReduceSpec::fields());
}

}  // namespace motley
