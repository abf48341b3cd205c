// Update rules, schedules and compression, each held against its formula in double precision.
#include <cmath>

#include "algorithms/support/compensation.hpp"
#include "sim/base/json.hpp"
#include "sim/base/random.hpp"
#include "sim/base/thread_pool.hpp"
#include "sim/engine/network/wire_bytes.hpp"
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
  RandomStream random(1, "compress", 0);
  CompressSpec spec;
  spec.kind = CompressSpec::Kind::top_k;
  spec.share = 0.4;  // 2 of 5
  Compressor compressor(spec);
  Parameters v = vector_of({1, -4, 2, -2, 0.5});
  CHECK(compressor.compress(v, random).share(5) == Approx(2 * 8.0 / (5 * 4.0)));
  CHECK(std::vector<float>(v.values().begin(), v.values().end()) ==
        std::vector<float>{0, -4, 2, 0, 0});  // of 2 and -2 the first
  v = vector_of({1, 0, 0, 0, 0});
  compressor.compress(v, random);
  CHECK(std::vector<float>(v.values().begin(), v.values().end()) ==
        std::vector<float>{2, 0, 0, -2, 0});  // 1 + 1 and -2 were left out before

  spec.error_feedback = false;
  Compressor forgetful(spec);
  v = vector_of({1, -4, 2, -2, 0.5});
  forgetful.compress(v, random);
  v = vector_of({1, 0, 0, 0, 0.25});
  forgetful.compress(v, random);
  CHECK(std::vector<float>(v.values().begin(), v.values().end()) ==
        std::vector<float>{1, 0, 0, 0, 0.25});
}

TEST_CASE("top_k sends everything where indices would make it longer") {
  RandomStream random(1, "compress", 0);
  CompressSpec spec;
  spec.kind = CompressSpec::Kind::top_k;
  spec.share = 0.6;  // 3 of 5, each twice as long
  spec.error_feedback = false;
  Compressor compressor(spec);
  Parameters v = vector_of({1, -4, 2, -2, 0.5});
  CHECK(compressor.compress(v, random).share(5) == 1);
  CHECK(std::vector<float>(v.values().begin(), v.values().end()) ==
        std::vector<float>{1, -4, 2, -2, 0.5});
}

TEST_CASE("error feedback loses nothing: in the end all that was given has been sent") {
  // Whole numbers, which floats add exactly. Empty vectors flush what was left out, two entries each.
  RandomStream random(1, "compress", 0);
  CompressSpec spec;
  spec.kind = CompressSpec::Kind::top_k;
  spec.share = 0.4;
  Compressor compressor(spec);
  std::vector<float> given(5, 0);
  std::vector<float> sent(5, 0);
  for (int t = 0; t < 23; ++t) {
    Parameters v = Parameters::zeros(5);
    for (std::size_t i = 0; i < 5 && t < 20; ++i) {
      v.writable()[i] = static_cast<float>(static_cast<int>(random() % 200) - 100);
      given[i] += v.values()[i];
    }
    compressor.compress(v, random);
    for (std::size_t i = 0; i < 5; ++i) sent[i] += v.values()[i];
  }
  CHECK(sent == given);
}

TEST_CASE("quantize sends multiples of the largest entry's part, right on average") {
  RandomStream random(1, "compress", 0);
  CompressSpec spec;
  spec.kind = CompressSpec::Kind::quantize;
  spec.bits = 3;  // 2 * 3 + 1 levels
  spec.error_feedback = false;
  Compressor compressor(spec);
  const std::vector<double> values = {3, -1, 0.5, 0, -2.25};
  std::vector<double> sum(5, 0);
  constexpr int draws = 10000;
  for (int t = 0; t < draws; ++t) {
    Parameters v = vector_of(values);
    // 15 bits are two bytes; the maximum takes four.
    REQUIRE(compressor.compress(v, random).share(5) == Approx((2 + 4) / 20.0));
    for (std::size_t i = 0; i < 5; ++i) {
      const float sent = v.values()[i];
      REQUIRE(sent == std::round(sent));  // multiples of 3/3
      REQUIRE(std::abs(sent - values[i]) < 1);
      sum[i] += sent;
    }
  }
  // A deviation is at most 1/2 for one draw.
  for (std::size_t i = 0; i < 5; ++i) CHECK(sum[i] / draws == Approx(values[i]).margin(5 * 0.005));
}

