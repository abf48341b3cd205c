#include "sim/learning/models/quadratic.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/json.hpp"
#include "sim/base/random.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/catalog.hpp"

namespace motley {
namespace {

struct Memory final : Workspace {
  explicit Memory(std::size_t dimension) : sign_sums(dimension) {}
  std::vector<std::int32_t> sign_sums;
};

}  // namespace

Fields<QuadraticSpec> QuadraticSpec::fields() {
  Fields<QuadraticSpec> f;
  f.add({.name = "dimension",
         .doc = "number of parameters",
         .fallback = 100,
         .minimum = 1,
         .maximum = 1e8},
        &QuadraticSpec::dimension);
  f.add({.name = "smoothness",
         .doc = "largest eigenvalue L",
         .fallback = 1.0,
         .minimum = 0,
         .above_minimum = true},
        &QuadraticSpec::smoothness);
  f.add({.name = "strong_convexity", .doc = "smallest eigenvalue", .fallback = 0.01, .minimum = 0},
        &QuadraticSpec::strong_convexity);
  f.add({.name = "noise",
         .doc = "standard deviation (norm) of the gradient noise of one sample",
         .fallback = 1.0,
         .minimum = 0},
        &QuadraticSpec::noise);
  f.add({.name = "samples",
         .doc = "how many samples make an epoch; even, so that the noise cancels over all of them",
         .fallback = 10000,
         .minimum = 2},
        &QuadraticSpec::samples);
  FieldInfo order = sample_order_field();
  order.doc += "; theory's noise is independent, shuffled passes cancel part of it";
  f.add(order, &QuadraticSpec::drawn);
  f.add({.name = "optima",
         .doc = "how many different optima the workers have, in equal numbers: their data differ. "
                "One when "
                "absent",
         .minimum = 1,
         .maximum = 65535},
        &QuadraticSpec::optima);
  f.add(
      {.name = "optima_distance",
       .doc = "of the outermost of different optima from their mean, which is the optimum of all; "
              "they lie on a line, in equal steps. 1 when absent",
       .minimum = 0},
      &QuadraticSpec::optima_distance);
  return f;
}

void QuadraticSpec::check(const Place& place) const {
  if (samples % 2 != 0) throw InputError(place / "samples", "must be even", Json(samples));
  if (strong_convexity > smoothness) {
    throw InputError(place / "strong_convexity", "must be at most the smoothness",
                     Json(strong_convexity));
  }
}

void QuadraticSpec::check_workers(std::size_t workers, const Place& place) const {
  if (!has_different_workers()) return;
  if (workers % *optima != 0) {
    throw InputError(place / "optima",
                     "must divide the number of workers, " + std::to_string(workers), *optima);
  }
  if (samples % (2 * workers) != 0) {
    throw InputError(place / "samples",
                     "must be a multiple of twice the number of workers, " +
                         std::to_string(workers) + ", when their optima differ",
                     samples);
  }
}

std::unique_ptr<Problem> QuadraticSpec::make(const Dataset*, std::uint64_t seed) const {
  return std::make_unique<Quadratic>(*this, seed);
}

ModelKind quadratic_model() {
  return describe_kind<ModelSpec, QuadraticSpec>("quadratic",
                                                 "synthetic, for checks against theory");
}

Quadratic::Quadratic(const QuadraticSpec& spec, std::uint64_t seed)
    : eigenvalues_(spec.dimension),
      noise_(spec.noise / std::sqrt(static_cast<double>(spec.dimension))),
      samples_(spec.samples),
      shifts_(spec.optima.value_or(1), 0.0),
      seed_(seed) {
  for (std::size_t kind = 0; shifts_.size() > 1 && kind < shifts_.size(); ++kind) {
    const double part = static_cast<double>(kind) / static_cast<double>(shifts_.size() - 1);
    shifts_[kind] = (2 * part - 1) * spec.optima_distance.value_or(1) /
                    std::sqrt(static_cast<double>(spec.dimension));
  }
  const double low = spec.strong_convexity;
  const double high = spec.smoothness;
  for (std::size_t i = 0; i + 1 < spec.dimension; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(spec.dimension - 1);
    eigenvalues_[i] = low > 0 ? low * std::pow(high / low, part) : high * part;
  }
  eigenvalues_.back() = high;
}

std::unique_ptr<Workspace> Quadratic::make_workspace() const {
  return std::make_unique<Memory>(dimension());
}

void Quadratic::initial_model(std::uint64_t, std::span<float> x) const {
  std::fill(x.begin(), x.end(), 0.0F);
}

void Quadratic::add_signs(Sample sample, std::span<std::int32_t> sums) const {
  constexpr std::size_t bits = 32;
  RandomStream random(seed_, Purpose::quadratic_noise, sample / 2);
  const std::uint32_t flip = sample % 2 == 0 ? 0 : ~std::uint32_t{0};
  for (std::size_t i = 0; i < sums.size(); i += bits) {
    const std::uint32_t word = random() ^ flip;
    const std::size_t count = std::min(bits, sums.size() - i);
    for (std::size_t bit = 0; bit < count; ++bit) {
      sums[i + bit] += 1 - 2 * static_cast<std::int32_t>((word >> bit) & 1U);
    }
  }
}

double Quadratic::shift(Sample sample) const {
  return shifts_[sample * shifts_.size() / samples_];
}

std::vector<std::uint16_t> Quadratic::kinds() const {
  std::vector<std::uint16_t> kinds;
  for (std::size_t s = 0; shifts_.size() > 1 && s < samples_; ++s) {
    kinds.push_back(static_cast<std::uint16_t>(s * shifts_.size() / samples_));
  }
  return kinds;
}

std::optional<ProblemConstants> Quadratic::constants() const {
  double gap = 0;  // from x = 0
  for (const double eigenvalue : eigenvalues_) gap += eigenvalue / 2;
  return ProblemConstants{eigenvalues_.back(), gap,
                          noise_ * noise_ * static_cast<double>(dimension())};
}

double Quadratic::loss(std::span<const float> x, Sample sample) const {
  std::vector<std::int32_t> signs(x.size(), 0);
  add_signs(sample, signs);
  double loss = 0;
  const double own_shift = shift(sample);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = static_cast<double>(x[i]) - 1;
    loss += (eigenvalues_[i] / 2 * error + noise_ * signs[i]) * error;
    loss -= eigenvalues_[i] * own_shift * (error - own_shift / 2);
  }
  return loss;
}

