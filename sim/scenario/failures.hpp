#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

struct ClusterPlan;

/// A failure that is known beforehand, or a machine that joins late.
struct FailureSpec {
  std::optional<std::string> worker;
  std::optional<std::string> server;
  std::optional<double> at_s;
  std::optional<double> for_s;  ///< absent: it never returns
  std::optional<double> from_s;

  static Fields<FailureSpec> fields();
};

/// Failures that are drawn, of each machine by itself.
struct FailureLawSpec {
  std::optional<std::string> class_name;  ///< absent: every worker
  double mean_time_between_s = 0;
  double shape = 1;                             ///< of the Weibull law of the times between
  std::optional<double> mean_time_to_return_s;  ///< empty: never

  static Fields<FailureLawSpec> fields();
};

struct FailuresSpec {
  enum class OnFailure { drop, wait };
  double detect_after_s = 0;
  OnFailure on_failure = OnFailure::drop;
  std::optional<double> checkpoint_s;
  std::vector<FailureSpec> list;
  std::vector<FailureLawSpec> laws;

  static Fields<FailuresSpec> fields();
};

/// What single fields cannot see.
void check_failures(const FailuresSpec& spec, const Place& place);

/// A time in which a machine is down.
struct Outage {
  double from_s = 0;
  double until_s = std::numeric_limits<double>::infinity();  ///< of one that never returns

  bool is_for_good() const { return until_s == std::numeric_limits<double>::infinity(); }
};

/// When a host is down: at these times, and at those that the law gives.
struct HostFailures {
  std::vector<Outage> list;  ///< in any order
  std::optional<FailureLawSpec> law = {};

  bool any() const { return !list.empty() || law; }
};

/// Gives the hosts of the plan their failures. InputError at `place` when there is no such host, or a
/// server is to fail without a checkpoint.
void assign_failures(const FailuresSpec& spec, ClusterPlan& plan, const Place& place);

/// The times in which a host is down, one after another: a function of (failures, seed, number)
/// alone, so that every algorithm meets the same. Those that touch are one.
class Outages {
 public:
  /// `number`: of the host among all.
  Outages(const HostFailures& failures, std::uint64_t seed, std::uint32_t number);

  /// The next one; empty when there is none.
  std::optional<Outage> next();

 private:
  std::optional<Outage> draw();
  /// The first of those listed and drawn.
  std::optional<Outage> take();

  HostFailures failures_;
  RandomStream random_;
  std::size_t listed_ = 0;  // taken
  double up_since_ = 0;     // by the law
  std::optional<Outage> drawn_;
  std::optional<Outage> ahead_;
};

}  // namespace motley
