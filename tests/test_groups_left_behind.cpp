// Groups whose members are at different rounds because machines have failed: nobody waits for those who have gone
// past.
#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/verbs.hpp"

namespace motley {
namespace {

/// Steps of a gradient and a collective of everybody, by workers in nodes of two: who returns begins where the
/// other of its node is.
struct InNodes : NoServer {
  void worker(Worker& me) const override {
    const std::size_t first = me.rank() - me.rank() % 2;
    me.group("node " + std::to_string(first), {first, first + 1});
    Model x = me.initial_model();
    for (std::size_t step = 1;; ++step) {
      me.share(x, step);
      me.gradient(x, 1);
      meet(me, x);
      tell(me, step == 1 ? "first" : "second", me.clock());
      if (step == 2) me.finish_update(x);
    }
  }
  virtual void meet(Worker& me, Model& x) const = 0;
};

struct Averages : InNodes {
  void meet(Worker& me, Model& x) const override { me.all_reduce_mean(x); }
};

struct Meets : InNodes {
  void meet(Worker& me, Model&) const override { me.barrier(); }
};

Json down_shortly(const char* worker, const char* at) {
  return {{"worker", worker}, {"at", at}, {"for", "100ms"}};
}

/// A gradient takes 1 s in the first node and 10 s in the second. Both of the second node are missed one after the
/// other, by 3.05 s, when the first node meets alone, and each begins anew where the other is, before the first
/// round. Then one of the first node fails, at 5 s, and begins anew after it; the other does later.
Json one_node_ahead(const char* other_fails_at) {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "fast"}, {"count", 2}, {"speed", "1Gf"}},
                                    {{"name", "slow"}, {"count", 2}, {"speed", "100Mf"}}};
  scenario["cluster"]["failures"] = {
      {"detect_after", "50ms"},
      {"list",
       {down_shortly("slow-0", "2s"), down_shortly("slow-1", "3s"), down_shortly("fast-0", "5s"),
        down_shortly("fast-1", other_fails_at)}}};
  scenario["stop"] = {{"time", "30s"}};
  return scenario;
}

void check_all_meet(const RunResult& result) {
  CHECK(result.reason.empty());
  CHECK(told(result, "first", 0) == Approx(3.05));
  CHECK(told(result, "first", 1) == Approx(3.05));
  // Of the slow ones the first is alone there, the second finds it there.
  CHECK(told(result, "first", 2) == Approx(2.1 + 10));
  CHECK(told(result, "first", 3) == Approx(3.1 + 10));
  for (const std::size_t rank : {0, 1, 2, 3}) {
    CAPTURE(rank);
    CHECK(told(result, "second", rank) == Approx(3.1 + 10 + 10));
  }
}

TEST_CASE("who is left behind does not wait for those who have gone past a round that is lost") {
  // Messages take no time. By 7 s nobody is left who was there.
  const Json scenario = free_messages(one_node_ahead("7s"));
  {
    INFO("average");
    check_all_meet(simulate_with<Averages>(scenario));
  }
  INFO("barrier");
  check_all_meet(simulate_with<Meets>(scenario));
}

TEST_CASE("when the last who has a mean fails while it sends it, it is made anew by who waits") {
  // slow-0 is back at 2.1 s, has its state a message later and comes to the first round after 10 s, at 12.182 s.
  // fast-1, who alone was there, sends it the mean, which takes until 12.264 s, but fails before and is missed at
  // 12.25 s.
  const RunResult result = simulate_with<Averages>(one_node_ahead("12200ms"));
  CHECK(result.reason.empty());
  CHECK(told(result, "first", 2) == Approx(12.25));
  // slow-1, of whom the same is true a second later, gets it from slow-0.
  CHECK(told(result, "first", 3) == Approx(3.1 + message_s + 10 + message_s));
  for (const std::size_t rank : {0, 1, 2, 3}) CHECK(told(result, "second", rank) > 13);
}

/// Nodes of two meet before a gradient, everybody after it.
struct NodesFirst : NoServer {
  void worker(Worker& me) const override {
    const std::size_t first = me.rank() - me.rank() % 2;
    Group& node = me.group("node " + std::to_string(first), {first, first + 1});
    Model x = me.initial_model();
    for (std::size_t step = 1;; ++step) {
      me.share(x, step);
      node.barrier();
      me.gradient(x, 1);
      me.barrier();
      if (step == 3) tell(me, "third", me.clock());
      if (step == 4) end_run(me);
    }
  }
};

TEST_CASE("two of a node who return at once begin at the same step") {
  // Both of the first node fail in the first step, of 1 s. They return during the third, at 2.3 s and 2.35 s, and
  // ask the other node for its state: 8 MB over 100 MB/s, after 2 ms. When the second one's begins to flow, at
  // 2.352 s, the first one's lacks 3 MB, which take 60 ms on half of the link; the second then lacks 5 MB, 50 ms.
  // But by then there is one of its own node who has begun: it asks that one. From then on both compute for 1 s.
  Json scenario = workers_of(4);
  scenario["cluster"]["failures"] = {{"detect_after", "50ms"},
                                     {"list",
                                      {{{"worker", "w-1"}, {"at", "500ms"}, {"for", "1800ms"}},
                                       {{"worker", "w-0"}, {"at", "500ms"}, {"for", "1850ms"}}}}};
  const RunResult result = simulate_with<NodesFirst>(scenario);
  CHECK(result.reason.empty());
  for (const std::size_t rank : {0, 1, 2, 3}) {
    CAPTURE(rank);
    CHECK(told(result, "third", rank) == Approx(2.352 + 0.06 + 0.05 + message_s + 1));
  }
}

}  // namespace
}  // namespace motley
