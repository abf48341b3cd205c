#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace motley {

/// Rounds that ended with nothing, one after another. Somebody must be in time at last: a run that waits for
/// updates would never end otherwise.
class VainRounds {
 public:
  static constexpr std::size_t most = 1000;

  /// `why`: what went wrong in each of them, "no worker was done before the deadline".
  explicit VainRounds(std::string why) : why_(std::move(why)) {}

  /// A round has ended with so many results. std::runtime_error, which ends the run, after too many without.
  void count(std::size_t results);

 private:
  std::string why_;
  std::size_t in_a_row_ = 0;
};

}  // namespace motley
