#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/learning/data/sample_order.hpp"
#include "sim/learning/models/problem.hpp"

namespace motley {

/// The model a scenario asks for: its kind's keys, and what must be known of it before there is
/// data.
struct ModelSpec {
  virtual ~ModelSpec() = default;

  /// `data` is null if the model takes none; otherwise it must outlive the problem.
  virtual std::unique_ptr<Problem> make(const Dataset* data, std::uint64_t seed) const = 0;
  /// Why there is no "data" with this model; empty when it learns from data.
  virtual std::string why_no_data() const { return ""; }
  /// Whether anything is learnt; see Problem::is_real().
  virtual bool learns() const { return true; }
  virtual bool has_accuracy() const { return true; }
  /// Whether samples are images to it, which may be flipped and moved.
  virtual bool takes_images() const { return false; }
  /// How the samples are drawn that a model without data makes itself.
  virtual SampleOrder order() const { return SampleOrder::shuffled; }
  /// Whether workers get different samples of those that it makes itself; see Problem::kinds().
  virtual bool has_different_workers() const { return false; }
  /// InputError when there cannot be so many workers.
  virtual void check_workers(std::size_t, const Place&) const {}
};

}  // namespace motley
