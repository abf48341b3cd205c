/// Whole models: gradients, evaluation, parameters, flops, mistakes.
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>

#include "sim/base/json.hpp"
#include "sim/learning/data/augmentation.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/catalog.hpp"
#include "sim/learning/models/neural_network.hpp"
#include "tests/catch.hpp"

using namespace motley;

namespace {

double uniform(RandomStream& random) {
  return 2 * static_cast<double>(random()) / 4294967296.0 - 1;
}

Samples random_samples(const ImageShape& shape, std::size_t classes, std::size_t count,
                       RandomStream& random) {
  Samples samples;
  samples.features.resize(static_cast<Eigen::Index>(shape.size()),
                          static_cast<Eigen::Index>(count));
  for (float& value : samples.features.reshaped()) value = static_cast<float>(uniform(random));
  for (std::size_t i = 0; i < count; ++i) {
    samples.labels.push_back(static_cast<std::uint16_t>(random() % classes));
  }
  return samples;
}

Dataset random_images(const ImageShape& shape, std::size_t classes) {
  RandomStream random(7, Purpose::synthetic_data);
  Dataset data;
  data.classes = classes;
  data.shape = shape;
  data.train = random_samples(shape, classes, 100, random);
  data.test = random_samples(shape, classes, 75, random);
  return data;
}

std::unique_ptr<Problem> make(Json model, const Dataset& data) {
  return read_by_kind(model_catalog(), model, {"s.json", "/model"})->make(&data, 1);
}

Json cnn(const Json& layers, double weight_decay = 0) {
  return {{"kind", "cnn"}, {"layers", layers}, {"weight_decay", weight_decay}};
}

Json conv(std::size_t channels, std::size_t kernel) {
  return {{"conv", channels}, {"kernel", kernel}};
}

Json resnet(std::size_t depth, std::size_t width, std::size_t groups) {
  return {{"kind", "resnet"}, {"depth", depth}, {"width", width}, {"groups", groups}};
}

struct Case {
  ImageShape shape;
  Json model;
};

std::vector<Case> models() {
  const Json strided = {{"conv", 9}, {"kernel", 4}, {"stride", 2}};
  return {
      {{1, 8, 12}, cnn({conv(5, 3), {{"pool", 2}}, conv(11, 4), {{"pool", 2}}, {{"dense", 7}}})},
      {{3, 9, 7}, cnn({strided, conv(8, 1), {{"dense", 6}}, {{"dense", 5}}}, 0.1)},
      {{2, 6, 6}, cnn({{{"pool", 3}}, conv(4, 2)}, 0.01)},
      {{1, 4, 4}, cnn({{{"dense", 9}}})},
      {{3, 8, 8}, resnet(8, 4, 2)},
      {{1, 7, 5}, resnet(14, 6, 3)}};
}

std::vector<float> some_parameters(const Problem& problem) {
  std::vector<float> x(problem.dimension());
  problem.initial_model(3, x);
  RandomStream random(11, Purpose::initial_model, 1);
  for (float& value : x) value += static_cast<float>(0.1 * uniform(random));
  return x;
}

std::vector<Sample> some_batch(std::size_t size) {
  std::vector<Sample> batch;
  for (std::size_t i = 0; i < size; ++i) batch.push_back(static_cast<Sample>(i * 37 % 100));
  return batch;
}

struct Step {
  double objective = 0;
  std::vector<float> g;

