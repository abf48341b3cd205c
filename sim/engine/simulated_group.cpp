#include "sim/engine/simulated_group.hpp"

#include <stdexcept>

#include "sim/engine/simgrid_generation.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

GroupState::GroupState(const Averaging::Setup& setup, const std::vector<std::size_t>& members,
                       std::string collective_name, const MachineFailures& failures)
    : ranks(std::make_shared<std::vector<std::size_t>>(members)),
      collective(std::move(collective_name)),
      average(setup, members, collective),
      barrier(members.size()) {
  if (failures.any())
    elastic = std::make_unique<ElasticRounds>(setup, members, collective, failures);
}

/// A collective that goes on while its member does something else: an actor of its own takes part in
/// it. It outlives whoever waits for it.
class SimulatedGroup::Started {
 public:
  Started(WorkerMail& mail, const char* waits_for) : mail_(mail), waits_for_(waits_for) {}

  void finish(Parameters mean) {
    mean_ = std::move(mean);
    done_ = true;
    end_->release();
  }
  bool is_done() const { return done_; }
  Parameters wait() {
    mail_.set_waits_for(waits_for_);
    end_->acquire();
    mail_.set_waits_for("nothing");
    return std::move(mean_);
  }

 private:
  WorkerMail& mail_;
  const char* waits_for_;
  simgrid::s4u::SemaphorePtr end_ = simgrid::s4u::Semaphore::create(0);
  Parameters mean_;
  bool done_ = false;
};

SimulatedGroup::SimulatedGroup(Worker& me, Simulation& simulation, WorkerMail& mail,
                               GroupState& state, const std::string& name, std::size_t member)
    : Group(me, name, state.ranks),
      simulation_(simulation),
      mail_(mail),
      state_(state),
      rank_(me.rank()),
      member_(member) {}

void SimulatedGroup::expect_none_under_way() const {
  if (started_ && !started_->is_done()) {
    throw std::logic_error("an all-reduce was begun in a group before the last one had ended");
  }
}

// ---- Where somebody may fail ----

ElasticRounds::Result SimulatedGroup::elastic_round(ElasticRounds::Part part,
                                                    const char* waits_for) {
  mail_.set_waits_for(waits_for);
  const std::uint64_t round = state_.elastic->enter(rank_, std::move(part));
  ElasticRounds::Result result = state_.elastic->wait(rank_, round);
  mail_.set_waits_for("nothing");
  return result;
}

class SimulatedGroup::StartedElastic final : public Pending {
 public:
  StartedElastic(SimulatedGroup& group, std::uint64_t round) : group_(group), round_(round) {}
  Parameters wait() override {
    const ElasticRounds::Result result = group_.state_.elastic->wait(group_.rank_, round_);
    group_.leads_ = result.leads;
    return result.mean;
  }
  bool is_done() const override { return group_.state_.elastic->is_through(group_.rank_, round_); }

 private:
  SimulatedGroup& group_;
  std::uint64_t round_;
};

bool SimulatedGroup::leads() const {
  return state_.elastic ? leads_ : rank_ == ranks().front();
}

// ---- Collectives ----

NotesOfAll SimulatedGroup::all_reduce_mean(Parameters& v, double weight,
                                           std::vector<double> numbers) {
  if (state_.elastic) {
    ElasticRounds::Result result =
        elastic_round({v, weight, std::move(numbers)}, state_.average.waits_for());
    v = std::move(result.mean);
    leads_ = result.leads;
    return result.numbers;
  }
  expect_none_under_way();
  Averaging& average = state_.average;
  mail_.set_waits_for(average.waits_for());
  Averaging::Outcome outcome = average.mean(member_, v, weight, std::move(numbers));
  mail_.set_waits_for("nothing");
  v = std::move(outcome.mean);
  return outcome.numbers;
}

std::unique_ptr<Group::Pending> SimulatedGroup::start_all_reduce_mean(const Parameters& v,
                                                                      double weight) {
  if (state_.elastic) {
    return std::make_unique<StartedElastic>(*this, state_.elastic->enter(rank_, {v, weight, {}}));
  }
  class Handle final : public Pending {
   public:
    explicit Handle(std::shared_ptr<Started> started) : started_(std::move(started)) {}
    Parameters wait() override { return started_->wait(); }
    bool is_done() const override { return started_->is_done(); }

   private:
    std::shared_ptr<Started> started_;
  };
  expect_none_under_way();
  Averaging& average = state_.average;
  started_ = std::make_shared<Started>(mail_, average.waits_for());
  generation::add_actor("all-reduce", simulation_.worker_host(rank_),
                        [&average, member = member_, started = started_, v, weight] {
                          started->finish(average.mean(member, v, weight, {}).mean);
                        })
      ->daemonize();
  return std::make_unique<Handle>(started_);
}

/// The buckets that are ready, and the actor that averages them one after another.
class SimulatedGroup::StartedBuckets final : public Bucketed {
 public:
  explicit StartedBuckets(std::shared_ptr<Started> started) : started_(std::move(started)) {}

  void add(const Parameters& whole) override {
    hand_over_->whole = whole;
    hand_over_->ready->release();
  }
  Parameters wait() override { return started_->wait(); }

  /// The actor may outlive whoever waits for it.
  struct HandOver {
    simgrid::s4u::SemaphorePtr ready = simgrid::s4u::Semaphore::create(0);
    Parameters whole;
  };
  std::shared_ptr<HandOver> hand_over() const { return hand_over_; }

 private:
  std::shared_ptr<Started> started_;
  std::shared_ptr<HandOver> hand_over_ = std::make_shared<HandOver>();
};

std::unique_ptr<SimulatedGroup::Bucketed> SimulatedGroup::start_bucketed_mean(
    const std::vector<GradientBucket>& buckets, double weight) {
  expect_none_under_way();
  Averaging& average = state_.average;
  started_ = std::make_shared<Started>(mail_, average.waits_for());
  auto handle = std::make_unique<StartedBuckets>(started_);
  generation::add_actor(
      "all-reduce", simulation_.worker_host(rank_),
      [&average, &buckets, member = member_, started = started_, given = handle->hand_over(),
       weight] {
        for (std::size_t b = 0; b + 1 < buckets.size(); ++b) {
          given->ready->acquire();
          average.pass(member, buckets[b].bytes);
        }
        given->ready->acquire();
        started->finish(average.mean(member, given->whole, weight, {}, buckets.back().bytes).mean);
      })
      ->daemonize();
  return handle;
}

void SimulatedGroup::barrier() {
  if (state_.elastic) {
    elastic_round({}, "the others at the barrier");
    return;
  }
  mail_.set_waits_for("the others at the barrier");
  state_.barrier.wait();
  mail_.set_waits_for("nothing");
}

Notes SimulatedGroup::gather(double number) {
  if (state_.elastic) {
    const ElasticRounds::Result result =
        elastic_round({{}, 1, {number}}, "the others at the barrier");
    auto all = std::make_shared<std::vector<double>>(size(), 0.0);
    for (std::size_t i = 0; i < size(); ++i) {
      const std::vector<double>& theirs = (*result.numbers)[i];
      if (!theirs.empty()) (*all)[i] = theirs.front();
    }
    return all;
  }
  if (state_.put_down == 0) state_.gathered = std::make_shared<std::vector<double>>(size());
  (*state_.gathered)[member_] = number;
  state_.put_down = (state_.put_down + 1) % size();
  const Notes numbers = state_.gathered;
  barrier();
  return numbers;
}

}  // namespace motley
