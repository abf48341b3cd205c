#include "algorithms/support/vain_rounds.hpp"

#include <stdexcept>

namespace motley {

void VainRounds::count(std::size_t results) {
  in_a_row_ = results > 0 ? 0 : in_a_row_ + 1;
  if (in_a_row_ < most) return;
  throw std::runtime_error(why_ + " in " + std::to_string(most) + " rounds in a row");
}

}  // namespace motley
