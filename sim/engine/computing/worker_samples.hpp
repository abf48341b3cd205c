#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/learning/data/augmentation.hpp"
#include "sim/learning/data/sampler.hpp"

namespace motley {

/// Which samples a worker draws next: those of its own sequence, or those it was told.
class WorkerSamples {
 public:
  /// `augment` must outlive this.
  WorkerSamples(const Partition& partition, SampleOrder order, std::uint64_t seed, std::size_t rank,
                const std::vector<AugmentationStep>& augment)
      : sampler_(partition, order, seed, rank), augment_(augment), seed_(seed), rank_(rank) {}

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
  /// How they are varied; empty where they are taken as they are.
  std::span<const Variation> variations() const { return variations_; }

 private:
  Sampler sampler_;
  std::optional<std::vector<Sample>> told_;  // to be drawn from instead
  std::size_t told_drawn_ = 0;
  std::vector<Sample> drawn_;
  const std::vector<AugmentationStep>& augment_;
  std::uint64_t seed_;
  std::size_t rank_;
  std::uint64_t varied_ = 0;  // how many samples were drawn and varied
  std::vector<Variation> variations_;
};

}  // namespace motley
