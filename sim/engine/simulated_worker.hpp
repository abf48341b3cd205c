#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/collectives/simulated_group.hpp"
#include "sim/engine/computing/worker_computation.hpp"
#include "sim/engine/named_streams.hpp"
#include "sim/vocabulary/worker.hpp"

namespace motley {

/// A worker in virtual time.
class SimulatedWorker final : public Worker {
 public:
  SimulatedWorker(World& world, std::size_t rank);

  /// Not for algorithms: where what is sent to it arrives.
  WorkerMail& mail() { return mail_; }
  const WorkerMail& mail() const { return mail_; }
  /// The machine has failed.
  void lose_everything() {
    mail_.lose_everything();
    computation_.lose_everything();
    for (const auto& [name, group] : groups_) group->lose_everything();
  }

  std::size_t rank() const override { return rank_; }
  std::size_t workers() const override;
  double clock() const override;
  RandomStream& random(const std::string& name) override;
  Model initial_model() override;
  bool is_present(std::size_t rank) const override;
  std::optional<Message> receive_answer(const Wanted& wanted) override {
    return mail_.receive_answer(wanted);
  }

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
  Model pull() override { return mail_.pull(); }
  Model pull_newest() override;
  std::optional<Model> newer_model() override;
  void wait_for_pushes() override { mail_.wait_for_pushes(); }
  void answer_with_gradient(std::size_t n) override;
  Gradient gradient_ahead(std::size_t n, Ahead& how, const TakenAt& at) override;
  Gradient averaged_gradient(const Model& x, std::size_t n, double weight) override;

  void send(std::size_t to, Message message) override { mail_.send(to, std::move(message)); }
  Message receive(const Wanted& wanted) override { return mail_.receive(wanted); }
  std::optional<Message> received(const Wanted& wanted) override { return mail_.received(wanted); }
  void serve(const std::string& kind, std::function<void(const Message&)> handler) override {
    mail_.serve(kind, std::move(handler));
  }
  std::optional<Event> next_event(double until) override { return mail_.next_event(until); }

  Group& group(const std::string& name, const std::vector<std::size_t>& ranks,
               const std::string& collective) override;
  Group& everybody() override;

  void finish_update(Model& x) override;
  void finish_own_update(const Model& x, std::uint64_t steps) override;
  void record_decision(const char* quantity, double value) override;

 protected:
  bool can_anybody_fail() const override;
  void share_state(const SharedState& state) override;

 private:
  Gradient averaged_by_buckets(const Model& x, std::size_t n, double weight);
  /// A push of something that was made by the work that y is the result of.
  void push(const char* kind, Parameters vector, const Trained& y, std::vector<Parameters> more,
            bool wants_model);

  World& world_;
  std::size_t rank_;
  SimulatedGroup* everybody_ = nullptr;
  // Here, beside what every round of a large ring touches anyway; the other groups are anywhere.
  std::optional<SimulatedGroup> group_of_all_;
  WorkerMail mail_;
  WorkerSamples samples_;
  WorkerComputation computation_;
  NamedStreams streams_;
  std::map<std::string, SimulatedGroup*> groups_;  // by name, everybody's too
  std::vector<std::unique_ptr<SimulatedGroup>> other_groups_;
};

}  // namespace motley
