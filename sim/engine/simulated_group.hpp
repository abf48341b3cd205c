#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/engine/averaging.hpp"
#include "sim/engine/elastic_rounds.hpp"
#include "sim/engine/gathering.hpp"
#include "sim/engine/gradient_buckets.hpp"
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
  Gathering barrier;
  std::shared_ptr<std::vector<double>> gathered;
  std::size_t put_down = 0;                // numbers of the gathering under way
  std::unique_ptr<ElasticRounds> elastic;  // instead of all these where somebody may fail
};

/// A member's place in a group.
class SimulatedGroup final : public Group {
 public:
  /// `member`: the place of this worker in the group's order.
  SimulatedGroup(Worker& me, Simulation& simulation, WorkerMail& mail, GroupState& state,
                 const std::string& name, std::size_t member);

  NotesOfAll all_reduce_mean(Parameters& v, double weight, std::vector<double> numbers) override;
  std::unique_ptr<Pending> start_all_reduce_mean(const Parameters& v, double weight) override;
  void barrier() override;
  Notes gather(double number) override;
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
  /// Where somebody may fail.
  ElasticRounds& rounds() { return *state_.elastic; }

 private:
  class Started;
  class StartedElastic;
  class StartedBuckets;

  ElasticRounds::Result elastic_round(ElasticRounds::Part part, const char* waits_for);

  /// A member may not begin a collective before the one it started here has ended.
  void expect_none_under_way() const;

  Simulation& simulation_;
  WorkerMail& mail_;
  GroupState& state_;
  std::size_t rank_;
  std::size_t member_;                // in the group's order
  std::shared_ptr<Started> started_;  // the last one
  bool leads_ = false;                // the last mean, of an elastic group
};

}  // namespace motley
