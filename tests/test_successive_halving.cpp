// How parameters are chosen: scores, rungs, what lies beyond a grid; without any simulation.
#include <cmath>
#include <map>
#include <set>

#include "sim/base/json.hpp"
#include "sim/results/statistics/tuning_score.hpp"
#include "sim/study/tuning/successive_halving.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

const Place nowhere = {"s.json", "/tune/x"};

RunResult reached_at(double seconds) {
  RunResult result;
  result.time_to_target_s = seconds;
  result.best_test_accuracy = 0.9;
  result.final_test_loss = 0.5;
  return result;
}

RunResult never_reached(double accuracy, double loss = 1) {
  RunResult result;
  result.best_test_accuracy = accuracy;
  result.final_test_loss = loss;
  return result;
}

RunResult broken(RunStatus status) {
  RunResult result = reached_at(1);
  result.status = status;
  return result;
}

TuningScore score(const std::vector<RunResult>& runs) {
  std::vector<const RunResult*> pointers;
  for (const RunResult& run : runs) pointers.push_back(&run);
  return score_of(pointers);
}

TEST_CASE("a candidate's time is the geometric mean over its seeds") {
  const TuningScore s = score({reached_at(2), reached_at(8)});
  CHECK(s.seeds == 2);
  CHECK(s.reached == 2);
  CHECK(*s.time_to_target_s == Approx(4));  // sqrt(2 * 8)
}

TEST_CASE("who reaches the target in more seeds is better, then who is faster") {
  const TuningScore fast = score({reached_at(1), reached_at(9)});  // 3 s
  const TuningScore even = score({reached_at(4), reached_at(4)});  // 4 s
  const TuningScore once = score({reached_at(0.1), never_reached(0.8)});
  const TuningScore close = score({never_reached(0.7), never_reached(0.7)});
  const TuningScore far = score({never_reached(0.9), never_reached(0.1)});
  const TuningScore lost = score({never_reached(0.9), broken(RunStatus::diverged)});
  const std::vector<TuningScore> order = {fast, even, once, close, far, lost};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      INFO(i << " " << j);
      CHECK(is_better(order[i], order[j], TuningGoal::accuracy_target) == (i < j));
    }
  }
}

TEST_CASE("where all reach the target the time decides, and the loss only between equal times") {
  RunResult lower = reached_at(4);
  lower.final_test_loss = 0.1;
  RunResult higher = reached_at(4);
  higher.final_test_loss = 0.2;
  CHECK(is_better(score({lower}), score({higher}), TuningGoal::accuracy_target));
  CHECK_FALSE(is_better(score({higher}), score({lower}), TuningGoal::accuracy_target));
  higher.time_to_target_s = 3.9;
  CHECK(is_better(score({higher}), score({lower}), TuningGoal::accuracy_target));
  CHECK_FALSE(is_better(score({lower}), score({higher}), TuningGoal::accuracy_target));
}

TEST_CASE("who never reaches a loss is ranked by the loss, whatever the accuracy") {
  const TuningScore near = score({never_reached(0.1, 0.5)});
  const TuningScore far = score({never_reached(0.9, 2.3)});
  CHECK(is_better(near, far, TuningGoal::loss_target));
  CHECK_FALSE(is_better(far, near, TuningGoal::loss_target));
  CHECK(is_better(far, near, TuningGoal::accuracy_target));
}

TEST_CASE("a run that diverges or fails has reached nothing") {
  for (const RunStatus status : {RunStatus::diverged, RunStatus::failed}) {
    const TuningScore s = score({broken(status)});
    CHECK(s.reached == 0);
    CHECK(s.broken == 1);
    CHECK_FALSE(s.time_to_target_s);
  }
}

TEST_CASE("without a target the lower final loss is better, and diverged is worst") {
  const TuningScore low = score({never_reached(0.1, 0.2), never_reached(0.1, 0.4)});
  const TuningScore high = score({never_reached(0.9, 0.5), never_reached(0.9, 0.5)});
  const TuningScore lost = score({never_reached(0.9, 0.1), broken(RunStatus::diverged)});
  CHECK(is_better(low, high, TuningGoal::low_loss));
  CHECK(is_better(high, lost, TuningGoal::low_loss));
  CHECK_FALSE(is_better(high, low, TuningGoal::low_loss));
}

