#pragma once

#include <optional>
#include <vector>

#include "sim/live/post.hpp"

namespace motley {

/// What is left of a run when all have gone their way.
struct Gathered {
  std::optional<std::vector<RunLog>> logs;  ///< by rank, where they are to be written
  std::vector<std::size_t> lost;            ///< ranks that have not answered
};

/// After the end of a run: waits until nothing is under way any more, and brings everybody's log to the first
/// rank that still answers. Never waits for long when the run has not ended as it should.
Gathered gather_logs(Post& post);

/// After a bad end with nothing to bring together: waits for a moment until all others have heard of it. Who leaves
/// first makes mpirun end the others.
void take_leave(Post& post);

}  // namespace motley
