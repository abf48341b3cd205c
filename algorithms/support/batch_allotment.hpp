#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace motley {

/// By what rule batches follow measured times; the sum of those adjusted stays. See allocation.
struct BatchAllotment {
  enum class Mode { equal, fixed, adaptive, dbs, omnilearn, lb_bsp };

  /// What everybody knows of the batches, and works out alike from the same times.
  struct State {
    std::vector<std::size_t> batches;          ///< by worker
    std::vector<double> parts = {};            ///< dbs: p_i before rounding
    bool settled = false;                      ///< adaptive
    std::size_t move = 0;                      ///< lb_bsp: samples that go from one to the other
    std::optional<std::size_t> receiver = {};  ///< lb_bsp: of the last ones
    std::optional<std::size_t> giver = {};

    /// Of a worker's gradient in the mean of all.
    double weight(std::size_t worker) const;
    /// Of the data, by worker.
    std::vector<double> shares() const;
  };

  Mode mode = Mode::equal;
  double restart_above = 1;                                  ///< adaptive
  std::size_t least = 1;                                     ///< omnilearn
  std::size_t most = 1;                                      ///< omnilearn
  std::size_t move = 1;                                      ///< lb_bsp
  std::vector<std::optional<std::size_t>> max_batches = {};  ///< by worker; empty: no limit

  /// omnilearn: whether so many samples can be shared out within the bounds.
  bool has_room_for(std::size_t total, std::size_t workers) const;
  State first(const std::vector<std::size_t>& batches) const;
  /// `times`: of every worker's gradients since the last adjustment. Who has 0 is not there, or new,
  /// and keeps its batch.
  void adjust(std::span<const double> times, State& state) const;

 private:
  struct Measured;
  /// omnilearn: the largest batch of a worker.
  std::size_t most_of(std::size_t worker) const;
  void adjust_adaptive(const Measured& measured, State& state) const;
  void adjust_dbs(const Measured& measured, State& state) const;
  void adjust_omnilearn(const Measured& measured, State& state) const;
  void adjust_lb_bsp(const Measured& measured, State& state) const;
};

}  // namespace motley
