/// Every layer by itself: what it computes, and that its gradient is the one of what it computes.
#include <cmath>
#include <limits>
#include <memory>

#include "sim/learning/models/layers/convolution.hpp"
#include "sim/learning/models/layers/dense.hpp"
#include "sim/learning/models/layers/global_average_pooling.hpp"
#include "sim/learning/models/layers/group_normalisation.hpp"
#include "sim/learning/models/layers/max_pooling.hpp"
#include "sim/learning/models/layers/residual_block.hpp"
#include "tests/catch.hpp"

using namespace motley;

namespace {

double uniform(RandomStream& random) {
  return 2 * static_cast<double>(random()) / 4294967296.0 - 1;
}

/// Where the numbers of a block of images are, without those that only fill up channels.
std::vector<std::size_t> places(const Planes& planes, std::size_t count) {
  std::vector<std::size_t> all;
  for (std::size_t image = 0; image < count; ++image)
    for (std::size_t c = 0; c < planes.shape.channels; ++c)
      for (std::size_t y = 0; y < planes.shape.height; ++y)
        for (std::size_t x = 0; x < planes.shape.width; ++x)
          all.push_back(image * planes.size() + planes.at(c, y, x));
  return all;
}

Buffer<double> random_images(const Planes& planes, std::size_t count, RandomStream& random) {
  Buffer<double> images(count * planes.size());
  for (const std::size_t i : places(planes, count)) images.data()[i] = uniform(random);
  return images;
}

/// Images whose numbers are given channel by channel.
template <class S>
Buffer<S> images_of(const Planes& planes, const std::vector<S>& numbers) {
  Buffer<S> images(planes.size() * (numbers.size() / planes.shape.size()));
  const std::vector<std::size_t> all = places(planes, numbers.size() / planes.shape.size());
  for (std::size_t i = 0; i < all.size(); ++i) images.data()[all[i]] = numbers[i];
  return images;
}

template <class S>
std::vector<S> numbers_of(const Planes& planes, const S* images, std::size_t count) {
  std::vector<S> numbers;
  for (const std::size_t i : places(planes, count)) numbers.push_back(images[i]);
  return numbers;
}

/// The weighted sum of a layer's outputs, whose gradient backward() must give.
struct Weighted {
  const NetworkLayer& layer;
  Planes input;
  std::size_t count;
  Buffer<double> weights;

  double operator()(const std::vector<double>& x, const Buffer<double>& images) const {
    const auto run = layer.in_double({.count = count});
    run->load(x.data());
    const double* output = run->forward(images.data());
    double sum = 0;
    for (const std::size_t i : places(layer.output(), count)) sum += weights.data()[i] * output[i];
    return sum;
  }
};

/// Compares with central differences, whose error is of the order of 1e-10 here.
void check_gradient(const NetworkLayer& layer, const Planes& input, std::size_t count) {
  RandomStream random(17, Purpose::initial_model);
  std::vector<double> x(layer.parameters());
  for (double& value : x) value = uniform(random);
  Buffer<double> images = random_images(input, count, random);
  const Weighted f{layer, input, count, random_images(layer.output(), count, random)};

  const std::size_t most = std::max(input.size(), layer.output().size());
  Buffer<double> delta(count * most);
  Buffer<double> spare(count * most);
  // What is not overwritten would show.
  std::fill_n(spare.data(), spare.size(), std::numeric_limits<double>::quiet_NaN());
  std::copy_n(f.weights.data(), f.weights.size(), delta.data());
  std::vector<double> g(x.size(), std::numeric_limits<double>::quiet_NaN());
  const auto run = layer.in_double({.count = count});
  run->load(x.data());
  run->forward(images.data());
  const double* input_delta =
      run->backward(images.data(), delta.data(), spare.data(), {0.5, x.data(), g.data()});

  const double h = 1e-5;
  const auto slope = [&](double& value) {
    const double before = value;
    value = before + h;
    const double above = f(x, images);
    value = before - h;
    const double below = f(x, images);
    value = before;
    return (above - below) / (2 * h);
  };
  const std::size_t step = x.size() / 60 + 1;
  for (std::size_t i = 0; i < x.size(); i += step) {
    CAPTURE(i);
    CHECK(g[i] == Approx(0.5 * x[i] + slope(x[i])).epsilon(1e-6).margin(1e-7));
  }
  const std::vector<std::size_t> all = places(input, count);
  for (std::size_t i = 0; i < all.size(); i += all.size() / 60 + 1) {
    CAPTURE(i);
    CHECK(input_delta[all[i]] == Approx(slope(images.data()[all[i]])).epsilon(1e-6).margin(1e-7));
  }
  // Channels that only fill up have no gradient, or the layer below would see one.
  std::vector<bool> is_real(count * input.size());
  for (const std::size_t i : all) is_real[i] = true;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < is_real.size(); ++i) wrong += !is_real[i] && input_delta[i] != 0;
  CHECK(wrong == 0);
}

