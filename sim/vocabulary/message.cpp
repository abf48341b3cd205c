#include "sim/vocabulary/message.hpp"

#include <stdexcept>

namespace motley {

const Parameters& Push::brings(const char* what) const {
  if (kind != what) {
    throw std::logic_error("a push of kind '" + kind + "' was taken for one of kind '" + what +
                           "'");
  }
  return vector;
}

}  // namespace motley