  bool operator==(const Step& other) const {
    return std::memcmp(&objective, &other.objective, sizeof objective) == 0 &&
           std::memcmp(g.data(), other.g.data(), g.size() * sizeof(float)) == 0;
  }
};

Step step(const Problem& problem, const std::vector<float>& x, const std::vector<Sample>& batch,
          Workspace& workspace) {
  Step result{0, std::vector<float>(x.size(), std::numeric_limits<float>::quiet_NaN())};
  result.objective = problem.gradient(x, batch, result.g, workspace);
  return result;
}

Step step(const Problem& problem, const std::vector<float>& x, const std::vector<Sample>& batch) {
  return step(problem, x, batch, *problem.make_workspace());
}

/// Loss and gradient once more, in double, by the plain loops and one image at a time.
struct DoubleStep {
  double objective = 0;
  std::vector<double> g;
};

DoubleStep in_double(const NeuralNetwork& network, const Dataset& data, double weight_decay,
                     const std::vector<double>& x, const std::vector<Sample>& batch) {
  NetworkRun<double> run(network.parts(), 1);
  run.load(x.data());
  DoubleStep result{0, std::vector<double>(x.size())};
  for (std::size_t i = 0; i < x.size(); ++i) {
    result.objective += weight_decay / 2 * x[i] * x[i];
    result.g[i] = weight_decay * x[i];
  }
  const auto share = 1 / static_cast<double>(batch.size());
  for (const Sample sample : batch) {
    Buffer<double> image(data.features());
    for (std::size_t i = 0; i < image.size(); ++i) {
      image.data()[i] = data.train.features(static_cast<Eigen::Index>(i), sample);
    }
    const double* logits = run.forward(image.data());
    double sum = 0;
    for (std::size_t c = 0; c < data.classes; ++c) sum += std::exp(logits[c]);
    const std::size_t label = data.train.labels[sample];
    result.objective += share * (std::log(sum) - logits[label]);
    for (std::size_t c = 0; c < data.classes; ++c) {
      run.logit_delta()[c] = share * (std::exp(logits[c]) / sum - (c == label ? 1 : 0));
    }
    run.backward({1, result.g.data(), result.g.data()});
  }
  return result;
}

std::string complaint(Json model, const Dataset& data) {
  try {
    make(std::move(model), data);
  } catch (const InputError& e) {
    return e.what();
  }
  return "(nothing)";
}

}  // namespace

TEST_CASE("a network's gradient in double is the finite difference of its objective") {
  for (const Case& c : models()) {
    CAPTURE(c.model.dump());
    const Dataset data = random_images(c.shape, 4);
    const auto problem = make(c.model, data);
    const auto& network = dynamic_cast<const NeuralNetwork&>(*problem);
    const double decay = c.model.value("weight_decay", 0.0);
    const std::vector<float> start = some_parameters(*problem);
    std::vector<double> x(start.begin(), start.end());
    const std::vector<Sample> batch = some_batch(3);
    const std::vector<double> g = in_double(network, data, decay, x, batch).g;
    for (std::size_t i = 0; i < x.size(); i += x.size() / 50 + 1) {
      const double h = 1e-5;
      const double before = x[i];
      x[i] = before + h;
      const double above = in_double(network, data, decay, x, batch).objective;
      x[i] = before - h;
      const double below = in_double(network, data, decay, x, batch).objective;
      x[i] = before;
      CAPTURE(i);
      CHECK(g[i] == Approx((above - below) / (2 * h)).epsilon(1e-5).margin(1e-8));
    }
  }
}

TEST_CASE("a network's step is the one in double, whatever the batch and its blocks") {
  for (const Case& c : models()) {
    const Dataset data = random_images(c.shape, 4);
    const auto problem = make(c.model, data);
    const auto& network = dynamic_cast<const NeuralNetwork&>(*problem);
    const std::vector<float> x = some_parameters(*problem);
    const auto workspace = problem->make_workspace();
    for (const std::size_t size : {1U, 2U, 7U, 32U, 75U}) {  // 75 = 2 * 32 + 8 + 2 + 1
      CAPTURE(c.model.dump(), size);
      const std::vector<Sample> batch = some_batch(size);
      const Step found = step(*problem, x, batch, *workspace);
      const DoubleStep expected =
          in_double(network, data, c.model.value("weight_decay", 0.0), {x.begin(), x.end()}, batch);
      CHECK(found.objective == Approx(expected.objective).epsilon(1e-5));
      double error = 0;
      double norm = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        error += std::pow(static_cast<double>(found.g[i]) - expected.g[i], 2);
        norm += expected.g[i] * expected.g[i];
      }
      CHECK(std::sqrt(error / norm) < 2e-5);
    }
  }
}

TEST_CASE("losses of single samples add up to the objective") {
  const Dataset data = random_images({1, 8, 8}, 3);
  const auto problem = make(cnn({conv(4, 3), {{"dense", 5}}}), data);
  const std::vector<float> x = some_parameters(*problem);
  const auto workspace = problem->make_workspace();
  std::vector<float> losses(45);
  workspace->sample_losses = losses;
  const Step found = step(*problem, x, some_batch(45), *workspace);
  const double sum = std::accumulate(losses.begin(), losses.end(), 0.0);
  CHECK(found.objective == Approx(sum / 45).epsilon(1e-6));
}