const Planes flat_2x5x7{{2, 5, 7}, 1};
const Planes few_5x6x6{{5, 6, 6}};
const Planes many_19x6x4{{19, 6, 4}};

}  // namespace

TEST_CASE("a convolution is the sum over its window, with zeros around the image") {
  // 1 2 3       1 2      The window's top left goes over all pixels; an even kernel has its row
  // 4 5 6  with 3 4      of zeros below and on the right.
  // 7 8 9
  const Planes image{{1, 3, 3}, 1};
  const std::vector<double> parameters{1, 2, 3, 4, 0.5};
  Buffer<double> images = images_of<double>(image, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  SECTION("every pixel") {
    const Convolution layer(image, {1, 2, 1, true, false});
    const auto run = layer.in_double({.count = 1});
    run->load(parameters.data());
    const double* output = run->forward(images.data());
    // 1 + 2*2 + 3*4 + 4*5 = 37, 2 + 2*3 + 3*5 + 4*6 = 47, 3 + 3*6 = 21, ..., 9, and the bias
    CHECK(numbers_of(layer.output(), output, 1) ==
          std::vector<double>{37.5, 47.5, 21.5, 67.5, 77.5, 33.5, 23.5, 26.5, 9.5});
  }
  SECTION("every second pixel") {
    const Convolution layer(image, {1, 2, 2, true, false});
    const auto run = layer.in_double({.count = 1});
    run->load(parameters.data());
    const double* output = run->forward(images.data());
    CHECK(numbers_of(layer.output(), output, 1) == std::vector<double>{37.5, 21.5, 23.5, 9.5});
  }
  SECTION("its gradients") {
    const Convolution layer(image, {1, 2, 2, true, false});
    const auto run = layer.in_double({.count = 1});
    run->load(parameters.data());
    run->forward(images.data());
    Buffer<double> delta = images_of<double>(layer.output(), {1, 10, 100, 1000});
    Buffer<double> spare(image.size());
    std::vector<double> g(5);
    const double* below =
        run->backward(images.data(), delta.data(), spare.data(), {0, nullptr, g.data()});
    // weight (0,0) meets 1, 3, 7, 9; (0,1) meets 2, -, 8, -; (1,0) 4, 6, -, -; (1,1) 5, -, -, -
    CHECK(g == std::vector<double>{1 + 30 + 700 + 9000, 2 + 800, 4 + 60, 5, 1111});
    CHECK(numbers_of(image, below, 1) == std::vector<double>{1, 2, 10, 3, 4, 30, 100, 200, 1000});
  }
}

TEST_CASE("a convolution adds up its input channels, and has weights for every pair of channels") {
  const Planes image{{2, 1, 1}, 1};
  const Convolution layer(image, {3, 1, 1, false, false});
  CHECK(layer.parameters() == 6);
  const std::vector<double> weights{1, 10, 2, 20, -3, 30};
  const Buffer<double> images = images_of<double>(image, {5, 7});
  const auto run = layer.in_double({.count = 1});
  run->load(weights.data());
  const double* output = run->forward(images.data());
  CHECK(numbers_of(layer.output(), output, 1) == std::vector<double>{75, 150, 195});
}

TEST_CASE("the gradient of every layer is the finite difference of its output, in double") {
  SECTION("convolution") {
    for (const Planes& input : {flat_2x5x7, few_5x6x6, many_19x6x4}) {
      for (const std::size_t kernel : {1, 2, 3, 4}) {
        for (const std::size_t stride : {1, 2, 3}) {
          CAPTURE(input.shape.channels, kernel, stride);
          check_gradient(Convolution(input, {11, kernel, stride, true, true}), input, 2);
        }
      }
    }
    check_gradient(Convolution(few_5x6x6, {3, 3, 1, false, false}), few_5x6x6, 3);
  }
  SECTION("dense") {
    for (const Planes& input : {flat_2x5x7, few_5x6x6, many_19x6x4, Planes{{13, 1, 1}}}) {
      check_gradient(Dense(input, 9, true), input, 3);
      check_gradient(Dense(input, 1, false), input, 1);
    }
  }
  SECTION("max pooling") {
    check_gradient(MaxPooling(few_5x6x6, 2), few_5x6x6, 2);
    check_gradient(MaxPooling(few_5x6x6, 3), few_5x6x6, 1);
    check_gradient(MaxPooling(Planes{{2, 4, 6}, 1}, 2), Planes{{2, 4, 6}, 1}, 2);
  }
  SECTION("global average pooling") {
    check_gradient(GlobalAveragePooling(many_19x6x4), many_19x6x4, 2);
  }
  SECTION("group normalisation") {
    const Planes planes{{12, 5, 3}};
    for (const std::size_t groups : {1, 2, 3, 4, 6, 12}) {
      for (const bool rectified : {false, true}) {
        CAPTURE(groups, rectified);
        check_gradient(GroupNormalisation(planes, groups, rectified), planes, 2);
      }
    }
  }
  SECTION("residual block") {
    const Planes planes{{6, 5, 7}};
    check_gradient(ResidualBlock(planes, 6, 1, 3), planes, 2);
    check_gradient(ResidualBlock(planes, 12, 2, 3), planes, 2);
    check_gradient(ResidualBlock(planes, 20, 2, 2), planes, 1);
  }
}

TEST_CASE("max pooling takes the largest, and its gradient goes to the first of equal ones") {
  const Planes image{{1, 2, 4}};
  const MaxPooling layer(image, 2);
  // 1 4 | 0 7
  // 4 3 | 7 7
  const Buffer<double> images = images_of<double>(image, {1, 4, 0, 7, 4, 3, 7, 7});
  const auto run = layer.in_double({.count = 1});
  CHECK(numbers_of(layer.output(), run->forward(images.data()), 1) == std::vector<double>{4, 7});
  Buffer<double> delta = images_of<double>(layer.output(), {10, 100});
  Buffer<double> spare(image.size());
  const double* below = run->backward(images.data(), delta.data(), spare.data(), {});
  CHECK(numbers_of(image, below, 1) == std::vector<double>{0, 10, 0, 100, 0, 0, 0, 0});
}

TEST_CASE("a group is normalised to mean 0 and variance 1, then stretched and moved per channel") {
  const Planes image{{4, 1, 2}};
  const GroupNormalisation layer(image, 2, false);
  // Channels 0 and 1: mean 3, variance ((-3)^2 + (-1)^2 + 1^2 + 3^2) / 4 = 5; 2 and 3: 0 and 4.
  const Buffer<double> images = images_of<double>(image, {0, 2, 4, 6, -2, 2, 2, -2});
  const std::vector<double> parameters{1, 10, 1, 2, 0, 100, 0, 3};
  const auto run = layer.in_double({.count = 1});
  run->load(parameters.data());
  const std::vector<double> y = numbers_of(image, run->forward(images.data()), 1);
  const double a = 1 / std::sqrt(5 + 1e-5);
  const double b = 1 / std::sqrt(4 + 1e-5);
  const std::vector<double> expected{-3 * a, -1 * a, 100 + 10 * a, 100 + 30 * a,
                                     -2 * b, 2 * b,  3 + 4 * b,    3 - 4 * b};
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == Approx(expected[i]).epsilon(1e-14));
}

