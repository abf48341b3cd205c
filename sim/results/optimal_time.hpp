#pragma once

#include <cstddef>
#include <span>

/// How long theory says that a cluster needs until the squared norm of the gradient is eps, when
/// messages are free and worker i takes tau_i for a gradient: up to a constant that is the same for all
/// clusters.
///   A. Tyurin, P. Richtarik: Optimal Time Complexities of Parallel Stochastic Optimization Methods Under
///   a Fixed Computation Model, NeurIPS 2023, arXiv 2305.12387.
namespace motley {

/// What the times depend on, beside the taus. L: smoothness, D: what is above the minimum at the start, s2:
/// variance of a gradient.
struct Difficulty {
  double steps = 0;  ///< L D / eps
  double noise = 0;  ///< s2 / eps
};

struct OptimalTime {
  double time_s = 0;
  std::size_t workers = 0;  ///< m*: how many of the fastest are worth using
};

/// Where all workers have the same data:
///   min over m of (1/m sum_{i<=m} 1/tau_i)^-1 (L D/eps + s2 L D / (m eps^2)), tau ascending.
OptimalTime optimal_time(std::span<const double> taus, const Difficulty& difficulty);
/// Where they differ:  max tau L D/eps + (1/W sum tau_i) s2 L D / (W eps^2).
double optimal_time_of_different_data(std::span<const double> taus, const Difficulty& difficulty);
/// Of synchronous SGD:  max tau (L D/eps + s2 L D / (W eps^2)).
double synchronous_time(std::span<const double> taus, const Difficulty& difficulty);

}  // namespace motley
