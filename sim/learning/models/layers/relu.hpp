#pragma once

#include <cstddef>

namespace motley {

/// max(0, x), written so that NaN stays NaN: a diverged model must show.
template <class S>
void rectify(S* values, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) values[i] = values[i] < S{0} ? S{0} : values[i];
}

/// Clears the gradient where the rectifier was off. `on` is what the rectifier put out.
template <class S>
void rectify_gradient(S* delta, const S* on, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) delta[i] = on[i] == S{0} ? S{0} : delta[i];
}

}  // namespace motley
