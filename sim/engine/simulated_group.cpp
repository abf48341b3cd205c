#include "sim/engine/simulated_group.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/engine/simgrid_generation.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

GroupState::GroupState(const Averaging::Setup& setup, const std::vector<std::size_t>& ranks,
                       std::string collective)
    : setup_(setup), collective_(std::move(collective)) {
  form(ranks);
}

void GroupState::form(const std::vector<std::size_t>& ranks) {
  formations_.push_back(std::make_unique<Formation>(setup_, ranks, collective_));
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
                               GroupState& state, const std::string& name)
    : Group(me, name, state.ranks()),
      simulation_(simulation),
      mail_(mail),
      state_(state),
      rank_(me.rank()) {
  const std::vector<std::size_t>& all = ranks();
  if (std::find(all.begin(), all.end(), rank_) == all.end()) {
    throw std::logic_error("worker " + std::to_string(rank_) + " is not in its group '" + name +
                           "'");
  }
}

Formation& SimulatedGroup::now() {
  Formation& formed = state_.now();
  if (formation_ != &formed) {
    formation_ = &formed;
    member_ = static_cast<std::size_t>(std::find(formed.ranks.begin(), formed.ranks.end(), rank_) -
                                       formed.ranks.begin());
  }
  return formed;
}

void SimulatedGroup::expect_none_under_way() const {
  if (started_ && !started_->is_done()) {
    throw std::logic_error("an all-reduce was begun in a group before the last one had ended");
  }
}

NotesOfAll SimulatedGroup::all_reduce_mean(Parameters& v, double weight,
                                           std::vector<double> numbers) {
  expect_none_under_way();
  Averaging& average = now().average;
  mail_.set_waits_for(average.waits_for());
  Averaging::Outcome outcome = average.mean(member_, v, weight, std::move(numbers));
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
  Averaging& average = now().average;
  started_ = std::make_shared<Started>(mail_, average.waits_for());
  generation::add_actor("all-reduce", simulation_.worker_host(rank_),
                        [&average, member = member_, started = started_, v, weight] {
                          started->finish(average.mean(member, v, weight, {}).mean);
                        })
      ->daemonize();
  return std::make_unique<Handle>(started_);
}

void SimulatedGroup::barrier() {
  mail_.set_waits_for("the others at the barrier");
  now().barrier.wait();
  mail_.set_waits_for("nothing");
}

Notes SimulatedGroup::gather(double number) {
  Formation& formed = now();
  const std::size_t members = formed.ranks.size();
  if (formed.put_down == 0) formed.gathered = std::make_shared<std::vector<double>>(members);
  (*formed.gathered)[member_] = number;
  formed.put_down = (formed.put_down + 1) % members;
  const Notes numbers = formed.gathered;
  barrier();
  return numbers;
}

}  // namespace motley
