#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <thread>

#include "sim/base/json.hpp"
#include "sim/base/random.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/catalog.hpp"
#include "sim/learning/models/quadratic.hpp"
#include "tests/catch.hpp"
#include "tests/watched_malloc.hpp"

namespace {
thread_local bool counting = false;
thread_local int allocations = 0;
}  // namespace

void motley::tests::allocated(std::size_t) {
  if (counting) ++allocations;
}

using namespace motley;

namespace {

float uniform(RandomStream& random) {
  return static_cast<float>(random()) / 4294967296.0F;
}

Samples some_samples(std::size_t features, std::size_t classes, std::size_t count,
                     RandomStream& random) {
  Samples samples;
  samples.features.resize(static_cast<Eigen::Index>(features), static_cast<Eigen::Index>(count));
  for (float& value : samples.features.reshaped()) value = 2 * uniform(random) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    samples.labels.push_back(static_cast<std::uint16_t>(random() % classes));
  }
  return samples;
}

Dataset some_data(std::size_t features, std::size_t classes) {
  RandomStream random(7, Purpose::synthetic_data);
  Dataset data;
  data.classes = classes;
  data.train = some_samples(features, classes, 300, random);
  data.test = some_samples(features, classes, 203, random);
  return data;
}

// The model sections of scenarios.

Json softmax(double weight_decay = 0) {
  return {{"kind", "softmax"}, {"weight_decay", weight_decay}};
}

Json mlp(const std::vector<std::size_t>& hidden, double weight_decay = 0) {
  return {{"kind", "mlp"}, {"hidden", hidden}, {"weight_decay", weight_decay}};
}

Json quadratic(std::size_t dimension, double low, double high, double noise, std::size_t samples) {
  return {{"kind", "quadratic"}, {"dimension", dimension}, {"strong_convexity", low},
          {"smoothness", high},  {"noise", noise},         {"samples", samples}};
}

std::unique_ptr<Problem> make_problem(Json model, const Dataset* data, std::uint64_t seed) {
  return read_by_kind(model_catalog(), model, {"s.json", "/model"})->make(data, seed);
}

std::vector<std::size_t> hidden_of(const Json& model) {
  return model.value("hidden", std::vector<std::size_t>{});
}

std::vector<float> some_parameters(const Problem& problem) {
  std::vector<float> x(problem.dimension());
  problem.initial_model(3, x);
  RandomStream random(11, Purpose::initial_model, 1);
  for (float& value : x) value += 0.4F * uniform(random) - 0.2F;
  return x;
}

std::vector<Sample> some_batch(const Problem& problem, std::size_t size) {
  RandomStream random(5, Purpose::data_order);
  std::vector<Sample> batch;
  for (std::size_t i = 0; i < size; ++i) {
    batch.push_back(static_cast<Sample>(random() % problem.train_size()));
  }
  return batch;
}

std::vector<Sample> whole_epoch(const Problem& problem) {
  std::vector<Sample> batch(problem.train_size());
  std::iota(batch.begin(), batch.end(), Sample{0});
  return batch;
}

struct Step {
  double objective;
  std::vector<float> g;
  bool operator==(const Step& other) const {
    return std::memcmp(&objective, &other.objective, sizeof objective) == 0 &&
           g.size() == other.g.size() &&
           std::memcmp(g.data(), other.g.data(), g.size() * sizeof(float)) == 0;
  }
};

Step step(const Problem& problem, const std::vector<float>& x, const std::vector<Sample>& batch) {
  const auto workspace = problem.make_workspace();
  // What was in g before must not matter.
  Step result{0, std::vector<float>(x.size(), std::numeric_limits<float>::quiet_NaN())};
  result.objective = problem.gradient(x, batch, result.g, *workspace);
  return result;
}

EvaluationSum evaluate(const Problem& problem, const std::vector<float>& x, std::size_t begin,
                       std::size_t end) {
  const auto workspace = problem.make_workspace();
  return problem.evaluate(x, begin, end, *workspace);
}

