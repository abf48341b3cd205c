#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/results/timeline.hpp"

namespace motley {

/// How often each staleness was seen.
using StalenessHistogram = std::unordered_map<std::uint64_t, std::uint64_t>;

/// Where one worker's virtual time goes. At any moment it is in exactly one state, the first that
/// holds: down, computing, transferring (a message to or from it is on the network), waiting. The
/// five sums therefore add up to the time from 0 to the last settle().
class WorkerAccount {
 public:
  /// `of_class` counts for all workers of the class; it must outlive this. May be null.
  void share_histogram(StalenessHistogram* of_class) { histogram_ = of_class; }

  /// Computing is to be seen on this host of the timeline, which must outlive this.
  void show_on(Timeline& timeline, std::size_t host) {
    timeline_ = &timeline;
    host_ = host;
  }

  void start_computing(double now);
  void stop_computing(double now);
  void message_departs(double now);
  void message_arrives(double now);
  /// Counts the time up to `now` to the present state.
  void settle(double now);
  /// Settles at the end of the run, perhaps in the middle of computing.
  void close(double now);
  /// Computing that was counted already turns out to have been for nothing.
  void discard(double seconds);
  /// What it computes is lost by a failure, its own or another's, which counts as discarded.
  void lose_work(double now);
  /// Its machine fails.
  void fail(double now);
  void come_back(double now);

  double compute_s() const { return compute_s_; }
  double transfer_s() const { return transfer_s_; }
  double wait_s() const { return wait_s_; }
  double discarded_s() const { return discarded_s_; }
  double down_s() const { return down_s_; }
  /// Up to now; changes nothing.
  double down_s(double now) const { return down_s_ + (down_ ? now - since_ : 0); }
  /// The part of discarded_s() that failures have ended.
  double lost_s() const { return lost_s_; }
  /// How often it went down.
  std::uint64_t failures() const { return failures_; }
  /// Computing up to now, used or not; changes nothing.
  double busy_s(double now) const {
    return compute_s_ + discarded_s_ + (computing_ ? now - since_ : 0);
  }
  bool is_down() const { return down_; }
  bool idle() const { return !computing_ && messages_ == 0; }
  /// When something last happened to this worker.
  double since() const { return since_; }

  void count_gradient(std::uint64_t samples);
  void count_staleness(std::uint64_t staleness);
  std::uint64_t gradients() const { return gradients_; }
  std::uint64_t samples() const { return samples_; }
  std::uint64_t staleness_count() const { return staleness_count_; }
  std::uint64_t staleness_sum() const { return staleness_sum_; }
  std::uint64_t staleness_max() const { return staleness_max_; }

 private:
  bool computing_ = false;
  bool down_ = false;
  std::uint32_t messages_ = 0;
  double since_ = 0;
  double computing_since_ = 0;
  double compute_s_ = 0;
  double transfer_s_ = 0;
  double wait_s_ = 0;
  double discarded_s_ = 0;
  double down_s_ = 0;
  double lost_s_ = 0;
  std::uint64_t failures_ = 0;
  double down_since_ = 0;
  std::uint64_t gradients_ = 0;
  std::uint64_t samples_ = 0;
  std::uint64_t staleness_count_ = 0;
  std::uint64_t staleness_sum_ = 0;
  std::uint64_t staleness_max_ = 0;
  StalenessHistogram* histogram_ = nullptr;
  Timeline* timeline_ = nullptr;
  std::size_t host_ = 0;
};

}  // namespace motley
