#pragma once

#include <string>
#include <vector>

#include "sim/engine/simulation.hpp"

namespace motley {

/// A worker inside the simulation: its inbox, its samples, and the real computation that runs while
/// its virtual one does.
class WorkerState {
 public:
  WorkerState(Simulation& simulation, std::size_t rank);

  Simulation& simulation() { return simulation_; }
  std::size_t rank() const { return rank_; }
  Inbox<Model>& inbox() { return inbox_; }
  /// What the worker waits for, while it waits; for the report of a deadlock.
  const std::string& waits_for() const { return waits_for_; }
  void set_waits_for(const char* what) { waits_for_ = what; }

  Gradient gradient(const Model& x, std::size_t n);
  Model local_steps(Model x, std::size_t steps, std::size_t n, SgdRule& rule);

 private:
  /// Draws the samples, hands task_ to the pool, lets the virtual time pass, and waits for it.
  /// Returns the virtual time it took.
  double compute(std::size_t samples);
  void record(std::size_t gradients, std::size_t samples_each);

  Simulation& simulation_;
  std::size_t rank_;
  Inbox<Model> inbox_;
  Sampler sampler_;
  std::vector<Sample> samples_;
  std::vector<double> losses_;
  ThreadPool::Task task_;
  std::string waits_for_ = "nothing";
};

}  // namespace motley
