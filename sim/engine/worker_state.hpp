#pragma once

#include <string>
#include <vector>

#include "sim/engine/alarm.hpp"
#include "sim/engine/simulation.hpp"

namespace motley {

/// A worker inside the simulation: its inbox, its samples, and the real computation that runs while
/// its virtual one does.
class WorkerState : private Computation {
 public:
  WorkerState(Simulation& simulation, std::size_t rank);

  Simulation& simulation() { return simulation_; }
  std::size_t rank() const { return rank_; }
  Inbox<Model>& inbox() { return inbox_; }
  /// What the worker waits for, while it waits; for the report of a deadlock.
  const char* waits_for() const { return waits_for_; }
  void set_waits_for(const char* what) { waits_for_ = what; }

  Gradient gradient(const Model& x, std::size_t n);
  Model local_steps(Model x, std::size_t steps, std::size_t n, SgdRule& rule);

 private:
  void prepare() override;
  void compute(unsigned thread) override;
  /// Draws the samples of steps_ batches, starts the real computation, lets the virtual time pass,
  /// and waits for both. Returns the virtual time it took.
  double run();
  /// Lets the time pass that so much work takes on this worker's host.
  void execute(double flops);

  Simulation& simulation_;
  std::size_t rank_;
  Inbox<Model> inbox_;
  Alarm alarm_;
  Sampler sampler_;
  StepNoise noise_;
  const char* waits_for_ = "nothing";

  // The computation under way: steps_ gradients of batch_ samples each, beginning at at_. Without a
  // rule there is one, and its result is in g_; with one, at_ moves and g_ is scratch.
  std::size_t steps_ = 0;
  std::size_t batch_ = 0;
  SgdRule* rule_ = nullptr;
  Parameters at_;
  Parameters g_;
  std::span<const float> read_;
  std::span<float> at_values_;
  std::span<float> g_values_;
  std::vector<Sample> samples_;
  std::vector<double> losses_;
};

}  // namespace motley
