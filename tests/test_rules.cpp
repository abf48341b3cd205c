// Update rules, schedules and compression, each held against its formula in double precision.
#include <cmath>

#include "algorithms/support/compensation.hpp"
#include "sim/base/json.hpp"
#include "sim/base/thread_pool.hpp"
#include "sim/learning/rules/compression.hpp"
#include "sim/learning/rules/step_memo.hpp"
#include "tests/catch.hpp"
#include "tests/compared.hpp"

namespace motley {
namespace {

constexpr std::size_t size = 5;

/// The t-th gradient of a made-up sequence.
double gradient(std::size_t t, std::size_t i) {
  return std::sin(static_cast<double>(3 * t + i)) + 0.25 * static_cast<double>(i);
}

Parameters vector_of(const std::vector<double>& values) {
  Parameters v(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) v.writable()[i] = static_cast<float>(values[i]);
  return v;
}

UpdateSpec spec_of(RuleSpec::Kind kind) {
  UpdateSpec spec;
  spec.step_size = 0.1;
  spec.weight_decay = 0.01;
  spec.rule = {kind, 0.9, 0.99, 1e-8};
  if (!spec.rule.is_adaptive()) spec.momentum = 0.9;
  return spec;
}

/// x after 20 steps of the formula, in double.
template <class Step>
std::vector<double> expected(Step step) {
  std::vector<double> x(size, 1.0);
  std::vector<std::array<double, 3>> state(size, {0, 0, 0});
  for (std::size_t t = 1; t <= 20; ++t) {
    for (std::size_t i = 0; i < size; ++i) step(x[i], 0.5 * gradient(t, i), state[i], t);
  }
  return x;
}

/// x after the same steps of the rule; the gradient is halved by gradient_scale.
std::vector<double> stepped(const UpdateSpec& spec) {
  ThreadPool pool(1);
  UpdateRule rule(spec, 1);
  Parameters x = vector_of(std::vector<double>(size, 1.0));
  for (std::size_t t = 1; t <= 20; ++t) {
    std::vector<double> g;
    for (std::size_t i = 0; i < size; ++i) g.push_back(gradient(t, i));
    rule.step(x, vector_of(g), pool, 0.5F);
  }
  return {x.values().begin(), x.values().end()};
}

void check_near(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).epsilon(1e-5));
}

TEST_CASE("Nesterov's momentum looks ahead") {
  check_near(stepped(spec_of(RuleSpec::Kind::nesterov)),
             expected([](double& x, double g, std::array<double, 3>& s, std::size_t) {
               const double d = g + 0.01 * x;
               s[0] = 0.9 * s[0] + d;
               x -= 0.1 * (d + 0.9 * s[0]);
             }));
}

TEST_CASE("Nesterov's rule without momentum is plain SGD, bit for bit") {
  UpdateSpec nesterov = spec_of(RuleSpec::Kind::nesterov);
  nesterov.momentum = 0;
  UpdateSpec plain = nesterov;
  plain.rule.kind = RuleSpec::Kind::sgd;
  CHECK(stepped(nesterov) == stepped(plain));
}

TEST_CASE("AdamW corrects its means for their start and decays the weights by themselves") {
  check_near(stepped(spec_of(RuleSpec::Kind::adamw)),
             expected([](double& x, double g, std::array<double, 3>& s, std::size_t t) {
               s[0] = 0.9 * s[0] + 0.1 * g;
               s[1] = 0.99 * s[1] + 0.01 * g * g;
               const double m = s[0] / (1 - std::pow(0.9, static_cast<double>(t)));
               const double v = s[1] / (1 - std::pow(0.99, static_cast<double>(t)));
               x -= 0.1 * (m / (std::sqrt(v) + 1e-8) + 0.01 * x);
             }));
}

