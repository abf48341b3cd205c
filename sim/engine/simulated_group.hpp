#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/engine/collective.hpp"
#include "sim/engine/gathering.hpp"
#include "sim/engine/worker_mail.hpp"
#include "sim/vocabulary/group.hpp"

namespace motley {

/// What the members of a group have in common inside the simulation.
struct GroupState {
  GroupState(Collective::Setup setup, std::string collective_name);

  std::shared_ptr<const std::vector<std::size_t>> ranks;
  std::string collective;
  std::unique_ptr<Collective> average;
  Gathering barrier;
  std::shared_ptr<std::vector<double>> gathered;
  std::size_t put_down = 0;  // numbers of the gathering under way
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

 private:
  class Started;

  /// A member may not begin a collective before the one it started here has ended.
  void expect_none_under_way() const;

  Simulation& simulation_;
  WorkerMail& mail_;
  GroupState& state_;
  std::size_t member_;
  std::size_t rank_;
  std::shared_ptr<Started> started_;  // the last one
};

}  // namespace motley
