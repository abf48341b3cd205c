#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/results/statistics/estimate.hpp"

/// Which of two algorithms reaches the target sooner: the one place where that is decided.
///
/// Runs are compared in pairs of the same replica, so that what both have in common cancels. A run
/// that does not reach the target before it ends is censored, not dropped: both times of its pair
/// are cut at the moment up to which it is known not to have arrived. In a pair of times a and b,
/// X = log(min(b, tau) / min(a, tau)) is known whatever is censored. This is the paired form of
/// comparing restricted means (P. Royston, M. Parmar: Restricted mean survival time, BMC Medical
/// Research Methodology 13:152, 2013). exp(mean X) says how many times sooner a is, with a 95 %
/// interval and a two-sided test by Student's t on X. Over all pairs of algorithms that are compared
/// at once the p-values are corrected by Holm's method; a difference is a verdict if its corrected
/// p-value is below 0.05 and it is larger than the resolution of the times.
///
/// Where in all of n >= 4 pairs one arrives by the horizon and the other does not, that is evidence
/// whenever it arrives. If both had the same law it would have a probability of at most
/// (q (1 - q))^n <= 4^-n either way, since what a pair shares makes its runs more alike: the p-value
/// is then at most 2 * 4^-n.
///
/// A time is known only as finely as evaluations follow each other. Replicas may agree by that alone,
/// so X counts as varying at least as much as times do that lie anywhere in their resolution r: the
/// standard deviation of log T is then r / (T sqrt(12)).
namespace motley {

/// What is known of when a run reached the target.
struct TargetArrival {
  double time_s = 0;  ///< when it did; or else until when it is known not to have
  bool arrived = true;
  double resolution_s = 0;  ///< how finely the time is known, if it arrived
};

enum class Verdict { faster, slower, undecided };
/// "faster", "slower", "undecided".
std::string to_text(Verdict verdict);
/// Empty when it is none of them.
std::optional<Verdict> verdict_of(const std::string& text);

/// What the ratio of the cut times says of the ratio of the times themselves.
enum class Bound {
  none,      ///< all arrived: it is the ratio
  at_least,  ///< only the other one's runs did not arrive: it is at least that
  at_most,   ///< only its own runs did not arrive: it is at most that
  mixed,     ///< neither
};
/// "", "at_least", "at_most", "mixed".
std::string to_text(Bound bound);
/// Empty when it is none of them.
std::optional<Bound> bound_of(const std::string& text);

/// How many times sooner than another an algorithm reaches the target.
struct PairedRatio {
  std::size_t pairs = 0;  ///< replicas in which it is known of both, and both took some time
  /// Above 1: sooner. Empty if in no pair either run reaches the target while both are known.
  std::optional<Estimate> ratio;
  Bound bound = Bound::none;
  /// None of fewer than two pairs, nor of pairs that agree for a reason that is not known: all
  /// ratios the same and times without a resolution.
  std::optional<double> p_value;
  std::optional<double> p_holm;  ///< the same after the correction
  Verdict verdict = Verdict::undecided;
  double later_by_s = 0;    ///< mean of the other's time less its own, both cut
  double resolution_s = 0;  ///< mean resolution of the later one's times

  /// The ratio; of one that is a bound, the end of its interval on that side, if it has one: what the
  /// true ratio is at least, or at most, with the pairs varying as they do.
  double supported() const;

  /// The two might change places if evaluations were more frequent.
  bool is_within_resolution() const { return ratio && std::abs(later_by_s) < resolution_s; }

  /// The same seen from the other side.
  PairedRatio inverse() const;
};

/// By replica; those that only one has are left out, and so are pairs in which a target was reached
/// at time 0, by the initial model, which have no ratio. Not yet decided.
PairedRatio compare_arrivals(const std::map<std::uint64_t, TargetArrival>& mine,
                             const std::map<std::uint64_t, TargetArrival>& others);

/// The logarithm of a ratio is decided, if it is the clearest of so many comparisons, when it is more
/// than so many times its standard deviation over the replicas, of which there are at least two.
double deviations_to_decide(std::size_t replicas, std::size_t comparisons);

/// Corrects the p-values of comparisons that are made at once, and decides them.
void decide(const std::vector<PairedRatio*>& comparisons);

/// Each of n with each other, decided together: element i * n + j is of the i-th against the j-th.
std::vector<PairedRatio> compare_all(
    const std::vector<std::map<std::uint64_t, TargetArrival>>& arrivals);

}  // namespace motley