/// The classifiers' objective once more, in double and without any cleverness.
double plain_objective(const Dataset& data, const Json& spec, const std::vector<double>& x,
                       const std::vector<Sample>& batch) {
  double sum = 0;
  for (const Sample sample : batch) {
    std::vector<double> input;
    for (const float value : data.train.features.col(sample)) input.push_back(value);
    std::vector<std::size_t> widths = hidden_of(spec);
    widths.push_back(data.classes);
    const double* parameter = x.data();
    for (std::size_t l = 0; l < widths.size(); ++l) {
      std::vector<double> output;
      for (std::size_t o = 0; o < widths[l]; ++o) {
        output.push_back(std::inner_product(input.begin(), input.end(),
                                            parameter + o * input.size(),
                                            parameter[widths[l] * input.size() + o]));
        if (l + 1 < widths.size()) output.back() = std::max(output.back(), 0.0);
      }
      parameter += widths[l] * (input.size() + 1);
      input = output;
    }
    double total = 0;
    for (const double logit : input) total += std::exp(logit);
    sum += std::log(total) - input[data.train.labels[sample]];
  }
  const double norm = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  return sum / static_cast<double>(batch.size()) + spec["weight_decay"].get<double>() / 2 * norm;
}

struct Case {
  std::size_t features, classes;
  Json spec;
};

/// Widths below, at and beside the vector widths, so that every tail of a product is met.
std::vector<Case> classifiers() {
  return {{5, 3, softmax()},      {32, 10, softmax(0.1)},       {19, 17, softmax()},
          {12, 4, mlp({8})},      {20, 10, mlp({16}, 0.05)},    {33, 5, mlp({35, 18, 9}, 0.01)},
          {7, 2, mlp({3, 1, 5})}, {64, 10, mlp({48, 33}, 0.2)}, {1, 2, mlp({70})}};
}

}  // namespace

TEST_CASE("A classifier's objective and gradient are those of plain formulas in double") {
  for (const Case& c : classifiers()) {
    const Dataset data = some_data(c.features, c.classes);
    const auto problem = make_problem(c.spec, &data, 1);
    const std::vector<float> x = some_parameters(*problem);
    for (const std::size_t size : {1U, 2U, 7U, 32U, 33U, 64U, 65U, 150U}) {
      const std::vector<Sample> batch = some_batch(*problem, size);
      const Step got = step(*problem, x, batch);
      std::vector<double> wide(x.begin(), x.end());
      CAPTURE(c.features, c.classes, hidden_of(c.spec), size);
      CHECK(got.objective == Approx(plain_objective(data, c.spec, wide, batch)).epsilon(1e-6));
      double worst = 0;
      // Every seventh coordinate keeps the test short; 7 shares no factor with the widths above.
      for (std::size_t i = size % 7; i<x.size(); i += size> 60 ? 49 : 7) {
        const double h = 1e-6;
        const double at = wide[i];
        wide[i] = at + h;
        const double above = plain_objective(data, c.spec, wide, batch);
        wide[i] = at - h;
        const double below = plain_objective(data, c.spec, wide, batch);
        wide[i] = at;
        worst =
            std::max(worst, std::abs((above - below) / (2 * h) - static_cast<double>(got.g[i])));
      }
      CHECK(worst < 2e-6);
    }
  }
}

TEST_CASE("Every model's gradient is the finite difference of the objective it returns") {
  std::vector<Case> cases = classifiers();
  cases.push_back({1, 2, quadratic(6, 0.5, 4, 0.3, 10)});
  cases.push_back({1, 2, quadratic(35, 0, 4, 1, 100)});
  for (const Case& c : cases) {
    const Dataset data = some_data(c.features, c.classes);
    const auto problem = make_problem(c.spec, &data, 1);
    const std::vector<float> x = some_parameters(*problem);
    const auto workspace = problem->make_workspace();
    for (const std::size_t size : {1U, 7U, 33U}) {
      const std::vector<Sample> batch = some_batch(*problem, size);
      const std::vector<float> g = step(*problem, x, batch).g;
      std::vector<float> moved = x;
      std::vector<float> unused(x.size());
      // Where the difference straddles a kink of the rectifier it lies between two slopes.
      int far = 0, tried = 0;
      for (std::size_t i = 0; i < x.size(); i += 1 + x.size() / 100) {
        const float h = 2e-3F;
        moved[i] = x[i] + h;
        const double above = problem->gradient(moved, batch, unused, *workspace);
        const double top = moved[i];
        moved[i] = x[i] - h;
        const double below = problem->gradient(moved, batch, unused, *workspace);
        const double width = top - static_cast<double>(moved[i]);
        moved[i] = x[i];
        far += std::abs((above - below) / width - static_cast<double>(g[i])) > 1e-3;
        ++tried;
      }
      CAPTURE(c.features, hidden_of(c.spec), size);
      CHECK(far <= tried / 25);
    }
  }
}