TEST_CASE("AMSGrad divides by the largest mean square so far") {
  check_near(stepped(spec_of(RuleSpec::Kind::amsgrad)),
             expected([](double& x, double g, std::array<double, 3>& s, std::size_t) {
               const double d = g + 0.01 * x;
               s[0] = 0.9 * s[0] + 0.1 * d;
               s[1] = 0.99 * s[1] + 0.01 * d * d;
               s[2] = std::max(s[2], s[1]);
               x -= 0.1 * s[0] / (std::sqrt(s[2]) + 1e-8);
             }));
}

TEST_CASE("a rule is a value: a copy goes its own way") {
  ThreadPool pool(1);
  for (const auto kind : {RuleSpec::Kind::sgd, RuleSpec::Kind::nesterov, RuleSpec::Kind::adamw,
                          RuleSpec::Kind::amsgrad}) {
    UpdateRule rule(spec_of(kind), 1);
    Parameters x = vector_of({1, 2});
    const Parameters g = vector_of({0.5, -1});
    rule.step(x, g, pool);
    UpdateRule copy = rule;
    Parameters y = x;
    Parameters z = x;
    copy.step(y, vector_of({3, 3}), pool);
    UpdateRule again = rule;
    rule.step(x, g, pool);
    again.step(z, g, pool);
    CHECK(x.values()[0] == z.values()[0]);
    CHECK(x.values()[0] != y.values()[0]);
  }
}

TEST_CASE("a replica's step is that of the first one, with every rule") {
  ThreadPool pool(1);
  for (const auto kind : {RuleSpec::Kind::sgd, RuleSpec::Kind::nesterov, RuleSpec::Kind::adamw,
                          RuleSpec::Kind::amsgrad}) {
    StepMemo memo;
    UpdateRule first(spec_of(kind), 1);
    UpdateRule second(spec_of(kind), 1);
    UpdateRule alone(spec_of(kind), 1);
    Parameters x = vector_of({1, 2});
    Parameters y = x;
    Parameters z = vector_of({1, 2});
    for (std::size_t t = 0; t < 5; ++t) {
      const Parameters g = vector_of({gradient(t, 0), gradient(t, 1)});
      memo.step(first, x, g, pool);
      memo.step(second, y, g, pool);
      alone.step(z, g, pool);
      CHECK(x.shares_with(y));
      CHECK(x.values()[1] == z.values()[1]);
    }
  }
}

TEST_CASE("a late gradient is moved to the present model by its own square") {
  Parameters none;
  Parameters g = vector_of({2, -1});
  const Compensation constant{false, 0.5, 0};
  constant.apply(g, vector_of({3, 3}), vector_of({1, 4}), none);
  CHECK(g.values()[0] == 2 + 0.5F * 4 * 2);
  CHECK(g.values()[1] == -1 + 0.5F * 1 * -1);
  CHECK(none.empty());

  Parameters mean_square;
  const Compensation adaptive{true, 2, 0.75};
  for (int time = 0; time < 2; ++time) {
    g = vector_of({2});
    adaptive.apply(g, vector_of({3}), vector_of({1}), mean_square);
  }
  const double ms = 0.75 * (0.25 * 4) + 0.25 * 4;
  CHECK(g.values()[0] == Approx(2 + 2 / std::sqrt(ms + 1e-7) * 4 * 2));
}

TEST_CASE("milestones multiply the step size once each, and a warm-up comes before any schedule") {
  ScheduleSpec schedule;
  schedule.kind = ScheduleSpec::Kind::milestones;
  schedule.at_epochs = {60, 80};
  schedule.factor = 0.1;
  CHECK(schedule.at(0) == 1);
  CHECK(schedule.at(59.9) == 1);
  CHECK(schedule.at(60) == Approx(0.1));
  CHECK(schedule.at(100) == Approx(0.01));

  schedule.warm_up_epochs = 4;
  CHECK(schedule.at(0) == 0);
  CHECK(schedule.at(1) == Approx(0.25));
  CHECK(schedule.at(4) == 1);
  CHECK(schedule.at(80) == Approx(0.01));

  ScheduleSpec cosine;
  cosine.kind = ScheduleSpec::Kind::cosine;
  cosine.epochs = 10;
  cosine.warm_up_epochs = 5;
  CHECK(cosine.at(2.5) == Approx(0.5 * 0.5 * (1 + std::cos(M_PI / 4))));
}

