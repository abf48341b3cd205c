#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/model_spec.hpp"

namespace motley {

struct QuadraticSpec final : ModelSpec {
  std::size_t dimension = 0;
  double smoothness = 0;        ///< largest eigenvalue L
  double strong_convexity = 0;  ///< smallest eigenvalue
  double noise = 0;             ///< standard deviation of one sample's gradient
  std::size_t samples = 0;      ///< how many make an epoch
  SampleOrder drawn = SampleOrder::shuffled;
  std::optional<std::size_t> optima;      ///< how many different ones; one when absent
  std::optional<double> optima_distance;  ///< of the outermost from their mean

  static Fields<QuadraticSpec> fields();
  void check(const Place& place) const;
  void check_workers(std::size_t workers, const Place& place) const override;
  std::unique_ptr<Problem> make(const Dataset* data, std::uint64_t seed) const override;
  std::string why_no_data() const override { return "the quadratic model makes its own data"; }
  bool has_accuracy() const override { return false; }
  SampleOrder order() const override { return drawn; }
  bool has_different_workers() const override { return optima.value_or(1) > 1; }
};

/// f(x) = 1/2 (x-x*)^T A (x-x*) with x* all ones and A diagonal, whose eigenvalues rise from
/// strong_convexity to smoothness: by a constant factor, or by constant steps when strong_convexity
/// is 0. (In one dimension the eigenvalue is the smoothness.)
///
/// Sample j has the loss f(x) + n_j . (x-x*), so the gradient A(x-x*) + n_j, where every coordinate
/// of n_j is +-noise/sqrt(dimension) and n_{2k+1} = -n_{2k}: each sample's noise has norm `noise`,
/// and an epoch's mean gradient is the exact one. For this `samples` must be even, which
/// QuadraticSpec::check sees to.
///
/// With k different optima the samples are of k kinds, in blocks of equal size. A sample of kind j has the
/// optimum x* + a_j 1/sqrt(dimension) in the place of x*, where a_0, ..., a_{k-1} go in equal steps from
/// -distance to distance: their mean is 0, so f is what it was, up to a constant.
class Quadratic final : public Problem {
 public:
  Quadratic(const QuadraticSpec& spec, std::uint64_t seed);

  std::size_t dimension() const override { return eigenvalues_.size(); }
  /// One; per coordinate a multiply-add for A(x-x*) and one for the noise.
  std::vector<Layer> layers() const override {
    const auto d = static_cast<double>(dimension());
    return {{dimension(), 2 * d, 2 * d}};
  }
  std::size_t train_size() const override { return samples_; }
  std::size_t test_size() const override { return 1; }
  bool has_accuracy() const override { return false; }

  std::unique_ptr<Workspace> make_workspace() const override;
  /// All zero, whatever the seed.
  void initial_model(std::uint64_t seed, std::span<float> x) const override;
  double gradient(std::span<const float> x, std::span<const Sample> samples, std::span<float> g,
                  Workspace& workspace) const override;
  /// f(x) itself, without noise.
  EvaluationSum evaluate(std::span<const float> x, std::size_t begin, std::size_t end,
                         Workspace& workspace) const override;

  std::span<const double> eigenvalues() const { return eigenvalues_; }
  /// The kind of every sample; empty when there is one.
  std::vector<std::uint16_t> kinds() const override;
  /// What theory needs, exactly.
  std::optional<ProblemConstants> constants() const override;

 private:
  /// Of every coordinate of its optimum.
  double shift(Sample sample) const;
  double loss(std::span<const float> x, Sample sample) const;
  void add_signs(Sample sample, std::span<std::int32_t> sums) const;

  std::vector<double> eigenvalues_;
  double noise_;  // of one coordinate
  std::size_t samples_;
  std::vector<double> shifts_;  // by kind
  std::uint64_t seed_;
};

}  // namespace motley
