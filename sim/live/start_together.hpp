#pragma once

#include <functional>

#include "sim/live/post.hpp"

namespace motley {

/// Returns on all ranks at about the same moment, the beginning of a run: then their clocks are at 0.
/// `compares_clock`: with the first rank's, because it is another machine's. `is_ready`: whether this rank is; when
/// absent it is at once.
void start_together(Post& post, bool compares_clock, const std::function<bool()>& is_ready = {});

}  // namespace motley
