#include "sim/engine/collectives/simulated_group.hpp"

#include <stdexcept>

#include "sim/engine/computing/fetch_ahead.hpp"
#include "sim/engine/platform/simgrid_generation.hpp"
#include "sim/engine/world.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

GroupState::GroupState(const Averaging::Setup& setup, const std::vector<std::size_t>& members,
                       std::string collective_name, const MachineFailures& failures)
    : ranks(std::make_shared<std::vector<std::size_t>>(members)),
      collective(std::move(collective_name)),
      average(setup, members, collective),
      gatherings(members.size()) {
  if (failures.any())
    elastic = std::make_unique<ElasticRounds>(setup, members, collective, failures);
}

/// A collective that goes on while its member does something else: an actor of its own takes part in
/// it. It outlives whoever waits for it.
class SimulatedGroup::Started {
 public:
  Started(WorkerMail& mail, const char* waits_for) : mail_(mail), waits_for_(waits_for) {}

  void finish(Averaging::Outcome outcome) {
    mean_ = {std::move(outcome.mean), std::move(outcome.numbers)};
    done_ = true;
    end_->release();
  }
  bool is_done() const { return done_; }
  Averaged wait() {
    mail_.set_waits_for(waits_for_);
    end_->acquire();
    mail_.set_waits_for("nothing");
    return std::move(mean_);
  }

 private:
  WorkerMail& mail_;
  const char* waits_for_;
  simgrid::s4u::SemaphorePtr end_ = simgrid::s4u::Semaphore::create(0);
  Averaged mean_;
  bool done_ = false;
};

SimulatedGroup::SimulatedGroup(Worker& me, World& world, WorkerMail& mail, GroupState& state,
                               const std::string& name, std::size_t member)
    : Group(me, name, state.ranks),
      state_(state),
      member_(member),
      rank_(me.rank()),
      mail_(mail),
      world_(world) {}

// ---- Where somebody may fail ----

ElasticRounds::Result SimulatedGroup::elastic_round(ElasticRounds::Part part,
                                                    const char* waits_for) {
  mail_.set_waits_for(waits_for);
  const std::uint64_t round = state_.elastic->enter(rank_, std::move(part));
  ElasticRounds::Result result = state_.elastic->wait(rank_, round);
  mail_.set_waits_for("nothing");
  return result;
}

template <class Take>
auto SimulatedGroup::start_elastic(ElasticRounds::Part part, const char* waits_for, Take take)
    -> Pending<decltype(take(ElasticRounds::Result()))> {
  const std::uint64_t round = state_.elastic->enter(rank_, std::move(part));
  ++under_way_;
  return {[this, round, waits_for, take] {
            mail_.set_waits_for(waits_for);
            ElasticRounds::Result result = state_.elastic->wait(rank_, round);
            mail_.set_waits_for("nothing");
            --under_way_;
            return take(std::move(result));
          },
          [this, round] { return state_.elastic->is_through(rank_, round); }};
}

Notes SimulatedGroup::first_numbers(const ElasticRounds::Result& result) const {
  auto all = std::make_shared<std::vector<double>>(size(), 0.0);
  for (std::size_t i = 0; i < size(); ++i) {
    const std::vector<double>& theirs = (*result.numbers)[i];
    if (!theirs.empty()) (*all)[i] = theirs.front();
  }
  return all;
}

bool SimulatedGroup::leads() const {
  return state_.elastic ? leads_ : rank_ == ranks().front();
}

// ---- Collectives ----

NotesOfAll SimulatedGroup::all_reduce_mean(Parameters& v, double weight,
                                           std::vector<double> numbers) {
  if (state_.elastic) {
    ElasticRounds::Result result =
        elastic_round({Kind::average, v, weight, std::move(numbers)}, state_.average.waits_for());
    v = std::move(result.vector);
    leads_ = result.leads;
    return result.numbers;
  }
  Averaging& average = state_.average;
  WorkerMail& mail = mail_;
  average.begin(member_);
  mail.set_waits_for(average.waits_for());
  Averaging::Outcome outcome = average.mean(member_, v, weight, std::move(numbers));
  fetch_ahead(this, sizeof *this);
  mail.set_waits_for("nothing");
  v = std::move(outcome.mean);
  return outcome.numbers;
}

