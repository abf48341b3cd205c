#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/live/ring_average.hpp"
#include "sim/vocabulary/group.hpp"

namespace motley {

/// A member's place in a group of live workers.
class LiveGroup final : public Group {
 public:
  LiveGroup(Worker& me, LiveContext& context, const std::string& name,
            const std::vector<std::size_t>& ranks, std::size_t member);

  bool leads() const override { return ring_.member == 0; }
  NotesOfAll all_reduce_mean(Parameters& v, double weight, std::vector<double> numbers) override;
  Pending<Averaged> start_all_reduce_mean(const Parameters& v, double weight,
                                          std::vector<double> numbers) override;
  NotesOfAll exchange(std::vector<double> numbers, std::uint64_t bytes) override;
  void barrier() override;
  Pending<void> start_barrier() override;
  Notes gather(double number) override;
  Pending<Notes> start_gather(double number) override;
  using Group::gather;
  using Group::start_gather;

  /// The buckets of a gradient, one after another: each is averaged when it is ready and the one before it
  /// is through.
  void start_buckets(const std::vector<GradientBucket>& buckets);
  void bucket_is_ready(const Parameters& whole, double weight);
  Parameters wait_for_buckets();

  // What has come for this group; the rest of the packet is read.
  void average_arrived(Packet& packet);
  void member_came(Packet& packet, ByteReader content);

 private:
  using Round = std::uint64_t;
  struct Gathering {
    std::size_t here = 0;
    std::vector<double> numbers;
  };

  std::shared_ptr<RingAverage> start(std::uint64_t bytes, std::optional<RingAverage::Part> part);
  void finish(const std::shared_ptr<RingAverage>& average);
  /// One all-reduce at a time: std::logic_error otherwise.
  void check_none_under_way() const;
  void start_next_bucket();
  std::uint64_t bytes_of(const Parameters& v) const;
  Round come(double number);
  void wait_for(Round gathering);
  bool are_all_here(Round gathering);

  LiveContext& context_;
  RingAverage::Ring ring_;
  Round averages_ = 0;
  std::map<Round, std::weak_ptr<RingAverage>> under_way_;
  std::map<Round, std::vector<Packet>> early_;  // of rounds that have not begun here
  std::shared_ptr<RingAverage> started_;
  Round gatherings_ = 0;
  std::map<Round, Gathering> open_;
  // Buckets.
  const std::vector<GradientBucket>* buckets_ = nullptr;
  std::size_t buckets_ready_ = 0;
  std::size_t buckets_begun_ = 0;
  bool is_starting_bucket_ = false;
  std::shared_ptr<RingAverage> bucket_;
  RingAverage::Part whole_;
};

/// The groups of a worker, by name, and what has come for those that are not known yet.
class LiveGroups {
 public:
  LiveGroups(Worker& me, LiveContext& context);

  LiveGroup& group(const std::string& name, const std::vector<std::size_t>& ranks,
                   const std::string& collective);
  LiveGroup& everybody();

 private:
  void arrived(Packet& packet);
  void hand_over(LiveGroup& group, Packet& packet);

  Worker& me_;
  LiveContext& context_;
  std::map<std::string, std::unique_ptr<LiveGroup>> groups_;
  std::map<std::string, std::vector<Packet>> early_;
  LiveGroup* everybody_ = nullptr;
};

}  // namespace motley
