#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/engine/averaging.hpp"
#include "sim/engine/gathering.hpp"
#include "sim/engine/worker_mail.hpp"
#include "sim/vocabulary/group.hpp"

namespace motley {

/// The members of a group from one moment on, and what they have in common. A round of a collective
/// begins and ends with the same members.
struct Formation {
  Formation(const Averaging::Setup& setup, std::vector<std::size_t> members,
            const std::string& collective)
      : ranks(std::move(members)), average(setup, ranks, collective), barrier(ranks.size()) {}

  std::vector<std::size_t> ranks;  ///< of the members, in the group's order
  Averaging average;
  Gathering barrier;
  std::shared_ptr<std::vector<double>> gathered = nullptr;
  std::size_t put_down = 0;  ///< numbers of the gathering under way
};

/// A group inside the simulation.
class GroupState {
 public:
  /// `setup` must live as long.
  GroupState(const Averaging::Setup& setup, const std::vector<std::size_t>& ranks,
             std::string collective);

  /// Rounds not yet begun have these members.
  void form(const std::vector<std::size_t>& ranks);

  Formation& now() { return *formations_.back(); }
  const std::vector<std::size_t>& ranks() const { return formations_.back()->ranks; }
  const std::string& collective() const { return collective_; }

 private:
  const Averaging::Setup& setup_;
  std::string collective_;
  // Former ones are kept: their messages may still be under way.
  std::vector<std::unique_ptr<Formation>> formations_;
};

/// A member's place in a group.
class SimulatedGroup final : public Group {
 public:
  SimulatedGroup(Worker& me, Simulation& simulation, WorkerMail& mail, GroupState& state,
                 const std::string& name);

  NotesOfAll all_reduce_mean(Parameters& v, double weight, std::vector<double> numbers) override;
  std::unique_ptr<Pending> start_all_reduce_mean(const Parameters& v, double weight) override;
  void barrier() override;
  Notes gather(double number) override;

 private:
  class Started;

  /// A member may not begin a collective before the one it started here has ended.
  void expect_none_under_way() const;
  /// The group as it is formed now; finds this member's place in it.
  Formation& now();

  Simulation& simulation_;
  WorkerMail& mail_;
  GroupState& state_;
  std::size_t rank_;
  std::size_t member_ = 0;                // in the formation
  const Formation* formation_ = nullptr;  // the one looked at last
  std::shared_ptr<Started> started_;      // the last one
};

}  // namespace motley
