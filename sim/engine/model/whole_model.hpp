#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/vocabulary/model.hpp"

namespace motley {

/// As every run of this seed starts.
Model initial_model_of(const SimulationSetup& setup);

/// One from its parts: `take(i)` is called for each, in their order, and returns the part that begins at
/// the parameter `begin_of(i)`.
template <class Take, class Begin>
Model whole_model(std::size_t size, std::size_t parts, const Take& take, const Begin& begin_of) {
  Model whole{Parameters(size), 0, {}, {}, {}};
  auto versions = std::make_shared<std::vector<std::uint64_t>>();
  const std::span<float> values = whole.overwritable();
  for (std::size_t i = 0; i < parts; ++i) {
    const Model part = take(i);
    const auto begin = static_cast<std::ptrdiff_t>(begin_of(i));
    std::ranges::copy(part.values(), values.begin() + begin);
    while (whole.more.size() < part.more.size()) whole.more.emplace_back(size);
    for (std::size_t m = 0; m < part.more.size(); ++m) {
      std::ranges::copy(part.more[m].values(), whole.more[m].overwritable().begin() + begin);
    }
    versions->push_back(part.version);
    whole.notes = part.notes;
  }
  whole.version = *std::ranges::min_element(*versions);
  whole.shard_versions = std::move(versions);
  return whole;
}

}  // namespace motley
