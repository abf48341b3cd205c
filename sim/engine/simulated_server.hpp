#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/model/shard_state.hpp"
#include "sim/engine/named_streams.hpp"
#include "sim/vocabulary/server.hpp"

namespace motley {

struct World;

/// The server of one shard in virtual time.
class SimulatedServer final : public Server {
 public:
  SimulatedServer(World& world, ShardState& shard);

  std::size_t workers() const override;
  double clock() const override;
  RandomStream& random(const std::string& name) override;
  Model initial_model() const override;

  std::vector<std::size_t> present() override;
  std::size_t count_present() const override;
  void on_join(std::function<void(std::size_t worker)> welcome) override {
    welcome_ = std::move(welcome);
  }
  bool is_resumed() const override { return shard_.life > 0; }

  std::optional<Event> next_event(double until) override;
  std::optional<Push> next_push_before(double until) override;
  std::vector<Push> next_push_of(std::span<const std::size_t> workers) override;

  void send_model(std::size_t worker, const Model& x) override;
  void send(std::size_t worker, Message message) override;

  std::uint64_t staleness(const Push& push) const override;
  void step(UpdateRule& rule, Model& x, const Parameters& g, float scale) const override;
  Parameters weighted_sum(std::span<const Push> pushes,
                          std::span<const float> weights) const override;
  using Server::finish_update;
  void finish_update(Model& x, std::span<const Push> used) override;
  void discard(const Push& push) override;
  void record_decision(std::size_t worker, const char* quantity, double value) override;

 private:
  /// What the server knows of a worker; its own knowledge, as of the events it has taken.
  struct Known {
    bool present = true;
    std::uint64_t failures = 0;
  };

  /// nullptr: `until` came first.
  Parcel* next(double until, const char* waits_for);
  /// Lets the virtual time of so many flops pass.
  void spend(double flops);
  /// Of who left or joined.
  void learn(const Event& event);
  void welcome(std::size_t worker);
  /// With several parts of the model: a push that had come here before its worker failed may not have
  /// come to the others, which then would wait for what this one has already. It begins anew with all.
  void drop_early_of(std::size_t worker);
  bool is_awaited(std::size_t worker) const;
  /// Whether there is nobody.
  bool is_alone() const { return !known_.empty() && drops() && known_present_ == 0; }
  bool drops() const;
  /// Whether the machine it means is the one that is there now.
  bool reaches(std::size_t worker) const;

  World& world_;
  ShardState& shard_;
  std::map<std::size_t, std::deque<Push>> early_;  // by worker; only of those with some
  std::vector<Known> known_;                       // by worker; empty where nobody can fail
  std::size_t known_present_ = 0;
  std::function<void(std::size_t)> welcome_;
  std::optional<Model> sent_;  // what was sent last; where somebody may fail
  mutable bool has_skipped_ = false;
  NamedStreams streams_;
};

}  // namespace motley