TEST_CASE("Parameters lie layer by layer, and the flops are those of the matrix products") {
  const Dataset data = some_data(20, 5);
  const auto problem = make_problem(mlp({8, 6}), &data, 1);
  const std::vector<Layer> layers = problem->layers();
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].size == 21 * 8);
  CHECK(layers[1].size == 9 * 6);
  CHECK(layers[2].size == 7 * 5);
  CHECK(layers[0].forward_flops == 2 * 20 * 8);
  CHECK(layers[0].backward_flops == 2 * 20 * 8);
  CHECK(layers[1].backward_flops == 4 * 8 * 6);
  CHECK(problem->dimension() == 21 * 8 + 9 * 6 + 7 * 5);
  CHECK(problem->flops_per_sample() == 4 * 20 * 8 + 6 * 8 * 6 + 6 * 6 * 5);
  CHECK(problem->train_size() == 300);
  CHECK(problem->test_size() == 203);
  CHECK(problem->has_accuracy());
  CHECK(make_problem(softmax(), &data, 1)->flops_per_sample() == 4 * 20 * 5);
}

TEST_CASE("Evaluating in chunks adds up to evaluating at once") {
  const Dataset data = some_data(33, 5);
  for (const Json& spec : std::vector<Json>{softmax(), mlp({20})}) {
    const auto problem = make_problem(spec, &data, 1);
    const std::vector<float> x = some_parameters(*problem);
    const EvaluationSum whole = evaluate(*problem, x, 0, 203);
    for (const std::size_t chunk : {1U, 10U, 64U, 100U}) {
      EvaluationSum sum;
      for (std::size_t begin = 0; begin < 203; begin += chunk) {
        const EvaluationSum part =
            evaluate(*problem, x, begin, std::min<std::size_t>(begin + chunk, 203));
        sum.loss += part.loss;
        sum.correct += part.correct;
      }
      CHECK(sum.loss == Approx(whole.loss).epsilon(1e-13));
      CHECK(sum.correct == whole.correct);
    }
  }
}

TEST_CASE("The test loss is that of training on the same samples, without weight decay") {
  Dataset data = some_data(33, 5);
  data.test = data.train;
  const auto with = make_problem(mlp({20}, 0.5), &data, 1);
  const auto without = make_problem(mlp({20}), &data, 1);
  const std::vector<float> x = some_parameters(*with);
  const Step training = step(*without, x, whole_epoch(*without));
  CHECK(evaluate(*with, x, 0, 300).loss / 300 == Approx(training.objective).epsilon(1e-12));
}

TEST_CASE("Among equal logits the lowest class is the answer") {
  const Dataset data = some_data(5, 3);
  const auto problem = make_problem(softmax(), &data, 1);
  std::vector<float> x(problem->dimension());
  problem->initial_model(1, x);
  const auto of_class = [&](int label) {
    return static_cast<std::uint64_t>(
        std::count(data.test.labels.begin(), data.test.labels.end(), label));
  };
  CHECK(evaluate(*problem, x, 0, 203).correct == of_class(0));
  CHECK(evaluate(*problem, x, 0, 203).loss == Approx(203 * std::log(3.0)));
  x[16] = x[17] = 1;  // biases of classes 1 and 2
  CHECK(evaluate(*problem, x, 0, 203).correct == of_class(1));
}

TEST_CASE("A large margin gives a small loss without losing its digits to overflow") {
  Dataset data = some_data(5, 3);
  std::fill(data.train.labels.begin(), data.train.labels.end(), std::uint16_t{0});
  const auto problem = make_problem(softmax(), &data, 1);
  std::vector<float> x(problem->dimension(), 0.0F);
  x[15] = 10;  // bias of class 0
  CHECK(step(*problem, x, {0, 1}).objective ==
        Approx(std::log1p(2 * std::exp(-10.0))).epsilon(1e-3));
  x[15] = 1e6F;
  CHECK(step(*problem, x, {0, 1}).objective == Approx(0).margin(1e-30));
  x[15] = -1e6F;
  CHECK(step(*problem, x, {0, 1}).objective == Approx(1e6));
}

