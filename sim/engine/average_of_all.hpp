#pragma once

#include <memory>
#include <vector>

#include <simgrid/s4u.hpp>

#include "sim/engine/averaging.hpp"

namespace motley {

struct World;

/// Makes the mean of the workers' models exist, where their algorithm never averages all of them: when that mean
/// is found to meet the target. Until then nobody has it. Those who are there pass their models round by a ring
/// all-reduce, over the same links and behind whatever else they do, and the target is reached when the last of
/// them has the mean. It is of the models as they were when it began; nobody goes on with it.
class AverageOfAll {
 public:
  explicit AverageOfAll(World& world) : world_(world) {}

  /// Called by an actor. `ranks`: who has a model.
  void begin(const std::vector<std::size_t>& ranks);
  /// One of them is gone, with what it was to pass on: what is under way leads nowhere.
  void member_fails();

 private:
  struct Attempt {
    std::unique_ptr<Averaging> averaging;
    std::size_t under_way = 0;  // members that do not have the mean yet
    double begun_s = 0;
    std::vector<simgrid::s4u::ActorPtr> actors = {};  // of the members; null: it has the mean
  };

  void pass(Attempt& attempt, std::size_t member);

  World& world_;
  std::vector<std::unique_ptr<Attempt>> attempts_;  // pieces of those given up may still arrive
  Attempt* current_ = nullptr;
};

}  // namespace motley
