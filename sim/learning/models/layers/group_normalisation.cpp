#include "sim/learning/models/layers/group_normalisation.hpp"

#include <algorithm>
#include <cmath>

namespace motley {
namespace {

/// Keeps an image of one colour finite.
constexpr double normalisation_epsilon = 1e-5;

/// The sum of f(i) over the pixels of a block of channels; four sums at once are faster.
template <class S, class F>
[[gnu::always_inline]] inline Lanes<S> sum_of_pixels(std::size_t pixels, const F& f) {
  Lanes<S> a{}, b{}, c{}, d{};
  std::size_t p = 0;
  for (; p + 4 <= pixels; p += 4) {
    a += f(p * channel_block);
    b += f((p + 1) * channel_block);
    c += f((p + 2) * channel_block);
    d += f((p + 3) * channel_block);
  }
  for (; p < pixels; ++p) a += f(p * channel_block);
  return (a + b) + (c + d);
}

}  // namespace

void GroupNormalisation::initialise(RandomStream&, std::span<float> x) const {
  std::ranges::fill(x.first(planes_.shape.channels), 1.0F);
}

template <class S>
GroupNormalisation::Run<S>::Run(const Planes& planes, std::size_t groups, bool rectified,
                                std::size_t count)
    : planes_(planes),
      groups_(groups),
      rectified_(rectified),
      count_(count),
      output_(count * planes.size()),
      means_(count * groups),
      inverse_deviations_(count * groups),
      sums_(planes.groups() * planes.block),
      products_(sums_.size()),
      mean_of_(sums_.size()),
      factor_(sums_.size()),
      delta_factor_(sums_.size()),
      constant_(sums_.size()),
      gamma_sums_(sums_.size()),
      beta_sums_(sums_.size()) {}

template <class S>
template <class F>
void GroupNormalisation::Run<S>::for_channels_of(std::size_t group, const F& f) const {
  const std::size_t size = planes_.shape.channels / groups_;
  for (std::size_t c = group * size; c < (group + 1) * size; ++c) f(c);
}

template <class S>
void GroupNormalisation::Run<S>::find_moments(const S* image, S* mean, S* inverse_deviation) {
  const std::size_t pixels = planes_.pixels();
  const std::size_t of_group = planes_.shape.channels / groups_;
  const auto numbers = static_cast<S>(of_group * pixels);
  for (std::size_t c = 0; c < sums_.size(); c += channel_block) {
    const S* from = image + c * pixels;
    store_lanes(sums_.data() + c,
                sum_of_pixels<S>(pixels, [&](std::size_t i) { return load_lanes(from + i); }));
  }
  for (std::size_t group = 0; group < groups_; ++group) {
    S sum = 0;
    for_channels_of(group, [&](std::size_t c) { sum += sums_.data()[c]; });
    mean[group] = sum / numbers;
    for_channels_of(group, [&](std::size_t c) { mean_of_.data()[c] = mean[group]; });
  }
  for (std::size_t c = 0; c < sums_.size(); c += channel_block) {
    const S* from = image + c * pixels;
    const Lanes<S> center = load_lanes(mean_of_.data() + c);
    store_lanes(sums_.data() + c, sum_of_pixels<S>(pixels, [&](std::size_t i) {
                  const Lanes<S> distance = load_lanes(from + i) - center;
                  return Lanes<S>(distance * distance);
                }));
  }
  for (std::size_t group = 0; group < groups_; ++group) {
    S sum = 0;
    for_channels_of(group, [&](std::size_t c) { sum += sums_.data()[c]; });
    inverse_deviation[group] = 1 / std::sqrt(sum / numbers + static_cast<S>(normalisation_epsilon));
  }
}

template <class S>
const S* GroupNormalisation::Run<S>::forward_adding(const S* input, const S* addend) {
  const std::size_t pixels = planes_.pixels();
  const S* gamma = x_;
  const S* beta = x_ + planes_.shape.channels;
  for (std::size_t image = 0; image < count_; ++image) {
    S* mean = means_.data() + image * groups_;
    S* inverse_deviation = inverse_deviations_.data() + image * groups_;
    find_moments(input + image * planes_.size(), mean, inverse_deviation);
    for (std::size_t group = 0; group < groups_; ++group) {
      for_channels_of(group, [&](std::size_t c) {
        factor_.data()[c] = gamma[c] * inverse_deviation[group];
        constant_.data()[c] = beta[c] - mean[group] * factor_.data()[c];
      });
    }
    for (std::size_t c = 0; c < sums_.size(); c += channel_block) {
      const std::size_t begin = image * planes_.size() + c * pixels;
      const Lanes<S> factor = load_lanes(factor_.data() + c);
      const Lanes<S> constant = load_lanes(constant_.data() + c);
      const Lanes<S> zero{};
      const auto pass = [&](const auto& finish) {
        for (std::size_t i = begin; i < begin + pixels * channel_block; i += channel_block) {
          store_lanes(output_.data() + i, finish(factor * load_lanes(input + i) + constant, i));
        }
      };
      const auto rectified = [&](const Lanes<S>& y) { return y < zero ? zero : y; };
      if (addend != nullptr && rectified_) {
        pass([&](const Lanes<S>& y, std::size_t i) {
          return rectified(Lanes<S>(y + load_lanes(addend + i)));
        });
      } else if (addend != nullptr) {
        pass(
            [&](const Lanes<S>& y, std::size_t i) { return Lanes<S>(y + load_lanes(addend + i)); });
      } else if (rectified_) {
        pass([&](const Lanes<S>& y, std::size_t) { return rectified(y); });
      } else {
        pass([](const Lanes<S>& y, std::size_t) { return y; });
      }
    }
  }
  return output_.data();
}

template <class S>
S* GroupNormalisation::Run<S>::backward_adding(const S* input, S* delta, S* addend_delta,
                                               const GradientSum<S>& sum) {
  const std::size_t pixels = planes_.pixels();
  const std::size_t channels = planes_.shape.channels;
  const std::size_t of_group = channels / groups_;
  const auto numbers = static_cast<S>(of_group * pixels);
  const S* gamma = x_;
  std::fill_n(gamma_sums_.data(), gamma_sums_.size(), S{0});
  std::fill_n(beta_sums_.data(), beta_sums_.size(), S{0});
  for (std::size_t image = 0; image < count_; ++image) {
    const S* mean = means_.data() + image * groups_;
    const S* inverse_deviation = inverse_deviations_.data() + image * groups_;
    for (std::size_t group = 0; group < groups_; ++group) {
      for_channels_of(group, [&](std::size_t c) { mean_of_.data()[c] = mean[group]; });
    }
    // Sums of the gradient and of its products with the numbers, where the rectifier was on.
    for (std::size_t c = 0; c < sums_.size(); c += channel_block) {
      const std::size_t begin = image * planes_.size() + c * pixels;
      const Lanes<S> center = load_lanes(mean_of_.data() + c);
      const Lanes<S> zero{};
      Lanes<S> products{};
      const Lanes<S> sums = sum_of_pixels<S>(pixels, [&](std::size_t at) {
        const std::size_t i = begin + at;
        Lanes<S> d = load_lanes(delta + i);
        if (rectified_) d = load_lanes(output_.data() + i) == zero ? zero : d;
        store_lanes(addend_delta + i, d);
        products += d * (load_lanes(input + i) - center);
        return d;
      });
      store_lanes(sums_.data() + c, sums);
      store_lanes(products_.data() + c, products);
    }
    for (std::size_t group = 0; group < groups_; ++group) {
      const S inverse = inverse_deviation[group];
      S all = 0;
      S along = 0;  // in the direction of the normalised numbers
      for_channels_of(group, [&](std::size_t c) {
        const S own = products_.data()[c] * inverse;
        gamma_sums_.data()[c] += own;
        beta_sums_.data()[c] += sums_.data()[c];
        all += gamma[c] * sums_.data()[c];
        along += gamma[c] * own;
      });
      const S slope = inverse * inverse * along / numbers;
      for_channels_of(group, [&](std::size_t c) {
        delta_factor_.data()[c] = gamma[c] * inverse;
        factor_.data()[c] = -slope;
        constant_.data()[c] = slope * mean[group] - inverse * all / numbers;
      });
    }
    for (std::size_t c = 0; c < sums_.size(); c += channel_block) {
      const std::size_t begin = image * planes_.size() + c * pixels;
      const Lanes<S> delta_factor = load_lanes(delta_factor_.data() + c);
      const Lanes<S> factor = load_lanes(factor_.data() + c);
      const Lanes<S> constant = load_lanes(constant_.data() + c);
      for (std::size_t i = begin; i < begin + pixels * channel_block; i += channel_block) {
        store_lanes(delta + i, Lanes<S>(delta_factor * load_lanes(addend_delta + i) +
                                        (factor * load_lanes(input + i) + constant)));
      }
    }
  }
  for (std::size_t c = 0; c < channels; ++c) {
    sum.g[c] = sum.start(c) + gamma_sums_.data()[c];
    sum.g[channels + c] = sum.start(channels + c) + beta_sums_.data()[c];
  }
  return delta;
}

template class GroupNormalisation::Run<float>;
template class GroupNormalisation::Run<double>;

std::unique_ptr<LayerRun<float>> GroupNormalisation::in_float(const RunOptions& options) const {
  return std::make_unique<Run<float>>(planes_, groups_, rectified_, options.count);
}

std::unique_ptr<LayerRun<double>> GroupNormalisation::in_double(const RunOptions& options) const {
  return std::make_unique<Run<double>>(planes_, groups_, rectified_, options.count);
}

}  // namespace motley
