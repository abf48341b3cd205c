#pragma once

#include <cstdint>
#include <string>

namespace motley {

/// Why a live run is over.
struct Ending {
  enum class How : std::uint8_t { not_yet, finished, failed, interrupted };
  How how = How::not_yet;
  std::string reason = {};  ///< of a failure or an interruption: one line

  bool is_normal() const { return how == How::finished; }
};

/// Thrown through a body when its run is over. Not a std::exception: no body may catch it by accident.
struct RunOver {};

}  // namespace motley
