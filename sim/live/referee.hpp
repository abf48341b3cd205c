#pragma once

#include <string>
#include <vector>

#include "sim/live/live_context.hpp"
#include "sim/live/silence.hpp"

namespace motley {

/// What every rank reports to the first, now and then, and what that one makes of it: it ends the run when
/// the stop rule is about what all have done together, when everybody waits for ever, or when a rank is
/// silent.
class Referee {
 public:
  explicit Referee(LiveContext& context);

  /// Called again and again by every rank: sends and looks when it is time to.
  void look();
  /// This rank's body has ended.
  void body_ended() { has_ended_ = true; }

 private:
  struct Report {
    std::uint64_t updates = 0;
    std::uint64_t samples = 0;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    bool has_ended = false;
    std::string waits_for = "nothing";
    double taken_s = 0;  // when it was here; not sent
  };

  Report own() const;
  void put(ByteWriter& to, const Report& report) const;
  void take(std::size_t rank, ByteReader content);
  void judge();
  void judge_silence();
  void judge_standstill();

  LiveContext& context_;
  std::vector<Report> reports_;  // by rank
  Silence silence_;
  std::vector<Report> before_;  // when something last had changed
  double still_since_s_ = 0;
  double next_s_ = 0;
  bool has_ended_ = false;
};

}  // namespace motley
