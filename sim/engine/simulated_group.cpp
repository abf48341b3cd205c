#include "sim/engine/simulated_group.hpp"

#include <stdexcept>

#include "sim/engine/simgrid_generation.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

GroupState::GroupState(Collective::Setup setup, std::string collective_name)
    : ranks(std::make_shared<std::vector<std::size_t>>(setup.ranks)),
      collective(std::move(collective_name)),
      average(make_collective(collective, setup)),
      barrier(ranks->size()) {}

/// A collective that goes on while its member does something else: an actor of its own takes part in
/// it. It outlives whoever waits for it.
class SimulatedGroup::Started {
 public:
  explicit Started(WorkerMail& mail) : mail_(mail) {}

  void finish(Parameters mean) {
    mean_ = std::move(mean);
    done_ = true;
    end_->release();
  }
  bool is_done() const { return done_; }
  Parameters wait() {
    mail_.set_waits_for("its neighbours in the all-reduce");
    end_->acquire();
    mail_.set_waits_for("nothing");
    return std::move(mean_);
  }

 private:
  WorkerMail& mail_;
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
      member_(member),
      rank_(me.rank()) {}

void SimulatedGroup::expect_none_under_way() const {
  if (started_ && !started_->is_done()) {
    throw std::logic_error("an all-reduce was begun in a group before the last one had ended");
  }
}

NotesOfAll SimulatedGroup::all_reduce_mean(Parameters& v, double weight,
                                           std::vector<double> numbers) {
  expect_none_under_way();
  mail_.set_waits_for("its neighbours in the all-reduce");
  Collective::Outcome outcome = state_.average->mean(member_, v, weight, std::move(numbers));
  mail_.set_waits_for("nothing");
  v = std::move(outcome.mean);
  return outcome.numbers;
}

std::unique_ptr<Group::Pending> SimulatedGroup::start_all_reduce_mean(const Parameters& v,
                                                                      double weight) {
  class Handle final : public Pending {
   public:
    explicit Handle(std::shared_ptr<Started> started) : started_(std::move(started)) {}
    Parameters wait() override { return started_->wait(); }
    bool is_done() const override { return started_->is_done(); }

   private:
    std::shared_ptr<Started> started_;
  };
  expect_none_under_way();
  started_ = std::make_shared<Started>(mail_);
  generation::add_actor("all-reduce", simulation_.worker_host(rank_),
                        [this, started = started_, v, weight] {
                          started->finish(state_.average->mean(member_, v, weight, {}).mean);
                        })
      ->daemonize();
  return std::make_unique<Handle>(started_);
}

void SimulatedGroup::barrier() {
  mail_.set_waits_for("the others at the barrier");
  state_.barrier.wait();
  mail_.set_waits_for("nothing");
}

Notes SimulatedGroup::gather(double number) {
  if (state_.put_down == 0) state_.gathered = std::make_shared<std::vector<double>>(size());
  (*state_.gathered)[member_] = number;
  state_.put_down = (state_.put_down + 1) % size();
  const Notes numbers = state_.gathered;
  barrier();
  return numbers;
}

}  // namespace motley
