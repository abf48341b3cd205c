#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/collectives/collective.hpp"
#include "sim/scenario/cluster_plan.hpp"
#include "sim/vocabulary/model.hpp"

namespace motley {

class Platform;
class ThreadPool;

/// Averages of vectors among the members of a group, one round after another. The messages are those
/// of a collective and take their time; the mean itself is computed once, in the group's order, and
/// shared: the same bits for everybody, by whichever collective and in whichever order they came.
///
/// Its members never change: a group that is formed anew has a new one.
class Averaging {
 public:
  /// What all groups of a run have in common.
  struct Setup {
    Network& network;
    const Platform& platform;
    const ClusterPlan& cluster;
    ThreadPool& pool;
    const ApproximateSpec& approximate;
    std::uint64_t model_bytes = 0;  ///< of a vector of model_size floats
    std::size_t model_size = 0;
  };

  /// `ranks`: of the members, in the group's order; `collective`: by name.
  Averaging(const Setup& setup, const std::vector<std::size_t>& ranks,
            const std::string& collective);

  /// What a member takes from a round.
  struct Outcome {
    Parameters mean;
    NotesOfAll numbers;  ///< of all members
  };

  /// A member (counted in the group's order) takes part in the next round from now on, by mean().
  /// std::logic_error when its last one has not ended.
  void begin(std::size_t member);
  /// Called by an actor of each member that has begun. `numbers` travel along. `bytes`: of the vector, if
  /// not those that a vector of its size has.
  Outcome mean(std::size_t member, const Parameters& value, double weight,
               std::vector<double> numbers, std::optional<std::uint64_t> bytes = {});
  /// Takes part in the messages of an average of so many bytes, whose result comes with a later mean:
  /// a bucket of a gradient.
  void pass(std::size_t member, std::uint64_t bytes) {
    collective_->pass(members_[member].position, bytes);
  }

  /// For whom a member waits meanwhile.
  const char* waits_for() const { return collective_->waits_for(); }

 private:
  struct Round {
    std::vector<Parameters> values;
    std::vector<double> weights;
    std::shared_ptr<std::vector<std::vector<double>>> numbers;
    Parameters mean;
    std::size_t collected = 0;
  };
  struct Member {
    std::uint32_t position = 0;  // in the collective
    bool is_under_way = false;
    std::uint64_t round = 0;
  };

  Round& round(std::uint64_t index);
  Parameters mean_of(const Round& round) const;

  Setup setup_;
  std::vector<Member> members_;
  std::unique_ptr<Collective> collective_;
  std::deque<Round> rounds_;
  std::uint64_t first_round_ = 0;
};

}  // namespace motley
