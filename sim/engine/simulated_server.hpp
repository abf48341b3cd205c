#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sim/base/random.hpp"
#include "sim/engine/shard_state.hpp"
#include "sim/vocabulary/server.hpp"

namespace motley {

class Simulation;

/// The server of one shard in virtual time.
class SimulatedServer final : public Server {
 public:
  SimulatedServer(Simulation& simulation, std::size_t shard);

  std::size_t workers() const override;
  double clock() const override;
  RandomStream& random(const std::string& name) override;
  Model initial_model() const override;

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
  /// nullptr: `until` came first.
  Parcel* next(double until, const char* waits_for);
  /// Lets the virtual time of so many flops pass.
  void spend(double flops);

  Simulation& simulation_;
  ShardState& shard_;
  std::vector<std::deque<Push>> early_;  // by worker
  std::map<std::string, RandomStream> streams_;
};

}  // namespace motley