/// A grid of numbers whose time to the target is `time(value, seed)`.
class Bench {
 public:
  explicit Bench(const std::string& grid, std::size_t budget = 20) {
    choice.grids = {ValueList::read(Json::parse(grid), nowhere)};
    choice.budget = budget;
    choice.goal = TuningGoal::accuracy_target;
    choice.is_allowed = [](const std::vector<Json>&) { return true; };
    choice.is_limit = [](std::size_t, const Json&) { return false; };
    choice.candidates = first_candidates(choice.grids, budget, 1);
  }

  TuningState run(const std::function<double(double value, std::size_t seed)>& time) {
    return successive_halving(choice, [&](const std::vector<Json>& values, std::size_t seed) {
      const double value =
          values[0].is_boolean() ? 1 + values[0].get<bool>() : values[0].get<double>();
      return &(results[{value, seed}] = reached_at(time(value, seed)));
    });
  }

  TuningChoice choice;
  std::map<std::pair<double, std::size_t>, RunResult> results;
};

/// Fastest at the best value, slower by the distance on a log scale.
auto best_at(double best) {
  return [best](double value, std::size_t) { return 1 + std::abs(std::log(value / best)); };
}

double value_of(const TuningState& state, std::size_t candidate) {
  return state.candidates[candidate].values[0];
}

TEST_CASE("each rung keeps the better half on as many seeds again") {
  Bench bench("[1, 2, 4, 8, 16, 32, 64]");
  const TuningState state = bench.run(best_at(8));
  REQUIRE(state.chosen);
  CHECK(value_of(state, *state.chosen) == 8);
  CHECK_FALSE(state.at_edge);
  // 7 on one seed. The better half would be 4, and 20 - 7 - 4 = 9 runs cannot be shared by the last
  // two: 5 on two seeds, 8 and the ties 4 and 16, 2 and 32, 12 runs so far. 3 on four would be 6 more,
  // and 4 are kept for edges: beyond 20. The 8 that are left give the last two 4 more seeds each.
  std::map<double, std::size_t> seeds;
  for (const TuningCandidate& c : state.candidates) seeds[c.values[0]] = c.seeds;
  CHECK(seeds ==
        std::map<double, std::size_t>{{1, 1}, {2, 2}, {4, 6}, {8, 6}, {16, 2}, {32, 2}, {64, 1}});
  CHECK(state.runs == 20);
  CHECK(bench.results.size() == 20);
}

TEST_CASE("every budget is spent to the last run, wherever the best value is") {
  for (const char* grid : {"[1, 2]", "[1, 2, 4]", "[1, 2, 4, 8, 16]", "[true, false]",
                           "[1, 2, 4, 8, 16, 32, 64, 128]"}) {
    for (std::size_t budget = 4; budget <= 41; ++budget) {
      for (const double best : {0.01, 1.0, 3.0, 10.0, 1e4}) {
        INFO(grid << " " << budget << " " << best);
        Bench bench(grid, budget);
        const TuningState state = bench.run(best_at(best));
        REQUIRE(state.chosen);
        CHECK(state.runs == budget);
        CHECK(bench.results.size() == budget);
      }
    }
  }
}

TEST_CASE("one lucky seed does not win") {
  Bench bench("[1, 2, 4, 8]");
  // 1 is three times as fast on the first seed, and twice as slow on all others: over two seeds
  // sqrt(1/3 * 2) = 0.82 is still ahead, over four (1/3 * 8)^(1/4) = 1.28 is not.
  const TuningState state = bench.run([](double value, std::size_t seed) {
    if (value == 1) return seed == 0 ? 1.0 / 3 : 2.0;
    return value == 2 ? 1.0 : 10.0;
  });
  REQUIRE(state.chosen);
  CHECK(value_of(state, *state.chosen) == 2);
}

