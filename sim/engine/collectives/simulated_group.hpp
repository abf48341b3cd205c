#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/collectives/averaging.hpp"
#include "sim/engine/collectives/elastic_rounds.hpp"
#include "sim/engine/collectives/gathering.hpp"
#include "sim/engine/collectives/gradient_buckets.hpp"
#include "sim/engine/worker_mail.hpp"
#include "sim/vocabulary/group.hpp"

namespace motley {

/// What the members of a group have in common inside the simulation.
struct GroupState {
  GroupState(const Averaging::Setup& setup, const std::vector<std::size_t>& members,
             std::string collective_name, const MachineFailures& failures);

  std::shared_ptr<const std::vector<std::size_t>> ranks;  ///< in the group's order
  std::string collective;
  Averaging average;
  Gatherings gatherings;
  std::unique_ptr<ElasticRounds> elastic;  // instead of all these where somebody may fail
};

/// A member's place in a group.
class SimulatedGroup final : public Group {
 public:
  /// `member`: the place of this worker in the group's order.
  SimulatedGroup(Worker& me, World& world, WorkerMail& mail, GroupState& state,
                 const std::string& name, std::size_t member);

  NotesOfAll all_reduce_mean(Parameters& v, double weight, std::vector<double> numbers) override;
  NotesOfAll exchange(std::vector<double> numbers, std::uint64_t bytes) override;
  Pending<Averaged> start_all_reduce_mean(const Parameters& v, double weight,
                                          std::vector<double> numbers) override;
  void barrier() override;
  Pending<void> start_barrier() override;
  Notes gather(double number) override;
  Pending<Notes> start_gather(double number) override;
  Pending<Parameters> start_broadcast(const Parameters& v, std::size_t root) override;
  Pending<std::vector<Parameters>> start_gather(const Parameters& v, std::size_t root) override;
  bool leads() const override;
  /// An average whose buckets are handed over one after another, as they are ready; an actor of its own
  /// takes part in it meanwhile. Not where somebody may fail.
  class Bucketed {
   public:
    virtual ~Bucketed() = default;
    /// The next of the buckets. `whole` is the gradient: of the last one the same as of the first.
    virtual void add(const Parameters& whole) = 0;
    /// After the last: waits for its end and returns the mean.
    virtual Parameters wait() = 0;
  };
  std::unique_ptr<Bucketed> start_bucketed_mean(const std::vector<GradientBucket>& buckets,
                                                double weight);
  // Where somebody may fail.
  ElasticRounds& rounds() { return *state_.elastic; }
  /// How many were started and have not been waited for.
  std::size_t under_way() const { return under_way_; }
  /// The machine has failed.
  void lose_everything() { under_way_ = 0; }

 private:
  using Kind = ElasticRounds::Kind;
  class Started;
  class StartedBuckets;

  /// Waits for one; `waits_for` tells for whom.
  ElasticRounds::Result elastic_round(ElasticRounds::Part part, const char* waits_for);
  /// Starts one; `take` makes its result of what the round gives.
  template <class Take>
  auto start_elastic(ElasticRounds::Part part, const char* waits_for, Take take)
      -> Pending<decltype(take(ElasticRounds::Result()))>;
  void wait_for_all(Gathering& gathering);
  Notes first_numbers(const ElasticRounds::Result& result) const;

  GroupState& state_;
  std::size_t member_;  // in the group's order
  std::size_t rank_;
  WorkerMail& mail_;
  World& world_;
  bool leads_ = false;         // the last mean, where somebody may fail
  std::size_t under_way_ = 0;  // there
};

}  // namespace motley
