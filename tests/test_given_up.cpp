// Computing that nobody wants any more.
#include <atomic>
#include <cmath>

#include "sim/learning/models/neural_network.hpp"
#include "tests/catch.hpp"

using namespace motley;

namespace {

/// Puts out what comes in, notes that it was there, and gives the whole computation up when it is told to.
struct Passage {
  std::vector<std::string> visits;
  std::string last;  // after this one nobody wants the result
  std::atomic<bool> give_up = false;

  void visit(const std::string& name) {
    visits.push_back(name);
    if (name == last) give_up = true;
  }
};

template <class S>
class PassingRun final : public LayerRun<S> {
 public:
  PassingRun(Passage& passage, std::string name) : passage_(passage), name_(std::move(name)) {}
  const S* forward(const S* input) override {
    passage_.visit("forward " + name_);
    return input;
  }
  S* backward(const S*, S* delta, S*, const GradientSum<S>&) override {
    passage_.visit("backward " + name_);
    return delta;
  }

 private:
  Passage& passage_;
  std::string name_;
};

class Passing final : public NetworkLayer {
 public:
  Passing(Passage& passage, std::string name, const Planes& planes, std::size_t parameters)
      : passage_(passage), name_(std::move(name)), planes_(planes), parameters_(parameters) {}
  Planes output() const override { return planes_; }
  std::size_t parameters() const override { return parameters_; }
  std::unique_ptr<LayerRun<float>> in_float(const RunOptions&) const override {
    return std::make_unique<PassingRun<float>>(passage_, name_);
  }
  std::unique_ptr<LayerRun<double>> in_double(const RunOptions&) const override {
    return std::make_unique<PassingRun<double>>(passage_, name_);
  }

 private:
  Passage& passage_;
  std::string name_;
  Planes planes_;
  std::size_t parameters_;
};

}  // namespace

TEST_CASE("a gradient that nobody wants any more ends before the next layer") {
  const ImageShape shape{1, 1, 3};
  Dataset data;
  data.classes = 3;
  data.train.features.setRandom(3, 2);
  data.train.labels = {0, 1};
  Passage passage;
  NetworkLayers layers;
  for (const char* name : {"a", "b", "c"}) {
    layers.push_back(std::make_unique<Passing>(passage, name, planes_of(shape), 1));
  }
  const NeuralNetwork network(data, std::move(layers), 0);
  const std::unique_ptr<Workspace> workspace = network.make_workspace();
  workspace->give_up = &passage.give_up;
  const std::vector<float> x(3);
  std::vector<float> g(3);
  const std::vector<Sample> samples = {0, 1};
  const auto gradient = [&] { return network.gradient(x, samples, g, *workspace); };

  const std::vector<std::string> all = {"forward a",  "forward b",  "forward c",
                                        "backward c", "backward b", "backward a"};
  CHECK(std::isfinite(gradient()));
  CHECK(passage.visits == all);
  for (std::size_t visits = 1; visits < all.size(); ++visits) {
    passage.visits.clear();
    passage.give_up = false;
    passage.last = all[visits - 1];
    CHECK_THROWS_AS(gradient(), GivenUp);
    CHECK(passage.visits == std::vector(all.begin(), all.begin() + static_cast<long>(visits)));
  }
  passage.visits.clear();
  passage.give_up = false;
  passage.last = "";
  CHECK(std::isfinite(gradient()));  // what was given up leaves nothing behind
  CHECK(passage.visits == all);
}
