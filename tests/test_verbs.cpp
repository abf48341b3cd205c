// Messages between workers, groups, conditions and events, in closed forms. A message of a whole model
// (8 MB) takes 0.08 s at 100 MB/s and 2 ms of latency; a gradient takes a second.
#include <algorithm>
#include <array>

#include "sim/base/json.hpp"
#include "sim/base/random.hpp"
#include "sim/learning/rules/compression.hpp"
#include "sim/vocabulary/draw.hpp"
#include "tests/catch.hpp"
#include "tests/verbs.hpp"

namespace motley {
namespace {

// ---- Messages ----

struct Chat : NoServer {
  void worker(Worker& me) const override {
    if (me.rank() == 0) {
      Parameters v = me.initial_model();
      me.send(1, {.kind = "big", .vector = v, .more = {v}, .numbers = {7, 8}});
      v *= 0;  // what was sent is not changed any more
      me.send(1, {.kind = "small"});
    } else {
      const Message small = me.receive({0, "small"});
      tell(me, "small_at", me.clock());
      const Message big = me.receive();
      tell(me, "big_at", me.clock());
      tell(me, "sender", static_cast<double>(big.sender));
      tell(me, "number", big.numbers.at(1));
      tell(me, "kept", big.more.at(0).values()[0] == me.initial_model().values()[0] ? 1 : 0);
      tell(me, "none", me.received() ? 1 : 0);
      end_run(me);
    }
  }
};

TEST_CASE("a message has a size that follows from its vectors, and owns them") {
  const RunResult result = simulate_with<Chat>(workers_of(2));
  REQUIRE(result.status == RunStatus::ok);
  CHECK(told(result, "small_at", 1) == Approx(0.002).epsilon(1e-9));  // no vector: latency alone
  CHECK(told(result, "big_at", 1) == Approx(0.002 + 0.16).epsilon(1e-9));
  CHECK(told(result, "sender", 1) == 0);
  CHECK(told(result, "number", 1) == 8);
  CHECK(told(result, "kept", 1) == 1);
  CHECK(told(result, "none", 1) == 0);
  CHECK(result.bytes == 16e6);
}

struct Encoded : NoServer {
  void worker(Worker& me) const override {
    if (me.rank() == 0) {
      CompressSpec largest;
      largest.kind = CompressSpec::Kind::top_k;
      largest.share = 0.25;
      Message message{.kind = "largest", .vector = me.initial_model()};
      std::ranges::copy(std::array{1.0F, 4.0F, -3.0F, 2.0F}, message.vector.writable().begin());
      message.encoding = Compressor(largest).compress(message.vector, me.random("rounding"));
      message.more = {me.initial_model()};  // in full
      me.send(1, message);
    } else {
      const Message message = me.receive({0, "largest"});
      tell(me, "at", me.clock());
      tell(me, "zeros", static_cast<double>(std::ranges::count(message.vector.values(), 0.0F)));
      end_run(me);
    }
  }
};

TEST_CASE("a message whose vector is encoded takes the bytes of its encoding") {
  const RunResult result = simulate_with<Encoded>(workers_of(2));
  // Of four entries one and its index, half of 8 MB; and a vector in full. 100 MB/s.
  CHECK(told(result, "zeros", 1) == 3);
  CHECK(told(result, "at", 1) == Approx(0.002 + 0.04 + 0.08).epsilon(1e-9));
  CHECK(result.bytes == 12e6);
}

struct Gossip : NoServer {
  void worker(Worker& me) const override {
    Model x = me.initial_model();
    if (me.rank() == 0) {
      me.send(1, {.kind = "hello", .vector = x});
      me.receive({1, "answer"});
      tell(me, "answered_at", me.clock());
      me.gradient(x, 1);
      end_run(me);
    } else {
      double served_at = -1;
      me.serve("hello", [&](const Message& m) {
        served_at = me.clock();
        me.send(m.sender, {.kind = "answer", .vector = x});
      });
      me.gradient(x, 1);
      tell(me, "done_at", me.clock());
      tell(me, "served_at", served_at);
      me.gradient(x, 10);
    }
  }
};

TEST_CASE("a worker serves messages while it computes, and its computation takes no longer") {
  const RunResult result = simulate_with<Gossip>(workers_of(2));
  REQUIRE(result.status == RunStatus::ok);
  CHECK(told(result, "served_at", 1) == Approx(message_s).epsilon(1e-9));
  CHECK(told(result, "done_at", 1) == Approx(1).epsilon(1e-9));
  CHECK(told(result, "answered_at", 0) == Approx(2 * message_s).epsilon(1e-9));
}

struct BadHandler : NoServer {
  void worker(Worker& me) const override {
    if (me.rank() == 0) {
      me.send(1, {.kind = "hello"});
    } else {
      me.serve("hello", [](const Message&) { throw std::runtime_error("the handler gave up"); });
    }
    me.gradient(me.initial_model(), 1);
  }
};

TEST_CASE("what a handler throws ends the run with its words") {
  CHECK_THROWS_WITH(simulate_with<BadHandler>(workers_of(2)),
                    Catch::Contains("the handler gave up"));
}

// ---- Conditions ----

struct Conditions : Algorithm {
  void server(Server& me) const override {
    me.send(0, {.kind = "restart"});
    me.record_decision(0, "early", me.next_push_before(5) ? 1 : 0);
    me.record_decision(0, "waited_until", me.clock());
    const Push push = me.next_push();
    me.record_decision(0, "is_model", push.model().empty() ? 0 : 1);
    Model x = me.initial_model();
    me.finish_update(x, std::span<const Push>());
  }
  void worker(Worker& me) const override {
    const Model x = me.initial_model();
    tell(me, "told", me.gradient(x, 1, {.told = "restart"}) ? 1 : 0);
    tell(me, "told_at", me.clock());
    me.receive({{}, "restart"});
    UpdateSpec spec;
    spec.step_size = 0.5;
    spec.momentum = 0.9;
    UpdateRule rule(spec, 1);
    const bool in_time = me.local_steps(x, 3, 1, rule, {.deadline = 2}).has_value();
    tell(me, "in_time", in_time ? 1 : 0);
    tell(me, "given_up_at", me.clock());
    // The rule is as it was before: the same steps from the same model are a fresh rule's.
    UpdateRule fresh(spec, 1);
    const Trained y = *me.local_steps(x, 2, 1, rule, {.deadline = 100});
    tell(me, "compute_s", y.compute_s);
    tell(me, "samples", static_cast<double>(y.samples));
    const Trained z = me.local_steps(x, 2, 1, fresh);
    tell(me, "same", y.values()[0] == z.values()[0] ? 1 : 0);
    me.push_model(y);
    me.pull();
  }
};

TEST_CASE("work is given up when somebody says so or at a deadline, and its time is counted") {
  const RunResult result = simulate_with<Conditions>(workers_of(1));
  REQUIRE(result.status == RunStatus::ok);
  CHECK(told(result, "early") == 0);
  CHECK(told(result, "waited_until") == 5);
  CHECK(told(result, "is_model") == 1);
  CHECK(told(result, "told") == 0);
  CHECK(told(result, "told_at") == Approx(0.002).epsilon(1e-9));
  CHECK(told(result, "in_time") == 0);
  CHECK(told(result, "given_up_at") == Approx(2).epsilon(1e-9));
  CHECK(told(result, "compute_s") == Approx(2).epsilon(1e-9));
  CHECK(told(result, "samples") == 2);
  CHECK(told(result, "same") == 1);
  CHECK(result.workers[0].discarded_s == Approx(2).epsilon(1e-9));
}

/// Every condition in turn, for gradients and for local steps. The server answers 1 by a model, 2 by a
/// word, and 3 by ending the run.
struct EveryCondition : Algorithm {
  void server(Server& me) const override {
    Model x = me.initial_model();
    for (;;) {
      const double wish = me.next_push().numbers.at(0);
      if (wish == 1) me.send_model(0, x);
      if (wish == 2) me.send(0, {.kind = "stop"});
      if (wish == 3) me.finish_update(x, std::span<const Push>());
    }
  }
  void worker(Worker& me) const override {
    const Model x = me.initial_model();
    UpdateSpec spec;
    spec.step_size = 0.5;
    UpdateRule rule(spec, 1);
    for (const bool local : {false, true}) {
      const auto given_up_after = [&](const Until& until) {
        const double start = me.clock();
        const bool done = local ? me.local_steps(x, 2, 1, rule, until).has_value()
                                : me.gradient(x, 1, until).has_value();
        return done ? -1 : me.clock() - start;
      };
      const std::string of = local ? "steps" : "gradient";
      tell(me, (of + "_deadline").c_str(), given_up_after({.deadline = me.clock() + 0.5}));
      me.tell(1);
      tell(me, (of + "_newer").c_str(), given_up_after({.newer_model = true}));
      me.pull();
      me.tell(2);
      tell(me, (of + "_told").c_str(), given_up_after({.told = "stop"}));
      me.receive({{}, "stop"});
    }
    me.tell(3);
    me.pull();
  }
};

TEST_CASE("gradients and local steps are given up by a deadline, a newer model or a word") {
  const RunResult result = simulate_with<EveryCondition>(workers_of(1));
  REQUIRE(result.status == RunStatus::ok);
  for (const std::string of : {"gradient", "steps"}) {
    CAPTURE(of);
    CHECK(told(result, of + "_deadline") == Approx(0.5).epsilon(1e-9));
    CHECK(told(result, of + "_newer") == Approx(0.002 + message_s).epsilon(1e-9));
    CHECK(told(result, of + "_told") == Approx(0.002 + 0.002).epsilon(1e-9));
  }
  CHECK(result.workers[0].discarded_s == Approx(2 * (0.5 + 0.084 + 0.004)).epsilon(1e-9));
}

struct Waiting : Algorithm {
  void server(Server& me) const override {
    const std::vector<Push> early = me.next_pushes(10, 1.5);  // two gradients have come by then
    me.record_decision(0, "early", static_cast<double>(early.size()));
    me.record_decision(0, "at", me.clock());
    const std::vector<Push> two = me.next_pushes(2);
    me.record_decision(0, "two_at", me.clock());
    Model x = me.initial_model();
    me.finish_update(x, two);
  }
  void worker(Worker& me) const override {
    for (;;) me.push(me.gradient(me.initial_model(), 1));
  }
};

TEST_CASE("a server waits until a time or for a number of messages") {
  Json scenario = workers_of(2);
  // Links of their own, as fast as no time at all, so that only the gradients count.
  scenario["cluster"]["link"] = {{"bandwidth", "100TBps"}, {"latency", "0s"}};
  const RunResult result = simulate_with<Waiting>(scenario);
  REQUIRE(result.status == RunStatus::ok);
  CHECK(told(result, "early") == 2);
  CHECK(told(result, "at") == 1.5);
  CHECK(told(result, "two_at") == Approx(2).epsilon(1e-6));
}

// ---- Groups ----

struct Groups : NoServer {
  void worker(Worker& me) const override {
    const bool odd = me.rank() % 2 == 1;
    Group& mine = me.group(odd ? "odd" : "even",
                           odd ? std::vector<std::size_t>{1, 3} : std::vector<std::size_t>{0, 2});
    Parameters v = Parameters::zeros(4);
    for (float& value : v.writable()) value = static_cast<float>(me.rank());
    const NotesOfAll numbers = mine.all_reduce_mean(v, 1 + static_cast<double>(me.rank()),
                                                    {static_cast<double>(10 * me.rank())});
    tell(me, "mean", v.values()[3]);
    tell(me, "mean_at", me.clock());
    tell(me, "number", numbers->at(1).at(0));
    tell(me, "gathered", mine.gather(static_cast<double>(me.rank()))->at(1));
    mine.broadcast(v, odd ? 3 : 2);
    tell(me, "broadcast", v.values()[0]);
    for (float& value : v.writable()) value = static_cast<float>(me.rank());
    const std::vector<Parameters> all = mine.gather(v, odd ? 1 : 0);
    if (!all.empty()) tell(me, "root_got", all.at(1).values()[0]);
    me.barrier();
    if (me.rank() == 0) end_run(me);
    me.barrier();
  }
};

TEST_CASE("groups average, gather and broadcast side by side") {
  const RunResult result = simulate_with<Groups>(workers_of(4));
  REQUIRE(result.status == RunStatus::ok);
  // Weighted: (1*0 + 3*2)/4 and (2*1 + 4*3)/6. A ring of two: two steps of half a model.
  CHECK(told(result, "mean", 0) == Approx(1.5));
  CHECK(told(result, "mean", 2) == Approx(1.5));
  CHECK(told(result, "mean", 1) == Approx(14.0 / 6));
  for (std::size_t rank = 0; rank < 4; ++rank) {
    CHECK(told(result, "mean_at", rank) == Approx(2 * (0.04 + 0.002)).epsilon(1e-9));
    CHECK(told(result, "number", rank) == (rank % 2 == 1 ? 30 : 20));
    CHECK(told(result, "gathered", rank) == (rank % 2 == 1 ? 3 : 2));
  }
  CHECK(told(result, "root_got", 0) == 2);
  CHECK(told(result, "root_got", 1) == 3);
}

struct GroupAndGossip : NoServer {
  void worker(Worker& me) const override {
    Group& pair = me.group("pair", {0, 1});
    Parameters v = Parameters::zeros(4);
    if (me.rank() == 1) {
      for (float& value : v.writable()) value = 7;
      pair.broadcast(v, 1);
      pair.broadcast(v, 1);
      me.send(0, {.kind = "hello", .numbers = {1}});
      me.send(0, {.kind = "again", .numbers = {2}});
    } else {
      tell(me, "hello", me.receive().numbers.at(0));
      tell(me, "again", me.next_event()->message.numbers.at(0));
      pair.broadcast(v, 1);
      pair.broadcast(v, 1);
      tell(me, "broadcast", v.values()[0]);
      end_run(me);
    }
    me.barrier();
  }
};

TEST_CASE("a body that takes any message does not take a group's") {
  const RunResult result = simulate_with<GroupAndGossip>(workers_of(2));
  REQUIRE(result.status == RunStatus::ok);
  CHECK(told(result, "hello") == 1);
  CHECK(told(result, "again") == 2);
  CHECK(told(result, "broadcast") == 7);
}

struct Overlapped : NoServer {
  void worker(Worker& me) const override {
    Parameters v = Parameters::zeros(4);
    for (float& value : v.writable()) value = static_cast<float>(me.rank());
    Pending<Averaged> pending = me.everybody().start_all_reduce_mean(v);
    me.gradient(me.initial_model(), 1);
    tell(me, "done", pending.is_done() ? 1 : 0);
    tell(me, "mean", pending.wait().values()[0]);
    tell(me, "at", me.clock());
    // Begun and waited for at once: as long as the blocking one.
    me.everybody().start_all_reduce_mean(v).wait();
    tell(me, "blocking_at", me.clock());
    me.barrier();
    if (me.rank() == 0) end_run(me);
    me.barrier();
  }
};

TEST_CASE("an all-reduce goes on behind a computation") {
  const RunResult result = simulate_with<Overlapped>(workers_of(2));
  REQUIRE(result.status == RunStatus::ok);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    CHECK(told(result, "done", rank) == 1);
    CHECK(told(result, "mean", rank) == 0.5);
    CHECK(told(result, "at", rank) == Approx(1).epsilon(1e-9));
    CHECK(told(result, "blocking_at", rank) == Approx(1 + 2 * (0.04 + 0.002)).epsilon(1e-9));
  }
}

struct OtherGroup : NoServer {
  void worker(Worker& me) const override {
    me.group("ours",
             me.rank() == 0 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{1, 0});
  }
};

TEST_CASE("two workers that mean different groups by one name are told so") {
  CHECK_THROWS_WITH(simulate_with<OtherGroup>(workers_of(2)),
                    Catch::Contains("two workers mean different groups by 'ours'"));
}

// ---- Events ----

struct Leaving : Algorithm {
  void server(Server& me) const override {
    std::size_t left = 0;
    while (left < 2) {
      const std::optional<Event> event = me.next_event();
      if (event->kind == Event::Kind::left) {
        ++left;
        me.record_decision(event->worker, "left_at", me.clock());
      }
    }
    Model x = me.initial_model();
    me.finish_update(x, std::span<const Push>());
  }
  void worker(Worker& me) const override {
    if (me.rank() == 2) {
      const std::optional<Event> event = me.next_event();
      tell(me, "saw", event->kind == Event::Kind::left ? static_cast<double>(event->worker) : -1);
      tell(me, "empty", me.next_event(1.5) ? 1 : 0);
      tell(me, "waited_until", me.clock());
      me.gradient(me.initial_model(), 100);
    }
    me.gradient(me.initial_model(), me.rank() + 1);  // one second, two seconds; then it leaves
  }
};

TEST_CASE("bodies see who has left") {
  const RunResult result = simulate_with<Leaving>(workers_of(3));
  REQUIRE(result.status == RunStatus::ok);
  CHECK(told(result, "left_at", 0) == Approx(1));
  CHECK(told(result, "left_at", 1) == Approx(2));
  CHECK(told(result, "saw", 2) == 0);
  CHECK(told(result, "empty", 2) == 0);
  CHECK(told(result, "waited_until", 2) == 1.5);
}

// ---- Random draws ----

struct Drawing : NoServer {
  void worker(Worker& me) const override {
    tell(me, "first", static_cast<double>(me.random("partner")()));
    tell(me, "other", static_cast<double>(me.random("other")()));
    tell(me, "second", static_cast<double>(me.random("partner")()));
    me.barrier();
    if (me.rank() == 0) end_run(me);
    me.barrier();
  }
};

struct DrawsAsTheSimulator : NoServer {
  void worker(Worker& me) const override {
    me.random("compress");
    end_run(me);
  }
};

TEST_CASE("an algorithm cannot draw the simulator's own numbers") {
  CHECK_THROWS_WITH(simulate_with<DrawsAsTheSimulator>(workers_of(1)),
                    Catch::Contains("the simulator draws from a stream of this name"));
}

TEST_CASE("every worker has its own stream for every name, whoever else draws") {
  const RunResult two = simulate_with<Drawing>(workers_of(2));
  const RunResult three = simulate_with<Drawing>(workers_of(3));
  CHECK(told(two, "first", 1) == told(three, "first", 1));
  CHECK(told(two, "first", 0) != told(two, "first", 1));
  CHECK(told(two, "first", 0) != told(two, "other", 0));
  RandomStream expected(1, "partner", 0);
  Json seed = workers_of(1);
  seed["seed"] = 1;
  const RunResult one = simulate_with<Drawing>(seed);
  CHECK(told(one, "first") == expected());
  CHECK(told(one, "second") == expected());
}

TEST_CASE("draws are even and without repetition") {
  RandomStream random(5, "draws", 0);
  std::vector<std::size_t> count(6, 0);
  for (std::size_t n = 0; n < 6000; ++n) {
    const std::vector<std::size_t> drawn = draw_some(random, 6, 2);
    REQUIRE(drawn.size() == 2);
    REQUIRE(drawn[0] < drawn[1]);
    ++count[drawn[0]];
    ++count[drawn[1]];
  }
  for (const std::size_t c : count) CHECK(c == Approx(2000).margin(200));  // 5.5 deviations
}

}  // namespace
}  // namespace motley
