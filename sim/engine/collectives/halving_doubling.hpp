#pragma once

#include "sim/engine/collectives/collective.hpp"
#include "sim/engine/collectives/rendezvous.hpp"

namespace motley {

/// Recursive halving and doubling [Rabenseifner, ICCS 2004; Thakur, Rabenseifner, Gropp, Int. J. High
/// Perform. Comput. Appl. 19(1), 2005]. Reduce-scatter: in step k = 0, 1, ... a member exchanges one
/// half of what it still holds with the one at distance 2^k, so that the largest messages go to the
/// nearest. All-gather: the same steps backwards. With P = 2^floor(log2 W) members:
///
///   2 log2(P) L + 2 (P-1)/P S/b,   and 2 (L + S/b) more when W > P
///
/// on equal links without other traffic: of the first 2(W-P) members every second one hands its whole
/// vector to the one before it, stays out, and gets the result at the end, as in MPICH.
class HalvingDoubling final : public Collective {
 public:
  explicit HalvingDoubling(const Setup& setup);

  void pass(std::size_t position, std::uint64_t bytes) override;
  const char* waits_for() const override { return "its partner in the all-reduce by halves"; }

 private:
  /// Of the P members that take part in the halving: where the i-th of them is.
  std::size_t position_of(std::size_t i) const { return i < extra_ ? 2 * i : i + extra_; }
  void halve_and_double(std::size_t position, std::uint64_t bytes);

  Rendezvous messages_;
  std::size_t taking_part_;  // P
  std::size_t extra_;        // W - P
};

}  // namespace motley
