#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "sim/engine/agenda.hpp"
#include "sim/engine/failures/machine_failures.hpp"
#include "sim/engine/model/shard_state.hpp"

namespace motley {

struct World;

/// What becomes of the parts of a run when machines fail and return. A body's actor ends with its
/// machine, wherever it is in its verbs; a new one begins the body when the machine is there again.
class Recovery final : public MachineFailures::Listener {
 public:
  explicit Recovery(World& world) : world_(world) {}

  /// Before anything happens, where somebody may fail.
  void begin();
  /// A part of the model is about to change: what is due is saved before.
  void shard_changes(ShardState& shard);
  /// Whether a run that stands still can be helped.
  bool can_get_going() const;

 private:
  bool is_anything_going_on() override;
  void machine_fails(std::size_t node) override;
  void machine_is_missed(std::size_t node) override;
  void machine_returns(std::size_t node) override;

  void server_fails(std::size_t node);
  void server_returns(std::size_t node);
  bool has_parts_on(std::size_t node) const;
  /// How many updates are in the present model of a shard.
  std::uint64_t updates_kept(const ShardState& shard) const { return shard.updates - undone_; }
  void begin_anew(ShardState& shard, const Model& model, std::uint64_t kept);
  void begin_anew(std::size_t rank);
  /// All parts of the model and all workers begin anew together.
  enum class With { checkpoint, present_model };
  void begin_all_anew(With with);

  /// Where parts of the model may be at odds after a failure, so that everybody waits for ever.
  void machine_changes();
  void watch();
  void get_going_or_stop();
  void end_if_nobody_is_left();
  void end_if_nothing_comes_of_it();

  struct Watch final : Agenda::Event {
    explicit Watch(Recovery& of) : recovery(of) { set_background(true); }
    void happen() override { recovery.watch(); }

    Recovery& recovery;
  };

  World& world_;
  std::map<std::size_t, double> server_down_since_;  // by node
  std::set<std::size_t> parts_away_;                 // nodes with parts of the model that are down
  std::uint64_t undone_ = 0;                         // updates, by falling back to checkpoints
  Watch watch_{*this};
  double watch_interval_s_ = 0;
  std::uint64_t changes_of_machines_ = 0;
  std::uint64_t got_going_at_changes_ = 0;  // so many when everything last began anew by itself
  std::uint64_t got_going_at_update_ = 0;
  std::uint64_t failures_at_update_ = 0;  // so many when the last was seen
  std::uint64_t updates_seen_ = 0;
  double update_seen_at_ = 0;
};

}  // namespace motley
