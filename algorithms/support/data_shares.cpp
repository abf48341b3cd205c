#include "algorithms/support/data_shares.hpp"

#include <string>

namespace motley {

void check_data_can_be_dealt(const RunFacts& facts, const Place& place) {
  if (!facts.everybody_has_all_data) {
    throw InputError(place, "deals the data itself: /data/partition must be of kind iid");
  }
  if (facts.samples_per_epoch < facts.workers) {
    throw InputError(place, "deals the data to " + std::to_string(facts.workers) +
                                " workers, and there are only " +
                                std::to_string(facts.samples_per_epoch) + " training samples");
  }
}

}  // namespace motley
