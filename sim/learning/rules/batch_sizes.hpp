#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/json_value.hpp"
#include "sim/scenario/fields.hpp"

namespace motley {

/// How many samples one gradient of a worker has: the same for everybody, or by class of workers,
/// {"a100": 128, "t4": 16}. A type of fields: what is written is read here, whom it means is found out
/// when the run's workers are known.
class BatchSizes {
 public:
  /// How the key "batch_size" is described.
  static FieldInfo field();
  static BatchSizes read(const Json& value, const Place& place);
  static JsonValue schema();

  /// Gives every worker that of its class, from the class of each by rank. InputError at `place` when
  /// a class has none.
  void hand_out(const std::vector<std::string>& class_of, const Place& place);
  /// By class as it was written; empty when it was one number.
  const std::vector<std::pair<std::string, std::size_t>>& by_class() const { return by_class_; }

  // After hand_out():

  /// Of a worker, by its rank.
  std::size_t operator[](std::size_t rank) const {
    return by_rank_.empty() ? everybody_ : by_rank_[rank];
  }
  /// Of one gradient of each worker, together.
  std::size_t sum() const { return sum_; }
  /// Of each worker.
  std::vector<std::size_t> by_rank() const;
  std::size_t largest() const;
  bool are_equal() const { return by_rank_.empty(); }
  /// What a worker's gradient weighs in a mean over all samples; 1 when all are equal.
  double weight(std::size_t rank) const {
    return are_equal() ? 1 : static_cast<double>(by_rank_[rank]);
  }
  /// Gradients per second in place of samples or flops per second, up to a factor that is the same for
  /// everybody: as they are when all batches are equal.
  std::vector<double> step_rates(std::span<const double> speeds) const;

 private:
  std::vector<std::pair<std::string, std::size_t>> by_class_;
  std::size_t everybody_ = 0;
  std::vector<std::size_t> by_rank_;  // empty: all are equal
  std::size_t workers_ = 0;
  std::size_t sum_ = 0;
};

}  // namespace motley