TEST_CASE("sign sends the mean magnitude with every entry's sign") {
  RandomStream random(1, "compress", 0);
  CompressSpec spec;
  spec.kind = CompressSpec::Kind::sign;
  Compressor compressor(spec);
  Parameters v = vector_of({3, -1, 0.5, 0, -0.5});
  CHECK(compressor.compress(v, random).share(5) == Approx((1 + 4) / 20.0));
  CHECK(std::vector<float>(v.values().begin(), v.values().end()) ==
        std::vector<float>{1, -1, 1, 1, -1});
  // Left out: 2, 0, -0.5, -1, 0.5; their mean magnitude is 0.8.
  v = Parameters::zeros(5);
  compressor.compress(v, random);
  CHECK(std::vector<float>(v.values().begin(), v.values().end()) ==
        std::vector<float>{0.8F, 0.8F, -0.8F, -0.8F, 0.8F});
}

TEST_CASE("a part of very many bytes is exact") {
  // 1 PB over 20 million parameters: the product of the two has 75 bits.
  CHECK(part_of_bytes(1'000'000'000'000'000, 20'000'000, 20'000'000) == 1'000'000'000'000'000);
  CHECK(part_of_bytes(1'000'000'000'000'001, 10'000'000, 20'000'000) == 500'000'000'000'000);
  // The pieces of a whole are the whole.
  std::uint64_t sum = 0;
  const std::uint64_t bytes = 9'007'199'254'740'993;
  for (std::uint64_t piece = 0; piece < 4999; ++piece) {
    sum += part_of_bytes(bytes, piece + 1, 4999) - part_of_bytes(bytes, piece, 4999);
  }
  CHECK(sum == bytes);
}

TEST_CASE("an encoded vector takes whole bytes, rounded up and never one too many") {
  for (const std::uint64_t n : std::vector<std::uint64_t>{4, 1000, 7850, 101770}) {
    for (const std::uint64_t k : std::vector<std::uint64_t>{1, n / 100 + 1, n / 7 + 1, n / 3}) {
      for (const std::uint64_t full :
           std::vector<std::uint64_t>{n * 4, 1000000, 8000000, 33333333}) {
        CompressSpec spec;
        spec.kind = CompressSpec::Kind::top_k;
        spec.share = static_cast<double>(k) / static_cast<double>(n);
        RandomStream unused(1, "unused", 0);
        Message message;
        message.vector = Parameters::zeros(n);
        message.encoding = Compressor(spec).compress(message.vector, unused);
        CAPTURE(n, k, full);
        CHECK(wire_bytes(message, full, n) == (full * 8 * k + 4 * n - 1) / (4 * n));
      }
    }
  }
}

TEST_CASE("top_k of everything is no compression: the dense vector is shorter, bit for bit") {
  for (const Json& plain :
       {Json{{"name", "sync"}}, Json{{"name", "async"}}, Json{{"name", "stale"}},
        Json{{"name", "grouping"}}, Json{{"name", "backup"}, {"backup", 1}},
        Json{{"name", "od_sgd"}, {"warm_up", 3}}, Json{{"name", "dc_asgd"}},
        Json{{"name", "ringmaster"}, {"delay_bound", 2}}}) {
    Json all = plain;
    all["compress"] = {{"kind", "top_k"}, {"share", 1}};
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
  // One byte of four signs or 2-bit levels and four for the magnitude, out of sixteen: 2.5 MB.
  for (const char* kind : {"sign", "quantize"}) {
    const Json coarse = {{"name", "async"}, {"compress", {{"kind", kind}}}};
    CHECK(simulate(with_algorithm(scenario, coarse)).bytes == 5 * (8e6 + 2.5e6));
  }
}

TEST_CASE("learning goes on with every compression, the same for every number of threads") {
  for (const char* kind : {"top_k", "quantize", "sign"}) {
    Json algorithm = {{"name", "async"}, {"compress", {{"kind", kind}}}};
    if (std::string(kind) == "top_k") algorithm["compress"]["share"] = 0.1;
    Json scenario = with_algorithm(learning_scenario(), algorithm);
    scenario["stop"] = {{"updates", 200}};
    scenario["evaluate"] = {{"every", 100}};
    const RunResult result = simulate(scenario);
    CAPTURE(kind);
    CHECK(*result.final_test_loss < 0.8 * *result.curve[0].test_loss);
    CHECK(text_of(simulate(scenario, 0, 3)) == text_of(result));
  }
}

}  // namespace
}  // namespace motley
