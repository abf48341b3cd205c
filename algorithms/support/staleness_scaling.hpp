#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/scenario/fields.hpp"

namespace motley {

/// What a gradient that is delta updates old is multiplied by.
///   inverse:   1 / max(1, delta)
///              W. Zhang, S. Gupta, X. Lian, J. Liu: Staleness-aware Async-SGD for Distributed Deep
///              Learning, arXiv 1511.05950, 2015
///   adaptive:  W / max(W, delta), W workers
///              K. Mishchenko et al.: Asynchronous SGD Beats Minibatch SGD Under Arbitrary Delays,
///              NeurIPS 2022; A. Koloskova, S. U. Stich, M. Jaggi: Sharper Convergence Guarantees for
///              Asynchronous SGD for Distributed and Federated Learning, NeurIPS 2022
struct StalenessScaling {
  enum class Law { none, inverse, adaptive };
  Law staleness_scaling = Law::none;

  float scale(std::uint64_t delta, std::size_t workers) const;

  static Fields<StalenessScaling> fields();
};

}  // namespace motley
