#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/learning/data/sampler.hpp"

namespace motley {

/// Which samples a worker draws next: those of its own sequence, or those it was told.
class WorkerSamples {
 public:
  WorkerSamples(const Partition& partition, SampleOrder order, std::uint64_t seed, std::size_t rank)
      : sampler_(partition, order, seed, rank) {}

  /// How many there are in its part of the data.
  std::size_t available() const { return sampler_.samples(); }
  /// From now on, samples of another partition; it must outlive this.
  void draw_from(const Partition& partition) { sampler_.draw_from(partition); }
  /// The next samples are these.
  void draw_next(std::vector<Sample> samples);

  /// Draws the next `count`.
  void draw(std::size_t count);
  /// What was last drawn was not used: it comes again.
  void put_back();
  /// What was last drawn.
  std::span<const Sample> drawn() const { return drawn_; }

 private:
  Sampler sampler_;
  std::optional<std::vector<Sample>> told_;  // to be drawn from instead
  std::size_t told_drawn_ = 0;
  std::vector<Sample> drawn_;
};

}  // namespace motley