TEST_CASE("what is missing is asked for rung by rung, whatever is known") {
  Bench bench("[1, 2, 4, 8]");
  std::set<std::pair<double, std::size_t>> known;
  const auto time = best_at(2);
  std::vector<std::size_t> asked;
  TuningState state;
  for (;;) {
    state = successive_halving(
        bench.choice, [&](const std::vector<Json>& values, std::size_t seed) -> const RunResult* {
          const std::pair<double, std::size_t> key = {values[0], seed};
          if (!known.contains(key)) return nullptr;
          return &(bench.results[key] = reached_at(time(key.first, seed)));
        });
    if (state.missing.empty()) break;
    CHECK_FALSE(state.chosen);
    asked.push_back(state.missing.size());
    for (const TuningState::Trial& trial : state.missing) {
      known.insert({value_of(state, trial.candidate), trial.seed});
    }
  }
  // 4 on one seed, 2 on a second; of 20 runs 14 are left for the last two.
  CHECK(asked == std::vector<std::size_t>{4, 2, 14});
  const TuningState at_once = Bench(bench).run(time);
  CHECK(at_once.chosen == state.chosen);
  CHECK(at_once.runs == state.runs);
}

TEST_CASE("a best value at the edge extends the grid by its own step") {
  Bench bench("{\"from\": 0.01, \"to\": 1, \"steps\": 3, \"scale\": \"log\"}");
  const TuningState up = bench.run(best_at(10));
  REQUIRE(up.chosen);
  CHECK(value_of(up, *up.chosen) == 10);  // 0.01, 0.1, 1 and on: 10, then 100, which is worse
  CHECK_FALSE(up.at_edge);
  CHECK(up.candidates.size() == 5);
  CHECK(up.runs <= 20);
  const TuningState down = Bench(bench).run(best_at(0.001));
  CHECK(value_of(down, *down.chosen) == Approx(0.001));
  CHECK_FALSE(down.at_edge);
}

TEST_CASE("an edge that the budget does not reach beyond is said") {
  Bench bench("[1, 2, 4, 8]");
  const TuningState state = bench.run([](double value, std::size_t) { return 1 / value; });
  REQUIRE(state.chosen);
  CHECK(state.at_edge);
  // A fifth of the budget, 4 runs, on one seed: 16, 32, 64, 128.
  CHECK(value_of(state, *state.chosen) >= 128);
  CHECK(state.runs <= 20);
}

TEST_CASE("what may not be is not tried, and the end of what may be is no edge") {
  Bench bench("[1, 2, 4, 8]");
  const auto faster = [](double value, std::size_t) { return 1 / value; };
  bench.choice.is_allowed = [](const std::vector<Json>&) { return false; };
  const TuningState refused = bench.run(faster);
  CHECK(refused.candidates.size() == 4);
  CHECK(refused.at_edge);
  bench.choice.is_limit = [](std::size_t, const Json& value) { return value == 8; };
  CHECK_FALSE(bench.run(faster).at_edge);
}

TEST_CASE("words have no edges, and a single value needs no runs") {
  Bench words("[1, 2]");
  words.choice.grids = {ValueList::read(Json::parse("[\"a\", \"b\"]"), nowhere)};
  words.choice.candidates = first_candidates(words.choice.grids, 20, 1);
  const RunResult good = reached_at(1);
  const RunResult bad = reached_at(2);
  const TuningState state =
      successive_halving(words.choice, [&](const std::vector<Json>& values, std::size_t) {
        return values[0] == "b" ? &good : &bad;
      });
  CHECK(state.candidates[*state.chosen].values[0] == "b");
  CHECK_FALSE(state.at_edge);
  CHECK(state.candidates.size() == 2);

  const TuningState single = Bench("[3]").run(best_at(1));
  CHECK(single.chosen == std::optional<std::size_t>(0));
  CHECK(single.runs == 0);
  CHECK_FALSE(single.at_edge);
}