TEST_CASE("The same step gives the same bits in any workspace, thread and alignment") {
  for (const Case& c : classifiers()) {
    const Dataset data = some_data(c.features, c.classes);
    const auto problem = make_problem(c.spec, &data, 1);
    const std::vector<float> x = some_parameters(*problem);
    const std::vector<Sample> batch = some_batch(*problem, 37);
    const Step expected = step(*problem, x, batch);
    const EvaluationSum evaluated = evaluate(*problem, x, 0, 203);

    const auto used = problem->make_workspace();
    for (std::size_t offset = 0; offset < 5; ++offset) {
      std::vector<float> memory(x.size() + offset), g(x.size() + offset, 1e30F);
      std::copy(x.begin(), x.end(), memory.begin() + static_cast<std::ptrdiff_t>(offset));
      const auto parameters = std::span<const float>(memory).subspan(offset);
      std::vector<float> other(x.size(), 100.0F);
      problem->gradient(other, some_batch(*problem, 100), other, *used);  // leaves its traces
      Step got{0, {}};
      got.objective = problem->gradient(parameters, batch, std::span(g).subspan(offset), *used);
      got.g.assign(g.begin() + static_cast<std::ptrdiff_t>(offset), g.end());
      CHECK(got == expected);
      CHECK(problem->evaluate(parameters, 0, 203, *used).loss == evaluated.loss);
    }

    std::vector<Step> got(4);
    {
      std::vector<std::jthread> threads;
      for (Step& result : got) {
        threads.emplace_back([&] { result = step(*problem, x, batch); });
      }
    }
    for (const Step& result : got) CHECK(result == expected);
  }
}

TEST_CASE("A sample's loss has the same bits wherever it stands in a batch") {
  Dataset data = some_data(33, 10);
  for (Eigen::Index i = 0; i < data.test.features.cols(); ++i) {
    data.test.features.col(i) = data.test.features.col(0).eval();
  }
  const auto problem = make_problem(mlp({35}), &data, 1);
  const std::vector<float> x = some_parameters(*problem);
  for (const std::uint16_t label : data.test.labels) CHECK(label < 10);
  std::fill(data.test.labels.begin(), data.test.labels.end(), std::uint16_t{3});
  const double alone = evaluate(*problem, x, 0, 1).loss;
  double sum = 0;
  for (int i = 0; i < 37; ++i) sum += alone;
  CHECK(evaluate(*problem, x, 0, 37).loss == sum);
}

TEST_CASE("A step allocates nothing") {
  if (!WATCHES_MALLOC) return;
  const Dataset data = some_data(33, 10);
  for (const Json& spec :
       std::vector<Json>{softmax(), mlp({35, 18}, 0.1), quadratic(100, 1, 2, 1, 300)}) {
    const auto problem = make_problem(spec, &data, 1);
    const std::vector<float> x = some_parameters(*problem);
    std::vector<float> g(x.size());
    const std::vector<Sample> batch = some_batch(*problem, 150);
    const auto workspace = problem->make_workspace();
    allocations = 0;
    counting = true;
    for (const std::size_t size : {32U, 150U, 7U}) {
      problem->gradient(x, std::span(batch).first(size), g, *workspace);
    }
    problem->evaluate(x, 0, problem->test_size(), *workspace);
    counting = false;
    CHECK(allocations == 0);
    counting = true;
    const std::unique_ptr<int> counted(new int(1));
    counting = false;
    CHECK((counted && allocations == 1));
  }
}

TEST_CASE("A diverged model gives a loss that is huge or not finite") {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Dataset data = some_data(33, 10);
  for (const Json& spec :
       std::vector<Json>{softmax(), mlp({35, 18}), mlp({35}, 0.1), quadratic(100, 1, 2, 1, 300)}) {
    const auto problem = make_problem(spec, &data, 1);
    const auto batch = some_batch(*problem, 33);
    for (const float scale : {1e30F, -1e30F, infinity, nan}) {
      CAPTURE(scale, hidden_of(spec));
      std::vector<float> x = some_parameters(*problem);
      for (float& value : x) value *= scale;
      CHECK_FALSE(step(*problem, x, batch).objective < 1e20);
      CHECK_FALSE(evaluate(*problem, x, 0, problem->test_size()).loss < 1e20);
    }
    for (std::size_t i = 0; i < problem->dimension(); i += 13) {  // a single bad parameter
      std::vector<float> x = some_parameters(*problem);
      x[i] = nan;
      CHECK_FALSE(std::isfinite(step(*problem, x, batch).objective));
      const EvaluationSum sum = evaluate(*problem, x, 0, problem->test_size());
      CHECK_FALSE(std::isfinite(sum.loss));
    }
  }
}

TEST_CASE("A model of NaN answers nothing correctly") {
  const Dataset data = some_data(5, 3);
  const auto problem = make_problem(softmax(), &data, 1);
  const std::vector<float> x(problem->dimension(), std::numeric_limits<float>::quiet_NaN());
  CHECK(evaluate(*problem, x, 0, 203).correct == 0);
}

