#pragma once

#include "sim/base/place.hpp"
#include "sim/vocabulary/run_facts.hpp"

namespace motley {

/// Whether an algorithm can deal the data to the workers itself. InputError at `place`, that of the
/// parameter that asks for it, when they have parts of their own or there is not a sample for each.
void check_data_can_be_dealt(const RunFacts& facts, const Place& place);

}  // namespace motley
