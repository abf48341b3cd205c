#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/engine/named_streams.hpp"
#include "sim/live/live_context.hpp"
#include "sim/vocabulary/server.hpp"

namespace motley {

/// The server of one shard on a real machine.
class LiveServer final : public Server {
 public:
  LiveServer(LiveContext& context, std::size_t shard);

  std::size_t workers() const override { return context_.workers(); }
  double clock() const override { return context_.clock(); }
  RandomStream& random(const std::string& name) override;
  Model initial_model() const override;

  std::vector<std::size_t> present() override;
  std::size_t count_present() const override { return workers(); }
  void on_join(std::function<void(std::size_t)>) override {}  // nobody does
  bool is_resumed() const override { return false; }

  std::optional<Event> next_event(double until) override;
  std::optional<Push> next_push_before(double until) override;
  std::vector<Push> next_push_of(std::span<const std::size_t> workers) override;

  void send_model(std::size_t worker, const Model& x) override;
  void send(std::size_t worker, Message message) override;

  std::uint64_t staleness(const Push& push) const override {
    return context_.updates() - push.version;
  }
  void step(UpdateRule& rule, Model& x, const Parameters& g, float scale) const override;
  Parameters weighted_sum(std::span<const Push> pushes,
                          std::span<const float> weights) const override;
  using Server::finish_update;
  void finish_update(Model& x, std::span<const Push> used) override;
  void discard(const Push& push) override;
  void record_decision(std::size_t worker, const char* quantity, double value) override;

 private:
  /// Empty: `until` came first.
  std::optional<Event> next(double until, const char* waits_for);

  LiveContext& context_;
  std::size_t index_;
  const Shard& shard_;
  std::deque<Event> events_;
  std::map<std::size_t, std::deque<Push>> early_;  // by worker
  std::set<std::size_t> left_;                     // workers
  NamedStreams streams_;
  std::uint64_t samples_ = 0;          // of all that was used
  std::unique_ptr<SpeedCurve> curve_;  // of a server whose speed changes, once it has worked
};

}  // namespace motley