TEST_CASE("An initial neural network has He's variance and depends on the seed alone") {
  const Dataset data = some_data(200, 10);
  const auto problem = make_problem(mlp({100, 50}), &data, 1);
  std::vector<float> x(problem->dimension(), 9.0F), same(x), other(x);
  problem->initial_model(4, x);
  make_problem(mlp({100, 50}, 0.1), &data, 2)->initial_model(4, same);
  problem->initial_model(5, other);
  CHECK(x == same);
  CHECK(x != other);
  std::size_t start = 0;
  for (const auto& [inputs, outputs] : {std::pair{200U, 100U}, {100U, 50U}, {50U, 10U}}) {
    const std::size_t weights = inputs * outputs;
    double sum = 0, squares = 0;
    for (std::size_t i = start; i < start + weights; ++i) {
      sum += static_cast<double>(x[i]);
      squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    const double count = static_cast<double>(weights);
    const double variance = 2.0 / inputs;
    CHECK(std::abs(sum / count) < 4 * std::sqrt(variance / count));
    CHECK(std::abs(squares / count - variance) < 4 * variance * std::sqrt(2 / count));
    start += weights;
    CHECK(std::all_of(x.data() + start, x.data() + start + outputs,
                      [](float bias) { return bias == 0; }));
    start += outputs;
  }
}

TEST_CASE("Softmax regression starts at zero") {
  const Dataset data = some_data(5, 3);
  std::vector<float> x(18, 1.0F);
  make_problem(softmax(), &data, 1)->initial_model(1, x);
  CHECK(x == std::vector<float>(18, 0.0F));
}

TEST_CASE("Gradient descent on the quadratic follows its closed form") {
  const auto problem = make_problem(quadratic(20, 0.1, 2, 0, 8), nullptr, 1);
  std::vector<float> x(20), g(20);
  problem->initial_model(1, x);
  const auto workspace = problem->make_workspace();
  const double rate = 0.3;
  for (int t = 0; t < 50; ++t) {
    problem->gradient(x, std::vector<Sample>{0, 3}, g, *workspace);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= static_cast<float>(rate) * g[i];
  }
  double loss = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double eigenvalue = 0.1 * std::pow(20, static_cast<double>(i) / 19);
    const double error = std::pow(1 - rate * eigenvalue, 50);
    CHECK(static_cast<double>(x[i]) == Approx(1 - error).epsilon(1e-5));
    loss += eigenvalue / 2 * error * error;
  }
  CHECK(problem->evaluate(x, 0, 1, *workspace).loss == Approx(loss).epsilon(1e-4));
  CHECK(problem->evaluate(x, 0, 1, *workspace).correct == 0);
  CHECK(problem->test_size() == 1);
  CHECK_FALSE(problem->has_accuracy());
}

TEST_CASE("The quadratic's eigenvalues go from strong convexity to smoothness") {
  const auto eigenvalues = [](const Json& model) {
    const auto problem = make_problem(model, nullptr, 1);
    const auto values = dynamic_cast<const Quadratic&>(*problem).eigenvalues();
    return std::vector<double>(values.begin(), values.end());
  };
  const std::vector<double> geometric = eigenvalues(quadratic(3, 0.01, 1, 0, 2));
  CHECK(geometric[0] == 0.01);
  CHECK(geometric[1] == Approx(0.1));
  CHECK(geometric[2] == 1);
  CHECK(eigenvalues(quadratic(5, 0, 2, 0, 2)) == std::vector<double>{0, 0.5, 1, 1.5, 2});
  CHECK(eigenvalues(quadratic(1, 0.5, 2, 0, 2)) == std::vector<double>{2});
}

TEST_CASE("The quadratic's noise has the same norm in every sample and none over an epoch") {
  const std::size_t dimension = 100;
  const auto noisy = make_problem(quadratic(dimension, 0.1, 2, 0.7, 50), nullptr, 1);
  const auto exact = make_problem(quadratic(dimension, 0.1, 2, 0, 50), nullptr, 1);
  const std::vector<float> x = some_parameters(*noisy);
  const Step mean = step(*exact, x, {0});
  CHECK(step(*noisy, x, whole_epoch(*noisy)) == mean);
  CHECK(evaluate(*noisy, x, 0, 1).loss == Approx(mean.objective).epsilon(1e-14));

  std::vector<float> before;
  for (Sample j = 0; j < 50; ++j) {
    const Step sample = step(*noisy, x, {j});
    double norm = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      norm += std::pow(static_cast<double>(sample.g[i]) - static_cast<double>(mean.g[i]), 2);
    }
    CHECK(std::sqrt(norm) == Approx(0.7).epsilon(1e-5));
    CHECK(sample.g != before);
    before = sample.g;
  }

  const auto other = make_problem(quadratic(dimension, 0.1, 2, 0.7, 50), nullptr, 2);
  CHECK_FALSE(step(*other, x, {0}) == step(*noisy, x, {0}));
}
