#pragma once

#include <array>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/base/random.hpp"

namespace motley {

/// The random streams of a body, by the names it gives them; each goes on where it was left.
class NamedStreams {
 public:
  /// What stands in the place of a worker's rank on servers, all of which draw the same.
  static constexpr std::uint32_t servers = 0xffffffffU;

  RandomStream& get(const std::string& name, std::uint64_t seed, std::uint32_t rank) {
    for (const std::string_view own : drawn_by_the_simulator) {
      if (name == own) {
        throw std::logic_error("random(\"" + name +
                               "\"): the simulator draws from a stream of this name; choose "
                               "another");
      }
    }
    return streams_.try_emplace(name, seed, name, rank).first->second;
  }

 private:
  // Named before algorithms had names of their own; what is new has a Purpose.
  static constexpr std::array<std::string_view, 4> drawn_by_the_simulator = {
      "compress", "constants", "failures", "tune"};
  std::map<std::string, RandomStream> streams_;
};

}  // namespace motley