TEST_CASE(
    "rules and schedules are read from a scenario, and what does not go together is refused") {
  Json scenario = learning_scenario();
  const Json good = {
      {"name", "sync"},
      {"rule", {{"kind", "adamw"}, {"beta2", 0.95}}},
      {"schedule",
       {{"kind", "milestones"}, {"at_epochs", {1, 2}}, {"factor", 0.5}, {"warm_up_epochs", 0.5}}}};
  CHECK(simulate(with_algorithm(scenario, good)).status == RunStatus::ok);
  const Json bad = {{"name", "sync"}, {"momentum", 0.9}, {"rule", {{"kind", "adamw"}}}};
  CHECK_THROWS_WITH(experiment_of(with_algorithm(scenario, bad)),
                    Catch::Contains("/algorithms/0/momentum: is not for this rule"));
  const Json unknown = {{"name", "sync"}, {"rule", {{"kind", "sgd"}, {"beta1", 0.5}}}};
  CHECK_THROWS_AS(experiment_of(with_algorithm(scenario, unknown)), InputError);
}

TEST_CASE("top_k sends the largest entries and keeps the rest for the next time") {
  CompressSpec spec;
  spec.kind = CompressSpec::Kind::top_k;
  spec.share = 0.4;  // 2 of 5
  Compressor compressor(spec);
  Parameters v = vector_of({1, -4, 2, -2, 0.5});
  CHECK(compressor.compress(v) == Approx(2 * 8.0 / (5 * 4.0)));
  CHECK(std::vector<float>(v.values().begin(), v.values().end()) ==
        std::vector<float>{0, -4, 2, 0, 0});  // of 2 and -2 the first
  v = vector_of({1, 0, 0, 0, 0});
  compressor.compress(v);
  CHECK(std::vector<float>(v.values().begin(), v.values().end()) ==
        std::vector<float>{2, 0, 0, -2, 0});  // 1 + 1 and -2 were left out before

  spec.error_feedback = false;
  Compressor forgetful(spec);
  v = vector_of({1, -4, 2, -2, 0.5});
  forgetful.compress(v);
  v = vector_of({1, 0, 0, 0, 0.25});
  forgetful.compress(v);
  CHECK(std::vector<float>(v.values().begin(), v.values().end()) ==
        std::vector<float>{1, 0, 0, 0, 0.25});
}

TEST_CASE("top_k of everything is no compression: the dense vector is shorter, bit for bit") {
  for (const char* name : {"sync", "async", "stale"}) {
    const Json plain = {{"name", name}};
    const Json all = {{"name", name}, {"compress", {{"kind", "top_k"}, {"share", 1}}}};
    CHECK(same_run(simulate(with_algorithm(learning_scenario(), plain)),
                   simulate(with_algorithm(learning_scenario(), all))));
  }
}

TEST_CASE("compressed gradients take fewer bytes, models all of theirs") {
  // 4 parameters, 8 MB: one of four entries with its index is half a model.
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "a"}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 5}};
  const Json some = {{"name", "async"}, {"compress", {{"kind", "top_k"}, {"share", 0.25}}}};
  const RunResult result = simulate(with_algorithm(scenario, some));
  CHECK(result.bytes == 5 * (8e6 + 4e6));
  // A step: pull and push, with a millisecond of latency on each of the two links, and a second's
  // gradient.
  CHECK(result.virtual_s == Approx(5 * (0.08 + 0.002 + 1 + 0.04 + 0.002)).epsilon(1e-9));
}

}  // namespace
}  // namespace motley