TEST_CASE("a list goes on at its difference or its ratio") {
  const auto beyond = [](const char* grid, bool upper, bool only_whole = false) {
    ValueList list = ValueList::read(Json::parse(grid), nowhere);
    if (only_whole) list.keep_whole();
    return value_beyond(list, upper, 1);
  };
  CHECK(*beyond("[1, 2, 3]", true) == 4);
  CHECK(*beyond("[1, 4, 16]", true) == 64);
  CHECK(*beyond("[0.1, 0.2, 0.5]", true) == 1.25);
  CHECK(*beyond("[0, 1, 4]", false) == -1);
  CHECK(*beyond("[1, 10, 100]", false) == 0.1);  // though all of them are whole
  CHECK(*beyond("[\"1s\", \"2s\", \"4s\"]", true) == "8s");
  CHECK(*beyond("[2, 5, 11]", true, true) == 24);  // 24.2, and only whole ones will do
  CHECK_FALSE(beyond("[\"1s\", \"2ms\"]", true));  // in which unit?
  CHECK_FALSE(beyond("[true, false]", true));
}

TEST_CASE("a range goes on exactly as it is, however far") {
  // 10^(1/3) and 10^(2/3) between any two powers of ten, to the twelve digits of all ranges
  const ValueList log = ValueList::read(
      Json::parse(R"({"from": 1, "to": 0.01, "steps": 7, "scale": "log"})"), nowhere);
  ValueList ascending = log;
  std::reverse(ascending.values.begin(), ascending.values.end());
  const std::vector<std::string> above = {"2.15443469003", "4.64158883361", "10",
                                          "21.5443469003", "46.4158883361", "100"};
  for (std::size_t k = 1; k <= above.size(); ++k) {
    CHECK(value_beyond(ascending, true, k)->dump() == above[k - 1]);
  }
  CHECK(value_beyond(ascending, false, 3)->dump() == "0.001");
  CHECK(value_beyond(ascending, false, 6)->dump() == "0.0001");
  const ValueList linear =
      ValueList::read(Json::parse(R"({"from": "0.1s", "to": "0.3s", "steps": 3})"), nowhere);
  CHECK(*value_beyond(linear, true, 7) == "1s");
}

TEST_CASE("a whole number after which none may come is no edge") {
  Bench bench("[8, 16, 32]");
  const auto faster = [](double value, std::size_t) { return 1 / value; };
  bench.choice.is_allowed = [](const std::vector<Json>& values) {
    return values[0].get<double>() <= 32;
  };
  CHECK(bench.run(faster).at_edge);  // 33 may not be, but 32.5 may
  for (ValueList& grid : bench.choice.grids) grid.keep_whole();
  CHECK_FALSE(bench.run(faster).at_edge);
  bench.choice.is_allowed = [](const std::vector<Json>& values) {
    return values[0].get<double>() <= 40;
  };
  CHECK(bench.run(faster).at_edge);  // 64 may not be, but 40 may
}

TEST_CASE("a product too large for the budget is sampled evenly, the same each time") {
  const std::vector<ValueList> grids = {ValueList::read(Json::parse("[1, 2, 3, 4]"), nowhere),
                                        ValueList::read(Json::parse("[0, 1]"), nowhere),
                                        ValueList::read(Json::parse("[5, 6, 7, 8]"), nowhere)};
  CHECK(product_size(grids) == 32);
  // Of 20 runs 4 are for edges, and half of the rest for the first rung: 8.
  const auto sample = first_candidates(grids, 20, 1);
  REQUIRE(sample.size() == 8);
  CHECK(sample == first_candidates(grids, 20, 1));
  CHECK(std::set<std::vector<Json>>(sample.begin(), sample.end()).size() == 8);
  std::map<int, int> first;
  for (const std::vector<Json>& values : sample) ++first[values[0]];
  CHECK(first == std::map<int, int>{{1, 2}, {2, 2}, {3, 2}, {4, 2}});
  // With room for all of them, all in order, the last grid changing fastest.
  const auto all = first_candidates(grids, 80, 1);
  REQUIRE(all.size() == 32);
  CHECK(all[1] == std::vector<Json>{1, 0, 6});
  CHECK(all[31] == std::vector<Json>{4, 1, 8});
}

}  // namespace
}  // namespace motley