TEST_CASE("evaluating a network in pieces adds up, and is the loss of training without decay") {
  for (const Case& c : models()) {
    CAPTURE(c.model.dump());
    Dataset data = random_images(c.shape, 4);
    data.test = data.train;
    const auto problem = make(c.model, data);
    const std::vector<float> x = some_parameters(*problem);
    const auto workspace = problem->make_workspace();
    const EvaluationSum all = problem->evaluate(x, 0, 100, *workspace);
    const EvaluationSum first = problem->evaluate(x, 0, 41, *workspace);
    const EvaluationSum rest = problem->evaluate(x, 41, 100, *workspace);
    CHECK(all.loss == Approx(first.loss + rest.loss).epsilon(1e-6));
    CHECK(all.correct == first.correct + rest.correct);
    std::vector<Sample> batch(100);
    std::iota(batch.begin(), batch.end(), Sample{0});
    double norm = 0;
    for (const float value : x) norm += static_cast<double>(value) * static_cast<double>(value);
    const double decay = c.model.value("weight_decay", 0.0) / 2 * norm;
    CHECK(step(*problem, x, batch, *workspace).objective ==
          Approx(all.loss / 100 + decay).epsilon(1e-5));
  }
}

TEST_CASE("a network's step gives the same bits in any workspace and thread, whatever was before") {
  for (const Case& c : models()) {
    CAPTURE(c.model.dump());
    const Dataset data = random_images(c.shape, 4);
    const auto problem = make(c.model, data);
    const std::vector<float> x = some_parameters(*problem);
    const std::vector<Sample> batch = some_batch(37);
    const Step expected = step(*problem, x, batch);

    const auto used = problem->make_workspace();
    const std::vector<float> nan(x.size(), std::numeric_limits<float>::quiet_NaN());
    step(*problem, nan, some_batch(45), *used);
    CHECK(step(*problem, x, batch, *used) == expected);

    std::vector<Step> found(4);
    {
      std::vector<std::jthread> threads;
      for (Step& result : found) {
        threads.emplace_back([&] { result = step(*problem, x, batch); });
      }
    }
    for (const Step& result : found) CHECK(result == expected);
  }
}

TEST_CASE("a network whose parameters are not numbers has a loss that is none") {
  for (const Case& c : models()) {
    CAPTURE(c.model.dump());
    const Dataset data = random_images(c.shape, 4);
    const auto problem = make(c.model, data);
    const auto workspace = problem->make_workspace();
    for (std::size_t i = 0; i < problem->dimension(); i += problem->dimension() / 20 + 1) {
      std::vector<float> x = some_parameters(*problem);
      x[i] = std::numeric_limits<float>::quiet_NaN();
      CHECK(std::isnan(step(*problem, x, some_batch(5), *workspace).objective));
      CHECK(std::isnan(problem->evaluate(x, 0, 75, *workspace).loss));
    }
  }
}

TEST_CASE("parameters and flops of a cnn are those of its layers") {
  const Dataset data = random_images({1, 28, 28}, 10);
  const auto problem =
      make(cnn({conv(16, 5), {{"pool", 2}}, conv(32, 5), {{"pool", 2}}, {{"dense", 128}}}), data);
  const std::vector<Layer> layers = problem->layers();
  REQUIRE(layers.size() == 4);
  // weights and biases; two flops per weight and output pixel
  CHECK(layers[0].size == 16 * 1 * 25 + 16);
  CHECK(layers[1].size == 32 * 16 * 25 + 32);
  CHECK(layers[2].size == 128 * 32 * 7 * 7 + 128);
  CHECK(layers[3].size == 10 * 128 + 10);
  CHECK(layers[0].forward_flops == 2.0 * 16 * 25 * 28 * 28);
  CHECK(layers[1].forward_flops == 2.0 * 32 * 16 * 25 * 14 * 14);
  CHECK(layers[2].forward_flops == 2.0 * 128 * 32 * 7 * 7);
  CHECK(layers[0].backward_flops == layers[0].forward_flops);  // nobody asks for its input's
  CHECK(layers[1].backward_flops == 2 * layers[1].forward_flops);
  CHECK(problem->dimension() == layers[0].size + layers[1].size + layers[2].size + layers[3].size);
}

