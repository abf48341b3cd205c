// What a computation throws, in whatever thread, ends the run and is its reason.
#include <atomic>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "sim/base/json.hpp"
#include "sim/engine/simulate.hpp"
#include "tests/catch.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

/// Another problem whose gradient fails from some call on, as one with a guard against NaN would.
class Failing final : public Problem {
 public:
  Failing(const Problem& of, int good_gradients) : of_(of), good_gradients_(good_gradients) {}

  std::size_t dimension() const override { return of_.dimension(); }
  std::vector<Layer> layers() const override { return of_.layers(); }
  std::size_t train_size() const override { return of_.train_size(); }
  std::size_t test_size() const override { return of_.test_size(); }
  bool has_accuracy() const override { return of_.has_accuracy(); }
  std::unique_ptr<Workspace> make_workspace() const override { return of_.make_workspace(); }
  void initial_model(std::uint64_t seed, std::span<float> x) const override {
    of_.initial_model(seed, x);
  }
  double gradient(std::span<const float> x, std::span<const Sample> samples, std::span<float> g,
                  Workspace& workspace) const override {
    if (calls_++ >= good_gradients_) throw std::runtime_error("the gradient is not a number");
    return of_.gradient(x, samples, g, workspace);
  }
  EvaluationSum evaluate(std::span<const float> x, std::size_t begin, std::size_t end,
                         Workspace& workspace) const override {
    return of_.evaluate(x, begin, end, workspace);
  }

 private:
  const Problem& of_;
  int good_gradients_;
  mutable std::atomic<int> calls_ = 0;
};

[[maybe_unused]] std::size_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST_CASE("what a gradient throws in any thread is the run's reason, and nothing goes on running") {
  for (const char* name : {"sync", "allreduce", "async", "local"}) {
    for (const unsigned threads : {1U, 2U, 3U}) {
      CAPTURE(name, threads);
      Json scenario = learning_scenario();
      scenario["stop"]["updates"] = 1000;
      scenario["algorithms"] = {{{"name", name}}};
      const Experiment experiment = experiment_of(scenario);
      const ChildOutcome outcome = run_in_child([&]() -> Json {
        const Failing problem(experiment.problem(), 20);
        const RunPlan& plan = experiment.runs().front();
        Json parameters = plan.parameters;
        const auto algorithm = find_algorithm(plan.algorithm, plan.place)
                                   .make(parameters, plan.place, experiment.facts());
        try {
          simulate({experiment.scenario(), experiment.cluster(), problem, experiment.partition(),
                    experiment.order(), experiment.flops_per_sample(), experiment.message_bytes(),
                    threads, nullptr},
                   *algorithm);
        } catch (const std::exception&) {
#ifndef MOTLEY_SANITIZED  // there every actor has a thread, and the sanitizer its own
          if (threads_of_this_process() != 1) throw std::logic_error("a thread was left behind");
#endif
          throw;
        }
        return nullptr;
      });
      CHECK_FALSE(outcome.result);
      CHECK(outcome.error == "the gradient is not a number");
    }
  }
}

TEST_CASE("a run for which the memory does not suffice says so") {
  CHECK(run_in_child([]() -> Json { throw std::bad_alloc(); }).error == "not enough memory");
}

}  // namespace
}  // namespace motley
