#pragma once

namespace motley {

/// What is done to one image.
struct Variation {
  bool flipped = false;
  int down = 0, right = 0;  ///< by how many pixels it is moved, after it was flipped

  bool operator==(const Variation&) const = default;
};

}  // namespace motley
