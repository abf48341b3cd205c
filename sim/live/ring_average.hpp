#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/live/live_context.hpp"

namespace motley {

/// The average of a vector among the members of a group by a ring of messages, one round: every member
/// passes pieces on to its right, 2 (W-1) of them, each of the size that it has in a simulation. As there,
/// a step ends when its piece has gone and its neighbour's has come: two pieces at once would share the
/// link, and the first of them would come late. It goes on whatever its member does meanwhile.
///
/// Where the scenario's messages have room for it, the first W-1 carry everybody's whole vector, and each
/// member adds them up in the group's order: the same bits as in a simulation. Where they have none, as
/// with messages of the real size, they carry partial sums of pieces: the same but for rounding.
class RingAverage : public std::enable_shared_from_this<RingAverage> {
 public:
  struct Ring {
    LiveContext& context;
    std::string name;                ///< of the group
    std::vector<std::size_t> ranks;  ///< in the group's order
    std::size_t member = 0;          ///< the place of this worker
  };
  /// What one member puts in.
  struct Part {
    Parameters vector;
    double weight = 1;
    std::vector<double> numbers = {};
  };

  /// `bytes`: of the whole vector. Without a part nothing is averaged: bytes move, and nothing else.
  /// begin() sends the first piece.
  RingAverage(const Ring& ring, std::uint64_t round, std::uint64_t bytes, std::optional<Part> part);
  /// `done` is called when the last step has ended, at once when nobody else is there.
  void begin(std::function<void()> done);

  /// What has come for this round, in any order.
  void arrived(std::uint32_t step, Packet& packet);
  bool is_done() const { return next_ == steps(); }
  /// When it is done.
  Parameters mean();
  NotesOfAll numbers() const;

 private:
  std::size_t size() const { return ring_.ranks.size(); }
  std::uint32_t steps() const { return static_cast<std::uint32_t>(2 * (size() - 1)); }
  std::uint64_t piece_bytes(std::size_t piece) const;
  std::span<float> piece(std::size_t index);
  /// Which piece this member sends at a step.
  std::size_t piece_sent(std::uint32_t step) const;
  void send(std::uint32_t step);
  /// What the left neighbour has sent at the next step.
  void take(const Packet& packet);
  /// Goes on to the next step where this one has ended.
  void go_on();

  const Ring& ring_;
  std::uint64_t round_;
  std::uint64_t bytes_;
  bool averages_;
  bool whole_vectors_ = false;
  std::vector<Part> parts_;                // by member
  Parameters sum_;                         // where pieces are added up on their way
  std::uint32_t next_ = 0;                 // the step that has not ended
  bool has_gone_ = false;                  // its piece
  bool has_come_ = false;                  // the left neighbour's
  std::map<std::uint32_t, Packet> early_;  // for steps to come
  std::function<void()> done_;
};

}  // namespace motley
