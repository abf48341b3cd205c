#pragma once

#include "sim/live/post.hpp"

namespace motley {

/// Returns on all ranks at about the same moment, the beginning of a run: then their clocks are at 0.
/// `compares_clock`: with the first rank's, because it is another machine's.
void start_together(Post& post, bool compares_clock);

}  // namespace motley
