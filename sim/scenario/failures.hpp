#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/scenario/fields.hpp"
#include "sim/scenario/outage.hpp"
#include "sim/scenario/state_profile.hpp"

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

/// When a host is down: at these times, at those that the law gives, and at those of its profile.
struct HostFailures {
  std::vector<Outage> list;  ///< in any order
  std::optional<FailureLawSpec> law = {};
  std::shared_ptr<const StateProfile> profile = {};  ///< of a platform file; null: none

  bool any() const { return !list.empty() || law || profile; }
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
  std::optional<Outage> next_of_profile();
  /// The first of those listed, drawn and of the profile.
  std::optional<Outage> take();

  HostFailures failures_;
  RandomStream random_;
  std::size_t listed_ = 0;  // taken
  double up_since_ = 0;     // by the law
  std::optional<Outage> drawn_;
  std::optional<ProfileOutages> of_profile_;
  std::optional<Outage> by_profile_;  // the next of them
  std::optional<Outage> ahead_;
};

}  // namespace motley
