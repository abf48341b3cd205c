// Collectives that are started and waited for later: what each gives, when it is through, and what becomes
// of it when a member fails. Times in closed forms; see tests/verbs.hpp for those of a message.
#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/verbs.hpp"

namespace motley {
namespace {

Parameters vector_of(double value, std::size_t size = 4) {
  Parameters v = Parameters::zeros(size);
  for (float& each : v.writable()) each = static_cast<float>(value);
  return v;
}

double first(const Parameters& v) {
  return v.empty() ? -1 : static_cast<double>(v.values()[0]);
}

/// Worker r comes after r seconds of work, and works for half a second more before it waits.
template <class Start>
auto started_late(Worker& me, Start start) {
  if (me.rank() > 0) me.gradient(me.initial_model(), 2 * me.rank());
  auto pending = start();
  me.gradient(me.initial_model(), 1);
  tell(me, "done", pending.is_done() ? 1 : 0);
  return pending;
}

Json half_seconds(std::size_t workers) {
  Json scenario = workers_of(workers);
  scenario["cost"]["flops_per_sample"] = "500Mf";
  return scenario;
}

void end_together(Worker& me) {
  tell(me, "at", me.clock());
  me.barrier();
  if (me.rank() == 0) end_run(me);
  me.barrier();
}

void check_times(const RunResult& result, const std::vector<double>& times) {
  REQUIRE(result.reason.empty());
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    CAPTURE(rank);
    CHECK(told(result, "at", rank) == Approx(times[rank]).epsilon(1e-9));
  }
}

/// Whether it was through after half a second of work, by rank.
void check_done(const RunResult& result, const std::vector<bool>& done) {
  for (std::size_t rank = 0; rank < done.size(); ++rank) {
    CAPTURE(rank);
    CHECK(told(result, "done", rank) == (done[rank] ? 1 : 0));
  }
}

// ---- Behind a computation ----

struct StartedBarrier : NoServer {
  void worker(Worker& me) const override {
    started_late(me, [&] { return me.everybody().start_barrier(); }).wait();
    end_together(me);
  }
};

TEST_CASE("a barrier is through when the last has started it, whatever the others do meanwhile") {
  const RunResult result = simulate_with<StartedBarrier>(half_seconds(3));
  check_done(result, {false, false, true});
  check_times(result, {2, 2, 2.5});
}

struct StartedNumbers : NoServer {
  void worker(Worker& me) const override {
    const double mine = 10 + static_cast<double>(me.rank());
    const Notes all = started_late(me, [&] { return me.everybody().start_gather(mine); }).wait();
    tell(me, "sum", all->at(0) + 10 * all->at(1) + 100 * all->at(2));
    end_together(me);
  }
};

TEST_CASE("numbers that are gathered later come in the group's order") {
  const RunResult result = simulate_with<StartedNumbers>(half_seconds(3));
  check_done(result, {false, false, true});
  check_times(result, {2, 2, 2.5});
  for (std::size_t rank = 0; rank < 3; ++rank) {
    CHECK(told(result, "sum", rank) == 10 + 10 * 11 + 100 * 12);
  }
}

struct StartedBroadcast : NoServer {
  void worker(Worker& me) const override {
    const Parameters mine = vector_of(static_cast<double>(me.rank()));
    tell(me, "got",
         first(started_late(me, [&] { return me.everybody().start_broadcast(mine, 1); }).wait()));
    end_together(me);
  }
};

TEST_CASE("a broadcast goes on behind computations, and its root does not wait") {
  const RunResult result = simulate_with<StartedBroadcast>(half_seconds(3));
  // Two messages leave the root at 1 s and share its link: 2 ms + 0.16 s.
  check_done(result, {false, true, true});
  check_times(result, {1.162, 1.5, 2.5});
  for (std::size_t rank = 0; rank < 3; ++rank) CHECK(told(result, "got", rank) == 1);
  CHECK(result.bytes == 2 * 8e6);
}

struct StartedVectors : NoServer {
  void worker(Worker& me) const override {
    const Parameters mine = vector_of(static_cast<double>(me.rank()));
    const std::vector<Parameters> all =
        started_late(me, [&] { return me.everybody().start_gather(mine, 0); }).wait();
    tell(me, "count", static_cast<double>(all.size()));
    if (me.rank() == 0) tell(me, "last", first(all.at(2)));
    end_together(me);
  }
};

TEST_CASE("vectors are gathered behind computations, and only the root waits") {
  const RunResult result = simulate_with<StartedVectors>(half_seconds(3));
  check_done(result, {false, true, true});
  check_times(result, {2 + message_s, 1.5, 2.5});
  CHECK(told(result, "count", 0) == 3);
  CHECK(told(result, "count", 1) == 0);
  CHECK(told(result, "last", 0) == 2);
  CHECK(result.bytes == 2 * 8e6);
}

// ---- Several at once ----

struct Overtaking : NoServer {
  void worker(Worker& me) const override {
    Group& all = me.everybody();
    Pending<Parameters> large = all.start_broadcast(vector_of(me.rank() == 0 ? 5 : 0), 0);
    Pending<Parameters> small = all.start_broadcast(vector_of(me.rank() == 0 ? 6 : 0, 1), 0);
    tell(me, "small", first(small.wait()));
    tell(me, "small_at", me.clock());
    tell(me, "large", first(large.wait()));
    end_together(me);
  }
};

TEST_CASE("of two broadcasts under way the smaller is through first, and they are not mixed up") {
  const RunResult result = simulate_with<Overtaking>(workers_of(2));
  // 8 MB and 2 MB share 100 MB/s: the small one takes 40 ms, the large one 60 ms more.
  CHECK(told(result, "small_at", 1) == Approx(0.002 + 0.04).epsilon(1e-9));
  check_times(result, {0, 0.002 + 0.1});
  CHECK(told(result, "small", 1) == 6);
  CHECK(told(result, "large", 1) == 5);
}

struct Ahead : NoServer {
  void worker(Worker& me) const override {
    const auto rank = static_cast<double>(me.rank());
    Group& all = me.everybody();
    if (me.rank() == 0) {
      std::vector<Pending<Notes>> pending;
      for (int round = 0; round < 3; ++round) pending.push_back(all.start_gather(10.0 * round));
      tell(me, "third", pending[2].wait()->at(1));
      tell(me, "third_at", me.clock());
      tell(me, "first", pending[0].wait()->at(1));
      tell(me, "second", pending[1].wait()->at(1));
    } else {
      for (int round = 0; round < 3; ++round) {
        me.gradient(me.initial_model(), 1);
        tell(me, "other", all.gather(rank + round)->at(0));
        tell(me, ("other" + std::to_string(round)).c_str(), me.clock());
      }
    }
    end_together(me);
  }
};

TEST_CASE("a member may start several gatherings before the others come to the first") {
  const RunResult result = simulate_with<Ahead>(workers_of(2));
  check_times(result, {3, 3});
  CHECK(told(result, "third_at") == Approx(3));
  CHECK(told(result, "first") == 1);
  CHECK(told(result, "second") == 2);
  CHECK(told(result, "third") == 3);
  CHECK(told(result, "other0", 1) == Approx(1));  // who is ahead is not waited for
}

struct InGroups : NoServer {
  void worker(Worker& me) const override {
    const bool odd = me.rank() % 2 == 1;
    const auto rank = static_cast<double>(me.rank());
    Group& pair = me.group(odd ? "odd" : "even",
                           odd ? std::vector<std::size_t>{1, 3} : std::vector<std::size_t>{0, 2});
    Group& all = me.everybody();
    Pending<void> everybody_here = all.start_barrier();
    Pending<Averaged> mean = pair.start_all_reduce_mean(vector_of(rank));
    Pending<Notes> numbers = all.start_gather(rank);
    Pending<std::vector<Parameters>> vectors = pair.start_gather(vector_of(rank), odd ? 3 : 2);
    Pending<Parameters> sent = pair.start_broadcast(vector_of(rank), odd ? 1 : 0);
    me.gradient(me.initial_model(), 1);
    tell(me, "vectors", static_cast<double>(vectors.wait().size()));
    tell(me, "sent", first(sent.wait()));
    tell(me, "mean", first(mean.wait()));
    tell(me, "numbers", numbers.wait()->at(3));
    everybody_here.wait();
    end_together(me);
  }
};

TEST_CASE("all collectives of several groups are under way at once") {
  const RunResult result = simulate_with<InGroups>(workers_of(4));
  check_times(result, {1, 1, 1, 1});
  for (std::size_t rank = 0; rank < 4; ++rank) {
    CAPTURE(rank);
    CHECK(told(result, "mean", rank) == (rank % 2 == 1 ? 2 : 1));
    CHECK(told(result, "sent", rank) == (rank % 2 == 1 ? 1 : 0));
    CHECK(told(result, "vectors", rank) == (rank < 2 ? 0 : 2));
    CHECK(told(result, "numbers", rank) == 3);
  }
}

struct NeverCome : NoServer {
  void worker(Worker& me) const override {
    if (me.rank() == 0) me.everybody().start_barrier().wait();
    me.receive();
  }
};

TEST_CASE("a started barrier that somebody never comes to is a deadlock that says so") {
  const RunResult result = simulate_with<NeverCome>(workers_of(2));
  CHECK(result.status == RunStatus::failed);
  CHECK_THAT(result.reason, Catch::Contains("w-0 waits for the others at the barrier"));
}

// ---- Somebody fails ----

/// Of three workers, `who` fails at half a second, for 2 s, and is missed 1 s later if it is not back.
Json failing(const std::string& who, const std::string& policy, const std::string& time) {
  Json scenario = workers_of(3);
  scenario["cluster"]["failures"] = {{"on_failure", policy},
                                     {"detect_after", "1s"},
                                     {"list", {{{"worker", who}, {"at", "500ms"}, {"for", time}}}}};
  return scenario;
}
constexpr const char* for_long = "1000s";
constexpr double back_at = 2.5;
constexpr double missed_at = 1.5;

/// Worker 2 works for a second before it comes.
struct Failing : NoServer {
  void worker(Worker& me) const override {
    Model x = me.initial_model();
    me.share(x);
    if (me.rank() == 2) me.gradient(x, 1);
    body(me);
    tell(me, "at", me.clock());
    me.barrier();
    if (me.rank() == 0) end_run(me);
    me.barrier();
  }
  virtual void body(Worker& me) const = 0;
};

struct FailingNumbers : Failing {
  void body(Worker& me) const override {
    Pending<void> barrier = me.everybody().start_barrier();
    Pending<Notes> numbers = me.everybody().start_gather(1 + static_cast<double>(me.rank()));
    barrier.wait();
    tell(me, "number", numbers.wait()->at(2));
  }
};

TEST_CASE("drop: a started barrier and gathering go on without a member when it is missed") {
  const RunResult result = simulate_with<FailingNumbers>(failing("w-2", "drop", for_long));
  check_times(result, {missed_at, missed_at});
  CHECK(told(result, "number", 0) == 0);
  CHECK(told(result, "number", 1) == 0);
}

TEST_CASE("wait: a started barrier and gathering wait for a member's return") {
  const RunResult result = simulate_with<FailingNumbers>(failing("w-2", "wait", "2s"));
  // It gets the model of another, and works for a second.
  const double time = back_at + message_s + 1;
  check_times(result, {time, time, time});
  CHECK(told(result, "number", 0) == 3);
}

struct FailingRoot : Failing {
  void body(Worker& me) const override {
    const Parameters mine = vector_of(static_cast<double>(me.rank()));
    tell(me, "got", first(me.everybody().start_broadcast(mine, 2).wait()));
  }
};

TEST_CASE("drop: when the root of a broadcast is missed, everybody keeps its own") {
  const RunResult result = simulate_with<FailingRoot>(failing("w-2", "drop", for_long));
  check_times(result, {missed_at, missed_at});
  CHECK(told(result, "got", 0) == 0);
  CHECK(told(result, "got", 1) == 1);
}

TEST_CASE("wait: a broadcast waits for the return of its root") {
  const RunResult result = simulate_with<FailingRoot>(failing("w-2", "wait", "2s"));
  const double sent_at = back_at + message_s + 1;
  check_times(result, {sent_at + 0.162, sent_at + 0.162, sent_at});
  for (std::size_t rank = 0; rank < 3; ++rank) CHECK(told(result, "got", rank) == 2);
}

struct RootFailsLater : Failing {
  void body(Worker& me) const override {
    const Parameters mine = vector_of(static_cast<double>(me.rank()));
    tell(me, "got", first(me.everybody().start_broadcast(mine, 1).wait()));
  }
};

TEST_CASE("who has not got a broadcast when its root fails gets it from somebody who has") {
  for (const std::string policy : {"drop", "wait"}) {
    CAPTURE(policy);
    Json scenario = failing("r-0", policy, for_long);
    const auto one = [](const char* name, const char* bandwidth) {
      return Json{{"name", name},
                  {"count", 1},
                  {"speed", "1Gf"},
                  {"link", {{"bandwidth", bandwidth}, {"latency", "1ms"}}}};
    };
    scenario["cluster"]["workers"] = {one("slow", "10MBps"), one("r", "100MBps"),
                                      one("w", "100MBps")};
    const RunResult result = simulate_with<RootFailsLater>(scenario);
    // Worker 2 has it at 2 ms + 8/90 s. What goes to worker 0 takes 0.8 s, and is lost at 0.5 s; when
    // that is noticed it is sent again.
    check_times(result, {missed_at + 0.802, 0, 1});
    CHECK(told(result, "got", 0) == 1);
    CHECK(told(result, "got", 2) == 1);
  }
}

struct FailingVectors : Failing {
  void body(Worker& me) const override {
    const Parameters mine = vector_of(static_cast<double>(me.rank()));
    const std::vector<Parameters> all = me.everybody().start_gather(mine, 0).wait();
    if (me.rank() != 0) return;
    tell(me, "one", first(all.at(1)));
    tell(me, "two", first(all.at(2)));
  }
};

TEST_CASE("drop: of a member that is missed the root of a gathering has an empty vector") {
  const RunResult result = simulate_with<FailingVectors>(failing("w-2", "drop", for_long));
  check_times(result, {missed_at, 0});
  CHECK(told(result, "one") == 1);
  CHECK(told(result, "two") == -1);
}

TEST_CASE("wait: the root of a gathering waits for a member's return") {
  const RunResult result = simulate_with<FailingVectors>(failing("w-2", "wait", "2s"));
  const double sent_at = back_at + message_s + 1;
  check_times(result, {sent_at + message_s, 0, sent_at});
  CHECK(told(result, "one") == 1);
  CHECK(told(result, "two") == 2);
}

TEST_CASE("wait: what a failed root had gathered is sent to it again") {
  const RunResult result = simulate_with<FailingVectors>(failing("w-0", "wait", "2s"));
  // The model, then two vectors at once.
  check_times(result, {back_at + message_s + 0.162, 0, 1});
  CHECK(told(result, "one") == 1);
  CHECK(told(result, "two") == 2);
  CHECK(result.bytes == 8e6 * (1 + 1 + 2));  // of worker 1 before; worker 2's was lost at once
}

TEST_CASE("drop: nobody waits for the root of a gathering that is gone") {
  Json scenario = failing("w-0", "drop", "3s");
  const RunResult result = simulate_with<FailingVectors>(scenario);
  CHECK(result.reason.empty());
  CHECK(told(result, "at", 1) == 0);
  CHECK(told(result, "at", 2) == 1);
}

struct SharesTooEarly : NoServer {
  void worker(Worker& me) const override {
    Model x = me.initial_model();
    me.share(x);
    Pending<void> barrier = me.everybody().start_barrier();
    me.share(x);
    barrier.wait();
  }
};

TEST_CASE("a worker that shares its state must have waited for what it started") {
  CHECK_THROWS_WITH(simulate_with<SharesTooEarly>(failing("w-2", "drop", "1s")),
                    Catch::Contains("shared its state before it had waited for a collective"));
}

}  // namespace
}  // namespace motley