double Quadratic::gradient(std::span<const float> x, std::span<const Sample> samples,
                           std::span<float> g, Workspace& workspace) const {
  // Signs are added as integers, so that a sample and its mirror image cancel exactly.
  std::vector<std::int32_t>& signs = dynamic_cast<Memory&>(workspace).sign_sums;
  std::fill(signs.begin(), signs.end(), 0);
  if (noise_ != 0) {
    for (const Sample sample : samples) add_signs(sample, signs);
  }
  for (std::size_t s = 0; s < workspace.sample_losses.size(); ++s) {
    workspace.sample_losses[s] = static_cast<float>(loss(x, samples[s]));
  }
  const double noise = noise_ / static_cast<double>(samples.size());
  double moved = 0;  // the mean of the samples' shifts
  for (std::size_t s = 0; shifts_.size() > 1 && s < samples.size(); ++s) {
    moved += shift(samples[s]) / static_cast<double>(samples.size());
  }
  double objective = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = static_cast<double>(x[i]) - 1;
    const double exact = eigenvalues_[i] * (error - moved);
    const double noisy = noise * signs[i];
    // Rounded before it is added, whatever the compiler would fuse.
    objective += std::fma(exact / 2 + noisy, error, -exact / 2 * moved);
    g[i] = static_cast<float>(exact + noisy);
  }
  return objective;
}

EvaluationSum Quadratic::evaluate(std::span<const float> x, std::size_t begin, std::size_t end,
                                  Workspace&) const {
  EvaluationSum sum;
  if (begin == end) return sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = static_cast<double>(x[i]) - 1;
    sum.loss += eigenvalues_[i] / 2 * error * error;
  }
  return sum;
}

}  // namespace motley
