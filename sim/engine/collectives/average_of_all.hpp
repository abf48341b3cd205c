#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/agenda.hpp"

namespace motley {

struct World;

/// Makes the mean of the workers' models exist, where their algorithm never averages all of them: when that mean
/// is found to meet the target. Until then nobody has it. Those who are there pass their models round by a ring
/// all-reduce of n members, over the same links and behind whatever else they do: 2 (n-1) steps, in each of which
/// everybody sends one of n pieces to its right neighbour; the next begins when all are through. Then the target
/// is reached. It is of the models as they were when it began; nobody goes on with it.
///
/// Its messages are sent by no actor, which could be ended before they arrive.
class AverageOfAll final : private Agenda::Event {
 public:
  explicit AverageOfAll(World& world) : world_(world) {}

  /// `ranks`: who has a model.
  void begin(const std::vector<std::size_t>& ranks);
  /// One of them is gone, with what it was to pass on: what is under way leads nowhere.
  void member_fails();

 private:
  void happen() override;
  void send_pieces();
  void piece_arrives(std::uint64_t attempt);

  World& world_;
  std::vector<std::size_t> ring_;  // of the members; empty when nothing is under way
  std::uint64_t attempt_ = 0;
  double begun_s_ = 0;
  std::size_t steps_left_ = 0;
  std::size_t under_way_ = 0;  // pieces
};

}  // namespace motley