NotesOfAll SimulatedGroup::exchange(std::vector<double> numbers, std::uint64_t bytes) {
  const Parameters nothing = Parameters::zeros(1);
  if (state_.elastic) {
    return elastic_round({.kind = Kind::average,
                          .value = nothing,
                          .numbers = std::move(numbers),
                          .bytes = bytes},
                         state_.average.waits_for())
        .numbers;
  }
  state_.average.begin(member_);
  mail_.set_waits_for(state_.average.waits_for());
  NotesOfAll all = state_.average.mean(member_, nothing, 1, std::move(numbers), bytes).numbers;
  mail_.set_waits_for("nothing");
  return all;
}

Pending<Averaged> SimulatedGroup::start_all_reduce_mean(const Parameters& v, double weight,
                                                        std::vector<double> numbers) {
  Averaging& average = state_.average;
  if (state_.elastic) {
    return start_elastic({Kind::average, v, weight, std::move(numbers)}, average.waits_for(),
                         [this](ElasticRounds::Result result) {
                           leads_ = result.leads;
                           return Averaged{std::move(result.vector), std::move(result.numbers)};
                         });
  }
  average.begin(member_);
  const auto started = std::make_shared<Started>(mail_, average.waits_for());
  generation::add_actor(
      "all-reduce", world_.platform.host(rank_),
      [&average, member = member_, started, v, weight, numbers = std::move(numbers)] {
        started->finish(average.mean(member, v, weight, numbers));
      })
      ->daemonize();
  return {[started] { return started->wait(); }, [started] { return started->is_done(); }};
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
  Averaging& average = state_.average;
  average.begin(member_);
  const auto started = std::make_shared<Started>(mail_, average.waits_for());
  auto handle = std::make_unique<StartedBuckets>(started);
  generation::add_actor(
      "all-reduce", world_.platform.host(rank_),
      [&average, &buckets, member = member_, started, given = handle->hand_over(), weight] {
        for (std::size_t b = 0; b + 1 < buckets.size(); ++b) {
          given->ready->acquire();
          average.pass(member, buckets[b].bytes);
        }
        given->ready->acquire();
        started->finish(average.mean(member, given->whole, weight, {}, buckets.back().bytes));
      })
      ->daemonize();
  return handle;
}

namespace {

constexpr const char* others_at_barrier = "the others at the barrier";

}  // namespace

void SimulatedGroup::wait_for_all(Gathering& gathering) {
  mail_.set_waits_for(others_at_barrier);
  gathering.wait();
  mail_.set_waits_for("nothing");
}

void SimulatedGroup::barrier() {
  if (state_.elastic)
    elastic_round({}, others_at_barrier);
  else
    wait_for_all(*state_.gatherings.come(member_));
}

Pending<void> SimulatedGroup::start_barrier() {
  if (state_.elastic) {
    return start_elastic({}, others_at_barrier, [](const ElasticRounds::Result&) {});
  }
  const std::shared_ptr<Gathering> gathering = state_.gatherings.come(member_);
  return {[this, gathering] { wait_for_all(*gathering); },
          [gathering] { return gathering->are_all_here(); }};
}

Notes SimulatedGroup::gather(double number) {
  if (state_.elastic) {
    return first_numbers(elastic_round({Kind::meeting, {}, 1, {number}}, others_at_barrier));
  }
  const std::shared_ptr<Gathering> gathering = state_.gatherings.come(member_, number);
  wait_for_all(*gathering);
  return gathering->numbers();
}

Pending<Notes> SimulatedGroup::start_gather(double number) {
  if (state_.elastic) {
    return start_elastic(
        {Kind::meeting, {}, 1, {number}}, others_at_barrier,
        [this](const ElasticRounds::Result& result) { return first_numbers(result); });
  }
  const std::shared_ptr<Gathering> gathering = state_.gatherings.come(member_, number);
  return {[this, gathering] {
            wait_for_all(*gathering);
            return gathering->numbers();
          },
          [gathering] { return gathering->are_all_here(); }};
}

Pending<Parameters> SimulatedGroup::start_broadcast(const Parameters& v, std::size_t root) {
  if (!state_.elastic) return Group::start_broadcast(v, root);
  return start_elastic({Kind::broadcast, v, 1, {}, root}, "a broadcast of its group",
                       [](ElasticRounds::Result result) { return std::move(result.vector); });
}

Pending<std::vector<Parameters>> SimulatedGroup::start_gather(const Parameters& v,
                                                              std::size_t root) {
  if (!state_.elastic) return Group::start_gather(v, root);
  return start_elastic({Kind::gathering, v, 1, {}, root}, "the vectors of its group",
                       [](ElasticRounds::Result result) { return std::move(result.gathered); });
}

}  // namespace motley
