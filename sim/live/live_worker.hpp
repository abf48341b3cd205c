#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/engine/named_streams.hpp"
#include "sim/live/live_computation.hpp"
#include "sim/live/live_group.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

/// A worker on a real machine.
class LiveWorker final : public Worker {
 public:
  explicit LiveWorker(LiveContext& context);

  std::size_t rank() const override { return rank_; }
  std::size_t workers() const override { return context_.workers(); }
  double clock() const override { return context_.clock(); }
  RandomStream& random(const std::string& name) override;
  Model initial_model() override { return context_.initial_model(); }
  bool is_present(std::size_t) const override { return true; }
  std::optional<Message> receive_answer(const Wanted& wanted) override { return receive(wanted); }

  using Worker::gradient;
  using Worker::local_steps;
  std::optional<Gradient> gradient(const Model& x, std::size_t n, const Until& until) override {
    return computation_.gradient(x, n, until);
  }
  std::optional<Trained> local_steps(Model x, std::size_t steps, std::size_t n, UpdateRule& rule,
                                     const Until& until, const Parameters& shift) override {
    return computation_.local_steps(std::move(x), steps, n, rule, until, shift);
  }
  double measure_speed(std::size_t steps, std::size_t n) override {
    return computation_.measure_speed(steps, n);
  }
  void step(UpdateRule& rule, Model& x, const Parameters& g) override;

  std::size_t data_samples() const override { return samples_.available(); }
  void draw_again() override { samples_.put_back(); }
  void draw_from_share(std::span<const double> shares) override;
  void draw_next(std::vector<Sample> samples) override { samples_.draw_next(std::move(samples)); }
  void keep_losses() override { computation_.keep_losses(); }
  std::span<const Sample> drawn() const override { return samples_.drawn(); }
  std::span<const float> drawn_losses() const override { return computation_.sample_losses(); }

  void push(Gradient g, bool wants_model) override;
  void push_exactly(Gradient g, bool wants_model) override;
  void push_model(const Trained& y, std::vector<Parameters> more, bool wants_model) override;
  void push_update(Parameters difference, const Trained& y, std::vector<Parameters> more,
                   bool wants_model) override;
  void request_model() override;
  void tell(double number) override;
  Model pull() override;
  Model pull_newest() override;
  std::optional<Model> newer_model() override;
  void wait_for_pushes() override;
  void answer_with_gradient(std::size_t n) override;
  Gradient averaged_gradient(const Model& x, std::size_t n, double weight) override;

  void send(std::size_t to, Message message) override;
  Message receive(const Wanted& wanted) override;
  std::optional<Message> received(const Wanted& wanted) override;
  void serve(const std::string& kind, std::function<void(const Message&)> handler) override;
  std::optional<Event> next_event(double until) override;

  Group& group(const std::string& name, const std::vector<std::size_t>& ranks,
               const std::string& collective) override {
    return groups_.group(name, ranks, collective);
  }
  Group& everybody() override { return groups_.everybody(); }

  void finish_update(Model& x) override;
  void finish_own_update(const Model& x, std::uint64_t steps) override;
  void record_decision(const char* quantity, double value) override;

 protected:
  bool can_anybody_fail() const override { return false; }
  void share_state(const SharedState&) override {}

 private:
  void model_arrived(const Packet& packet);
  void message_arrived(const Packet& packet);
  void worker_left(const Packet& packet);
  bool is_given_up(const Until& until) const;
  bool has_model() const { return !models_.front().empty(); }
  Model take(std::size_t shard);
  void push(Push&& push, const ShardVersions& versions, bool exactly);
  void push(const char* kind, Parameters vector, const Trained& y, std::vector<Parameters> more,
            bool wants_model);
  void send_to_server(std::size_t shard, Push&& push, bool exactly);
  bool has(const Wanted& wanted) const;

  LiveContext& context_;
  std::size_t rank_;
  WorkerSamples samples_;
  LiveComputation computation_;
  LiveGroups groups_;
  NamedStreams streams_;
  std::vector<std::deque<Model>> models_;  // by shard
  std::deque<Event> events_;
  std::map<std::string, std::function<void(const Message&)>> served_;  // by kind
  std::vector<Compressor> compressors_;                                // by shard; often none
  RandomStream compress_random_;
};

}  // namespace motley