TEST_CASE("a residual block whose branch is nothing passes its input on, rectified") {
  const Planes image{{2, 2, 2}};
  const std::vector<double> numbers{1, -2, 3, 4, 5, 6, -7, 8};
  const Buffer<double> images = images_of<double>(image, numbers);
  SECTION("of the same size") {
    const ResidualBlock layer(image, 2, 1, 1);
    const std::vector<double> zeros(layer.parameters());
    const auto run = layer.in_double({.count = 1});
    run->load(zeros.data());
    CHECK(numbers_of(layer.output(), run->forward(images.data()), 1) ==
          std::vector<double>{1, 0, 3, 4, 5, 6, 0, 8});
  }
  SECTION("of half the size: every second pixel, and channels of zeros") {
    const ResidualBlock layer(image, 4, 2, 1);
    const std::vector<double> zeros(layer.parameters());
    const auto run = layer.in_double({.count = 1});
    run->load(zeros.data());
    CHECK(numbers_of(layer.output(), run->forward(images.data()), 1) ==
          std::vector<double>{1, 5, 0, 0});
  }
}

TEST_CASE("the convolutions that are used are those of the plain loops in double") {
  convolve_in_this_thread();
  struct Case {
    Planes input;
    ConvolutionOptions options;
    std::size_t count;
  };
  const std::vector<Case> cases = {
      {{{1, 28, 28}, 1}, {16, 5}, 8},       {{{3, 32, 32}, 1}, {16, 3, 1, false}, 4},
      {{{16, 14, 14}}, {32, 5}, 3},         {{{16, 8, 8}}, {32, 3, 2, false}, 2},
      {{{32, 9, 7}}, {32, 3, 1, false}, 1}, {{{5, 7, 9}}, {3, 4}, 2},
      {{{2, 11, 6}, 1}, {10, 2, 3}, 5},     {{{20, 6, 6}}, {24, 1}, 2},
      {{{12, 5, 5}, 1}, {8, 3}, 2},         {{{8, 1, 1}}, {8, 1}, 1}};
  for (const Case& c : cases) {
    CAPTURE(c.input.shape.channels, c.input.shape.height, c.options.kernel, c.options.stride);
    ConvolutionOptions options = c.options;
    options.rectified = false;
    const Convolution layer(c.input, options);
    RandomStream random(5, Purpose::initial_model);
    std::vector<double> x(layer.parameters());
    for (double& value : x) value = uniform(random);
    Buffer<double> images = random_images(c.input, c.count, random);
    Buffer<double> weights = random_images(layer.output(), c.count, random);
    const std::size_t most = c.count * std::max(c.input.size(), layer.output().size());

    // All numbers are exact in float only if they come from there.
    const auto rounded = [](Buffer<double>& buffer) {
      Buffer<float> floats(buffer.size());
      for (std::size_t i = 0; i < buffer.size(); ++i) {
        floats.data()[i] = static_cast<float>(buffer.data()[i]);
        buffer.data()[i] = static_cast<double>(floats.data()[i]);
      }
      return floats;
    };
    const Buffer<float> float_images = rounded(images);
    const Buffer<float> float_weights = rounded(weights);
    std::vector<float> float_x(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      float_x[i] = static_cast<float>(x[i]);
      x[i] = static_cast<double>(float_x[i]);
    }

    const auto exact = layer.in_double({.count = c.count});
    Buffer<double> delta(most), spare(most);
    std::vector<double> g(x.size());
    exact->load(x.data());
    const std::vector<double> y =
        numbers_of(layer.output(), exact->forward(images.data()), c.count);
    std::copy_n(weights.data(), weights.size(), delta.data());
    const double* below =
        exact->backward(images.data(), delta.data(), spare.data(), {0, nullptr, g.data()});
    const std::vector<double> input_delta = numbers_of(c.input, below, c.count);

    for (const bool plain : {false, true}) {
      CAPTURE(plain);
      const auto run = layer.in_float({.count = c.count, .plain_kernels = plain});
      Buffer<float> float_delta(most), float_spare(most);
      std::vector<float> float_g(x.size());
      run->load(float_x.data());
      const std::vector<float> float_y =
          numbers_of(layer.output(), run->forward(float_images.data()), c.count);
      std::copy_n(float_weights.data(), float_weights.size(), float_delta.data());
      const float* float_below = run->backward(float_images.data(), float_delta.data(),
                                               float_spare.data(), {0, nullptr, float_g.data()});
      const std::vector<float> float_input_delta = numbers_of(c.input, float_below, c.count);
      // The largest sums are of thousands of numbers: rounding leaves some 1e-6 of them.
      const auto error = [](const std::vector<float>& found, const std::vector<double>& expected) {
        double worst = 0;
        double largest = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
          worst = std::max(worst, std::abs(static_cast<double>(found[i]) - expected[i]));
          largest = std::max(largest, std::abs(expected[i]));
        }
        return worst / largest;
      };
      CHECK(error(float_y, y) < 1e-5);
      CHECK(error(float_g, g) < 1e-5);
      CHECK(error(float_input_delta, input_delta) < 1e-5);
    }
  }
}

TEST_CASE("what is not a number stays so in every layer") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Planes planes{{8, 4, 4}};
  Buffer<float> images(planes.size());
  std::fill_n(images.data(), images.size(), nan);
  std::vector<std::unique_ptr<NetworkLayer>> layers;
  layers.push_back(std::make_unique<Convolution>(planes, ConvolutionOptions{8, 3}));
  layers.push_back(std::make_unique<Dense>(planes, 3, true));
  layers.push_back(std::make_unique<MaxPooling>(planes, 2));
  layers.push_back(std::make_unique<GlobalAveragePooling>(planes));
  layers.push_back(std::make_unique<GroupNormalisation>(planes, 2, true));
  layers.push_back(std::make_unique<ResidualBlock>(planes, 8, 1, 2));
  convolve_in_this_thread();
  for (const auto& layer : layers) {
    std::vector<float> x(layer->parameters());
    RandomStream random(1, Purpose::initial_model);
    layer->initialise(random, x);
    const auto run = layer->in_float({.count = 1});
    run->load(x.data());
    const float* output = run->forward(images.data());
    for (const std::size_t i : places(layer->output(), 1)) CHECK(std::isnan(output[i]));
  }
}
