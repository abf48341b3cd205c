#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/engine/host_work.hpp"
#include "sim/engine/simulation.hpp"

namespace motley {

/// A worker inside the simulation: its inbox, its samples, and the real computation that runs while
/// its virtual one does.
class WorkerState : private Computation {
 public:
  WorkerState(Simulation& simulation, std::size_t rank);

  Simulation& simulation() { return simulation_; }
  std::size_t rank() const { return rank_; }
  /// What the worker waits for, while it waits; for the report of a deadlock.
  const char* waits_for() const { return waits_for_; }
  void set_waits_for(const char* what) { waits_for_ = what; }

  // Messages. Models and gradients come and go in shards.
  void expect_shards(std::size_t count) { inboxes_.resize(count); }
  void model_arrived(std::size_t shard, const Model& x);
  /// Whether a model waits to be pulled, as far as its first part tells.
  bool has_model() const { return !inboxes_.front().empty(); }
  /// Whether any part of a model waits to be pulled.
  bool has_news() const;
  Model pull();
  void push(Gradient g, bool wants_model, double note);

  // Computations; see Worker.
  Gradient gradient(const Model& x, std::size_t n);
  std::optional<Gradient> gradient_before(double deadline, const Model& x, std::size_t n);
  std::optional<Gradient> gradient_unless_newer(const Model& x, std::size_t n);
  Model local_steps(Model x, std::size_t steps, std::size_t n, SgdRule& rule);
  void answer_by_layers(std::size_t n);
  double measure_speed(std::size_t steps, std::size_t n);

  // Samples; see Worker.
  std::size_t data_samples() const { return sampler_.samples(); }
  void draw_from_share(std::span<const double> shares);
  void draw_next(std::vector<Sample> samples);
  void keep_losses() { keep_losses_ = true; }
  std::span<const Sample> drawn() const { return samples_; }
  std::span<const float> drawn_losses() const { return sample_losses_; }

 private:
  /// When a computation is given up.
  struct GivenUp {
    std::optional<double> deadline;
    bool newer_model = false;
  };

  void prepare() override;
  void unprepare() override;
  void compute(unsigned thread) override;
  void draw();
  /// What was drawn for work that was given up is drawn again.
  void put_back();
  /// Lets the virtual time of so many flops pass. False when it was given up.
  bool execute(double flops, const GivenUp& given_up);
  /// Starts the real computation of what is set up below.
  void start_real(double flops);
  /// At its virtual end: returns when it is done.
  void join_real();
  /// Ends the run if it is over now.
  void record_gradients();
  /// Draws the samples of steps_ batches, starts the real computation, lets the virtual time pass,
  /// and waits for both. Returns the virtual time it took, or nothing when it was given up.
  std::optional<double> run(const GivenUp& given_up);
  std::optional<Gradient> gradient(const Model& x, std::size_t n, const GivenUp& given_up);
  Model take(std::size_t shard);
  void push(std::size_t shard, Push push);
  Gradient part(const Gradient& g, std::size_t shard, std::uint64_t version) const;

  Simulation& simulation_;
  std::size_t rank_;
  std::vector<Inbox<Model>> inboxes_;  // by shard
  HostWork work_;
  Sampler sampler_;
  StepNoise noise_;
  std::optional<std::vector<Sample>> told_;  // to be drawn from instead
  std::size_t told_drawn_ = 0;
  bool keep_losses_ = false;
  const char* waits_for_ = "nothing";
  bool interruptible_ = false;  // by a newer model

  // The computation under way: steps_ gradients of batch_ samples each, beginning at at_. Without a
  // rule there is one, and its result is in g_; with one, the result is moved_ and g_ is scratch.
  std::size_t steps_ = 0;
  std::size_t batch_ = 0;
  SgdRule* rule_ = nullptr;
  Parameters at_;
  Parameters g_;
  Parameters moved_;
  std::span<const float> at_values_;
  std::span<float> g_values_;
  std::span<float> moved_values_;
  std::vector<Sample> samples_;
  std::vector<double> losses_;
  std::vector<float> sample_losses_;
};

}  // namespace motley
