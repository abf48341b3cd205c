#pragma once

#include "sim/vocabulary/model.hpp"

namespace motley {

/// Delay compensation, element by element: a gradient taken at `then` is moved to `now` by a
/// diagonal guess of the Hessian,
///   g <- g + factor * g*g * (now - then)
/// S. Zheng et al.: Asynchronous Stochastic Gradient Descent with Delay Compensation, ICML 2017,
/// arXiv 1609.08326. The factor is lambda or, with a running mean square of gradients,
/// lambda / sqrt(MS + 1e-7), MS <- m MS + (1-m) g*g.
struct Compensation {
  bool adaptive = false;
  double lambda = 0;
  double smoothing = 0;  ///< m, of adaptive

  /// `mean_square` is the state of adaptive, at first empty; untouched otherwise.
  void apply(Parameters& g, const Parameters& now, const Parameters& then,
             Parameters& mean_square) const;
};

}  // namespace motley
