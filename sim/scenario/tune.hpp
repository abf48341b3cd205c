#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/json_value.hpp"
#include "sim/base/place.hpp"
#include "sim/scenario/value_list.hpp"

namespace motley {

/// The runs that choose have the scenario's seed and this and 0, 1, 2, ...: far beyond those that
/// are reported, whose replicas are limited to fewer.
inline constexpr std::uint64_t first_tuning_seed = 1'000'000;

/// A parameter of an algorithm and the values that are tried for it.
struct TuneGrid {
  std::string parameter;
  ValueList list;
  Place place;
};

/// An algorithm's own "tune", beside its parameters.
struct OwnGrids {
  std::vector<TuneGrid> grids;
  std::vector<std::string> left_alone;  ///< null: not tuned here though the scenario tunes it

  static OwnGrids read(const Json& value, const Place& place);
  static JsonValue schema();
};

/// What the scenario's "tune" gives a key that is none of its own. Only those who know the algorithms
/// can tell a parameter from a slip, so its values are read by them: a slip is told as such, not as
/// values that are no list.
struct WrittenGrid {
  std::string parameter;
  JsonValue values;
  Place place;

  TuneGrid read() const;
};

/// The scenario's "tune".
struct TuneSpec {
  enum class At { every_point, first_point };
  std::vector<WrittenGrid> grids;
  std::size_t runs = 20;  ///< of each algorithm at each point
  At at = At::every_point;

  /// What may stand there beside parameters.
  static std::vector<std::string> own_keys();
  static TuneSpec read(const Json& value, const Place& place);
  static JsonValue schema();
};

}  // namespace motley