TEST_CASE("a ResNet-20 has the 0.27 million parameters and 41 million products of its paper") {
  const Dataset data = random_images({3, 32, 32}, 10);
  const auto problem = make({{"kind", "resnet"}, {"depth", 20}}, data);
  // Convolutions of 3 x 3: the first, then six in each stage, of which the first widens.
  const std::size_t first = 9 * 3 * 16;
  const std::size_t stage_1 = 9 * 6 * 16 * 16;
  const std::size_t stage_2 = 9 * (16 * 32 + 5 * 32 * 32);
  const std::size_t stage_3 = 9 * (32 * 64 + 5 * 64 * 64);
  const std::size_t norms = 2 * (7 * 16 + 6 * 32 + 6 * 64);
  CHECK(problem->dimension() == first + stage_1 + stage_2 + stage_3 + norms + 65 * 10);
  CHECK(problem->layers().size() == 20);
  double products = 0;
  for (const Layer& layer : problem->layers()) products += layer.forward_flops / 2;
  CHECK(products == 1024.0 * (first + stage_1) + 256.0 * stage_2 + 64.0 * stage_3 + 640);
}

TEST_CASE("a network begins with He's variance, zero biases and normalisations that do nothing") {
  const Dataset data = random_images({3, 8, 8}, 10);
  const auto problem = make(resnet(8, 64, 8), data);
  std::vector<float> x(problem->dimension(), 9.0F), same(x), other(x);
  problem->initial_model(4, x);
  problem->initial_model(4, same);
  problem->initial_model(5, other);
  CHECK(x == same);
  CHECK(x != other);
  // The second convolution, behind the first and its normalisation.
  const std::size_t begin = 64 * 27 + 2 * 64;
  const std::size_t weights = 64 * 64 * 9;
  CHECK(std::all_of(x.begin() + 64 * 27, x.begin() + 64 * 27 + 64, [](float v) { return v == 1; }));
  CHECK(std::all_of(x.begin() + 64 * 27 + 64, x.begin() + begin, [](float v) { return v == 0; }));
  double sum = 0, squares = 0;
  for (std::size_t i = begin; i < begin + weights; ++i) {
    sum += static_cast<double>(x[i]);
    squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
  const double variance = 2.0 / (64 * 9);
  // Standard errors: sqrt(variance / n) of the mean, variance sqrt(2 / n) of the variance.
  CHECK(std::abs(sum / weights) < 4 * std::sqrt(variance / weights));
  CHECK(std::abs(squares / weights - variance) < 4 * variance * std::sqrt(2.0 / weights));
}

TEST_CASE("a mistake in a network is told at its place") {
  const Dataset data = random_images({1, 28, 28}, 10);
  const Json pool = {{"pool", 2}};
  CHECK(complaint(cnn(Json::array({conv(4, 29)})), data) ==
        "s.json: /model/layers/0/kernel: must not be larger than the image, which has 28 x 28 "
        "pixels here, got 29");
  CHECK(complaint(cnn({pool, pool, pool}), data) ==
        "s.json: /model/layers/2/pool: must divide the image, which has 7 x 7 pixels here, got 2");
  CHECK(complaint(cnn({conv(4, 3), {{"dense", 5}}, conv(4, 3)}), data) ==
        "s.json: /model/layers/2: follows a dense layer, after which there is no image: only dense "
        "layers may");
  CHECK(complaint(cnn(Json::array()), data) ==
        "s.json: /model/layers: must list at least one layer (or choose softmax)");
  CHECK(complaint(cnn({{{"conv", 4}}}), data) ==
        "s.json: /model/layers/0: needs \"kernel\" beside \"conv\"");
  CHECK(complaint(cnn({{{"conv", 4}, {"kernel", 3}, {"pool", 2}}}), data) ==
        "s.json: /model/layers/0: must have exactly one of \"conv\", \"pool\" and \"dense\"");
  CHECK(complaint(cnn({{{"pool", 2}, {"stride", 2}}}), data) ==
        "s.json: /model/layers/0/stride: belongs to \"conv\" only");
  CHECK(complaint(cnn({{{"conw", 4}}}), data) ==
        "s.json: /model/layers/0/conw: unknown key (did you mean 'conv'?), known here: conv, "
        "kernel, stride, pool or dense");
  CHECK(complaint(resnet(21, 16, 8), data) ==
        "s.json: /model/depth: must be 6n + 2: 20 or 26, got 21");
  CHECK(complaint(resnet(20, 16, 5), data) ==
        "s.json: /model/groups: must divide width, which is 16, got 5");
  CHECK(complaint(resnet(20, 16, 8), random_images({3, 2, 8}, 3)) ==
        "s.json: /model/kind: needs images of at least 4 x 4 pixels, and these have 2 x 8");
  Dataset flat = data;
  flat.shape.reset();
  CHECK(complaint(resnet(20, 16, 8), flat) ==
        "s.json: /model/kind: needs images, and this data has 784 features without a shape: choose "
        "mlp or softmax, or data of images such as fashion_mnist, cifar10, idx, or "
        "synthetic with a \"shape\"");
}

TEST_CASE("a varied image is flipped and then moved, and zeros come in") {
  // 1 2 3
  // 4 5 6
  const std::vector<float> image{1, 2, 3, 4, 5, 6};
  std::vector<float> varied(6, 9.0F);
  const ImageShape shape{1, 2, 3};
  vary(image.data(), shape, {}, varied.data());
  CHECK(varied == image);
  vary(image.data(), shape, {true, 0, 0}, varied.data());
  CHECK(varied == std::vector<float>{3, 2, 1, 6, 5, 4});
  vary(image.data(), shape, {false, 1, 0}, varied.data());
  CHECK(varied == std::vector<float>{0, 0, 0, 1, 2, 3});
  vary(image.data(), shape, {false, -1, 2}, varied.data());
  CHECK(varied == std::vector<float>{0, 0, 4, 0, 0, 0});
  vary(image.data(), shape, {true, 0, -1}, varied.data());
  CHECK(varied == std::vector<float>{2, 1, 0, 5, 4, 0});
  vary(image.data(), shape, {false, 0, 4}, varied.data());
  CHECK(varied == std::vector<float>(6, 0.0F));
}

TEST_CASE("each channel of an image is varied in the same way") {
  const std::vector<float> image{1, 2, 10, 20};
  std::vector<float> varied(4);
  vary(image.data(), {2, 1, 2}, {true, 0, 0}, varied.data());
  CHECK(varied == std::vector<float>{2, 1, 20, 10});
}

TEST_CASE("variations are a pure function of seed, rank and number, half of them flipped") {
  using enum AugmentationStep;
  const std::size_t count = 8100;
  std::size_t flipped = 0;
  std::vector<std::size_t> moved(81);
  for (std::size_t i = 0; i < count; ++i) {
    const Variation v = variation_of({flip, crop}, 1, 2, i);
    CHECK(v == variation_of({crop, flip}, 1, 2, i));
    flipped += v.flipped;
    REQUIRE(std::abs(v.down) <= 4);
    REQUIRE(std::abs(v.right) <= 4);
    ++moved[static_cast<std::size_t>((v.down + 4) * 9 + v.right + 4)];
    const Variation only = variation_of({crop}, 1, 2, i);
    CHECK(only == Variation{false, v.down, v.right});
  }
  // Standard deviations: sqrt(8100 / 4) = 45, and about sqrt(100) = 10 for each of the moves.
  CHECK(std::abs(static_cast<double>(flipped) - 4050) < 4 * 45);
  for (const std::size_t often : moved) CHECK(std::abs(static_cast<double>(often) - 100) < 50);
  CHECK(variation_of({}, 1, 2, 3) == Variation{});
  std::size_t same = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    same += variation_of({flip, crop}, 1, 2, i) == variation_of({flip, crop}, 1, 3, i);
  }
  CHECK(same < 30);  // one in 162 by chance
}

TEST_CASE("a network learns from the images as they are varied") {
  Dataset data = random_images({1, 6, 6}, 3);
  const auto problem = make(cnn({conv(4, 3), {{"dense", 5}}}), data);
  const std::vector<float> x = some_parameters(*problem);
  const std::vector<Sample> batch = some_batch(37);
  std::vector<Variation> variations;
  Dataset varied = data;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    variations.push_back(variation_of({AugmentationStep::flip, AugmentationStep::crop}, 1, 0, i));
    vary(data.train.features.col(batch[i]).data(), *data.shape, variations[i],
         varied.train.features.col(batch[i]).data());
  }
  const auto same = make(cnn({conv(4, 3), {{"dense", 5}}}), varied);
  const auto workspace = problem->make_workspace();
  workspace->variations = variations;
  CHECK(step(*problem, x, batch, *workspace) == step(*same, x, batch));
}
