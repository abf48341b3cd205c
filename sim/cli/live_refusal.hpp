#pragma once

#include <functional>

#include "sim/base/place.hpp"
#include "sim/live/transport.hpp"

namespace motley {

/// Called by all ranks: each does `prepare`, and where that throws on any of them, the first rank says why, once, and
/// the exit code is returned everywhere. 0 when all went well.
int prepare_everywhere(Transport& transport, const std::function<void()>& prepare);

/// The same for a mistake in the words of the command, which every rank was started with. Rethrows it where there are
/// no ranks.
int refuse_everywhere(const InputError& mistake);

}  // namespace motley
