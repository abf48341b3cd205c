// Machines that fail and return: virtual times against closed forms, to 1e-9, and what becomes of
// everything that was under way. A sample takes 1 Gf and a message S = 9 MB; alone on its way, over
// links of 100 MB/s with 1 ms, it takes 2 ms + 90 ms.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "sim/base/format.hpp"
#include "sim/base/json.hpp"
#include "sim/scenario/planned_failures.hpp"
#include "sim/study/described_experiment.hpp"
#include "sim/study/whatif/whatif_changes.hpp"
#include "tests/catch.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

constexpr double alone = 2e-3 + 0.09;

Approx to_the_digit(double expected) {
  return Approx(expected).margin(1e-9).epsilon(0);
}

/// Equal workers w-0, w-1, ... that take a second for a gradient, and a server whose link is never the
/// bottleneck.
Json cluster_of(int workers, const std::string& algorithm, const Json& failures) {
  Json scenario = timing_scenario();
  scenario["cost"]["model_size"] = "9MB";
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", workers}, {"speed", "1Gf"}}};
  scenario["cluster"]["server"] = {{"speed", "1Tf"},
                                   {"link", {{"bandwidth", "100GBps"}, {"latency", "1ms"}}}};
  scenario["cluster"]["failures"] = failures;
  scenario["algorithms"] = {{{"name", algorithm}}};
  scenario["stop"]["updates"] = 12;
  return scenario;
}

Json down(const std::string& worker, const std::string& at, const std::string& time) {
  return {{"worker", worker}, {"at", at}, {"for", time}};
}

void check_updates(const RunResult& result, const std::vector<double>& expected) {
  REQUIRE(result.reason.empty());
  REQUIRE(result.curve.size() > expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(result.curve[i + 1].time_s == to_the_digit(expected[i]));
  }
}

TEST_CASE(
    "async: what a failed worker computes is lost, and it is sent the model when it returns") {
  const RunResult result = simulate(
      cluster_of(1, "async", {{"detect_after", "500ms"}, {"list", {down("w-0", "2s", "3s")}}}));
  const double cycle = alone + 1 + alone;
  // The second gradient began when the model came, and is lost at 2 s. The next comes 5 s + cycle.
  check_updates(result, {cycle, 5 + cycle, 5 + 2 * cycle, 5 + 3 * cycle});
  CHECK(result.workers[0].down_s == to_the_digit(3));
  CHECK(result.workers[0].lost_s == to_the_digit(2 - cycle - alone));
  CHECK(result.workers[0].discarded_s == to_the_digit(2 - cycle - alone));
  CHECK(result.workers[0].failures == 1);
  CHECK(result.gradients == 12);
  // 12 models and 12 pushes used, the model that was computed on in vain, and the last update's answer
  // has not left.
  CHECK(result.bytes == 25 * 9e6);
}

TEST_CASE("async: a message under way is lost with its machine and not delivered") {
  const double cycle = alone + 1 + alone;
  // Down at 1.1 s, when the push is under way, and back at 1.2 s, before anybody has noticed.
  const RunResult result = simulate(
      cluster_of(1, "async", {{"detect_after", "5s"}, {"list", {down("w-0", "1100ms", "100ms")}}}));
  check_updates(result, {1.2 + cycle, 1.2 + 2 * cycle});
  CHECK(result.bytes == 25 * 9e6);
  CHECK(result.gradients == 13);
}

TEST_CASE("sync, drop: the step goes on without a worker when it is noticed that it is gone") {
  const RunResult result = simulate(
      cluster_of(2, "sync", {{"detect_after", "2s"}, {"list", {down("w-1", "1500ms", "10s")}}}));
  const double step = alone + 1 + alone;
  // The second step is under way at 1.5 s; noticed at 3.5 s. Six more alone; in the seventh w-1 is
  // back at 11.5 s, is sent its model, and is waited for.
  std::vector<double> times = {step, 3.5};
  while (times.back() + step < 11.5) times.push_back(times.back() + step);
  times.push_back(11.5 + step);
  times.push_back(times.back() + step);
  check_updates(result, times);
}

TEST_CASE("sync, wait: the step waits for the return") {
  const RunResult result = simulate(cluster_of(
      2, "sync",
      {{"detect_after", "2s"}, {"on_failure", "wait"}, {"list", {down("w-1", "1500ms", "10s")}}}));
  const double step = alone + 1 + alone;
  check_updates(result, {step, 11.5 + step, 11.5 + 2 * step, 11.5 + 3 * step});
}

// Of an all-reduce among n: 2 (n-1) steps of a piece of S/n.
double ring(int n) {
  return 2 * (n - 1) * (2e-3 + 0.09 / n);
}

TEST_CASE(
    "all-reduce, drop: the ring is formed anew of those present, and again with who returns") {
  const RunResult result = simulate(cluster_of(
      3, "allreduce", {{"detect_after", "2s"}, {"list", {down("w-2", "1500ms", "10s")}}}));
  std::vector<double> times = {1 + ring(3), 3.5 + ring(2)};
  while (times.back() + 1 + ring(2) < 11.5) times.push_back(times.back() + 1 + ring(2));
  // Back at 11.5 s, while the others compute: it gets the model from one of them, and is waited for.
  times.push_back(11.5 + alone + 1 + ring(3));
  times.push_back(times.back() + 1 + ring(3));
  check_updates(result, times);
}

TEST_CASE("all-reduce, wait: the ring is begun anew when the worker is back") {
  const RunResult result = simulate(cluster_of(
      3, "allreduce",
      {{"detect_after", "2s"}, {"on_failure", "wait"}, {"list", {down("w-2", "1500ms", "10s")}}}));
  // The model's 9 MB share the way to w-2 with what w-1 sends it: a piece of the ring's first step and
  // one of the second, 3 MB each. The link is never idle, and the model comes last.
  const double back = 11.5 + 2e-3 + 0.15 + 1 + ring(3);
  check_updates(result, {1 + ring(3), back, back + 1 + ring(3)});
}

TEST_CASE("all-reduce: the first worker may fail, and another one leads") {
  const RunResult result = simulate(cluster_of(
      3, "allreduce", {{"detect_after", "2s"}, {"list", {{{"worker", "w-0"}, {"at", "1500ms"}}}}}));
  check_updates(result, {1 + ring(3), 3.5 + ring(2), 3.5 + ring(2) + 1 + ring(2)});
  CHECK(result.updates == 12);
}

TEST_CASE("momentum travels with the model: replicas stay equal after a return") {
  Json scenario = cluster_of(3, "allreduce",
                             {{"detect_after", "2s"}, {"list", {down("w-2", "1500ms", "10s")}}});
  scenario["defaults"]["momentum"] = 0.5;
  // Two vectors of 9 MB.
  const RunResult result = simulate(scenario);
  const std::vector<CurvePoint>& curve = result.curve;
  CHECK(std::ranges::any_of(curve, [](const CurvePoint& point) {
    return std::abs(point.time_s - (11.5 + 2e-3 + 0.18 + 1 + ring(3))) < 1e-9;
  }));
  // A quadratic without noise: with equal replicas the path is that of a run in which nobody fails.
  Json without = scenario;
  without["cluster"].erase("failures");
  const RunResult same = simulate(without);
  REQUIRE(same.curve.size() == curve.size());
  for (std::size_t i = 0; i < curve.size(); ++i) {
    CHECK(*curve[i].test_loss == Approx(*same.curve[i].test_loss).epsilon(1e-4));
  }
}

TEST_CASE("a worker that joins late is missed by nobody before") {
  const RunResult result = simulate(cluster_of(
      2, "sync", {{"detect_after", "2s"}, {"list", {{{"worker", "w-1"}, {"from", "3s"}}}}}));
  const double step = alone + 1 + alone;
  check_updates(result, {step, 2 * step, 3 + step, 3 + 2 * step});
  CHECK(result.workers[1].down_s == to_the_digit(3));
}

TEST_CASE("a server returns with its last checkpoint, and what was made since is lost") {
  const RunResult result =
      simulate(cluster_of(1, "async",
                          {{"detect_after", "1s"},
                           {"checkpoint", "3s"},
                           {"list", {{{"server", "server"}, {"at", "4s"}, {"for", "2s"}}}}}));
  const double cycle = alone + 1 + alone;
  // Saved at 3 s: two updates. The third is lost, and so is the push that leaves while it is down.
  check_updates(result, {cycle, 2 * cycle, 3 * cycle, 6 + cycle, 6 + 2 * cycle});
  CHECK(result.lost_updates == 1);
  // The fourth update is made of the model of two: as good as the third was.
  CHECK(result.curve[4].test_loss == result.curve[3].test_loss);
}

TEST_CASE("what was lost with a server once is not lost again") {
  const auto down_at = [](const char* at) {
    return Json{{"server", "server"}, {"at", at}, {"for", "500ms"}};
  };
  const RunResult result = simulate(cluster_of(
      1, "async",
      {{"detect_after", "1s"}, {"checkpoint", "3s"}, {"list", {down_at("4s"), down_at("5s")}}}));
  const double cycle = alone + 1 + alone;
  // The third update is lost at 4 s, and no other is made before 5 s: the gradient that the worker has
  // begun comes from a lost model both times.
  check_updates(result, {cycle, 2 * cycle, 3 * cycle, 3 * cycle + alone + 3 + alone});
  CHECK(result.lost_updates == 1);
}

// ---- Several servers ----

/// Of which each has a part of the model.
Json with_servers(Json scenario, int servers) {
  scenario["cluster"]["servers"] = {scenario["cluster"]["server"]};
  scenario["cluster"]["servers"][0]["count"] = servers;
  scenario["cluster"].erase("server");
  return scenario;
}

TEST_CASE("when one of several servers returns, all parts go back to the same checkpoint") {
  const Json scenario =
      with_servers(cluster_of(1, "async",
                              {{"detect_after", "1s"},
                               {"checkpoint", "3s"},
                               {"list", {{{"server", "server-1"}, {"at", "4s"}, {"for", "2s"}}}}}),
                   2);
  const RunResult result = simulate(scenario);
  // The two parts share the worker's link, so both together take as long as a whole.
  const double cycle = alone + 1 + alone;
  // As with a single server: two updates were saved at 3 s, and the third is lost. What server-0 gets
  // while the other is down makes no update of the whole, and is lost with it.
  check_updates(result, {cycle, 2 * cycle, 3 * cycle, 6 + cycle, 6 + 2 * cycle});
  CHECK(result.lost_updates == 1);
  CHECK(result.curve[4].test_loss == result.curve[3].test_loss);
}

TEST_CASE("several servers begin anew when the last of them is back, and so do the workers") {
  Json scenario =
      with_servers(cluster_of(2, "sync",
                              {{"detect_after", "1s"},
                               {"checkpoint", "1h"},
                               {"list",
                                {{{"server", "server-0"}, {"at", "3s"}, {"for", "2s"}},
                                 {{"server", "server-2"}, {"at", "4s"}, {"for", "2500ms"}}}}}),
                   3);
  scenario["model"]["dimension"] = 6;  // in equal parts
  const RunResult result = simulate(scenario);
  const double cycle = alone + 1 + alone;
  // Nothing was ever saved but the initial model. server-0 is back at 5 s and waits for server-2.
  check_updates(result, {cycle, 2 * cycle, 6.5 + cycle, 6.5 + 2 * cycle});
  CHECK(result.lost_updates == 2);
  CHECK(result.curve[3].test_loss == result.curve[1].test_loss);
}

TEST_CASE("a gradient under way is lost when several servers begin anew") {
  const RunResult result = simulate(with_servers(
      cluster_of(1, "async",
                 {{"detect_after", "1s"},
                  {"checkpoint", "3s"},
                  {"list", {{{"server", "server-1"}, {"at", "4s"}, {"for", "500ms"}}}}}),
      2));
  const double cycle = alone + 1 + alone;
  // The fourth gradient began when the model had come, and is lost at 4.5 s.
  check_updates(result, {cycle, 2 * cycle, 3 * cycle, 4.5 + cycle});
  CHECK(result.workers[0].lost_s == to_the_digit(4.5 - 3 * cycle - alone));
  CHECK(result.workers[0].failures == 0);
}

/// Whose server goes on for ever as long as nobody joins: then it does nothing any more, unless it is
/// begun anew.
class GivesUp : public Algorithm {
 public:
  void worker(Worker& me) const override {
    for (;;) me.answer_with_gradient(1);
  }
  void server(Server& me) const override {
    Model x = me.initial_model();
    me.broadcast_model(x);
    for (;;) {
      const Event event = *me.next_event();
      if (event.kind == Event::Kind::joined && !me.is_resumed()) break;
      if (event.kind != Event::Kind::message) continue;
      me.finish_update(x, event.message);
      me.send_model(event.worker, x);
    }
    for (;;) me.next_event();
  }
};

TEST_CASE("when everybody waits for everybody after a failure, several servers begin anew") {
  const Json alone_scenario =
      cluster_of(1, "async", {{"detect_after", "500ms"}, {"list", {down("w-0", "2s", "3s")}}});
  const RunResult with_one = simulate_with<GivesUp>(alone_scenario);
  CHECK(with_one.status == RunStatus::failed);
  const RunResult with_two = simulate_with<GivesUp>(with_servers(alone_scenario, 2));
  const double cycle = alone + 1 + alone;
  // The model is sent at 5 s, and a gradient comes back that nobody takes. Looked for 0.5 s, 1.5 s after
  // the return: then all begin anew, with what they have.
  check_updates(with_two, {cycle, 6.5 + cycle, 6.5 + 2 * cycle});
  CHECK(with_two.updates == 12);
  CHECK(with_two.lost_updates == 0);
}

TEST_CASE("when all are down at once the run goes on with the first who returns") {
  for (const char* algorithm : {"sync", "async", "allreduce", "local"}) {
    CAPTURE(algorithm);
    const RunResult result = simulate(cluster_of(
        2, algorithm,
        {{"detect_after", "1s"}, {"list", {down("w-0", "3s", "4s"), down("w-1", "3s", "9s")}}}));
    CAPTURE(result.reason);
    CHECK(result.status == RunStatus::ok);
    CHECK(result.updates == 12);
  }
}

TEST_CASE("when the last worker has left for good the run ends and says so") {
  for (const char* policy : {"drop", "wait"}) {
    const RunResult result = simulate(cluster_of(
        2, "sync",
        {{"detect_after", "1s"},
         {"on_failure", policy},
         {"list", {{{"worker", "w-0"}, {"at", "2s"}}, {{"worker", "w-1"}, {"at", "3s"}}}}}));
    CHECK(result.status == RunStatus::failed);
    CHECK(result.reason == "every worker is down for good since 3 s");
    CHECK(result.virtual_s == to_the_digit(3));
  }
}

TEST_CASE("machines that fail before anything is done do not run for ever") {
  const RunResult result = simulate(
      cluster_of(2, "sync",
                 {{"detect_after", "1ms"},
                  {"laws", {{{"mean_time_between", "1ms"}, {"mean_time_to_return", "1ms"}}}}}));
  CHECK(result.status == RunStatus::failed);
  CHECK(result.reason.find("no update in 2001 failures since 0 s") == 0);
}

TEST_CASE("waiting for one that never returns ends the run, which names it") {
  Json failures = {{"detect_after", "1s"},
                   {"on_failure", "wait"},
                   {"list", {{{"worker", "w-1"}, {"at", "2s"}}}}};
  const auto complaint = [](const Json& scenario) {
    const RunResult result = simulate(scenario);
    CHECK(result.status == RunStatus::failed);
    return result.reason;
  };
  const std::string who =
      " s: w-1 is down for good; w-0 waits for a model from the server; server waits for a push "
      "from any worker";
  // w-0's second gradient leaves the server waiting. One who fails later changes nothing.
  std::ostringstream second;
  second << "waits for ever since " << 2 * (alone + 1 + alone) << who;
  CHECK(complaint(cluster_of(2, "sync", failures)) == "waits for ever since 3" + who);
  failures["checkpoint"] = "1s";
  failures["laws"] = {
      {{"class", "server"}, {"mean_time_between", "1000s"}, {"mean_time_to_return", "1s"}}};
  CHECK(complaint(cluster_of(2, "sync", failures)) == second.str());
  Json busy = cluster_of(2, "sync", failures);
  busy["cluster"]["traffic"] = {
      {{"from", "w-0"}, {"to", "server"}, {"size", "1kB"}, {"every", "1s"}}};
  CHECK(complaint(busy) == second.str());
}

/// The server sends w-0 a model that ends as w-0 fails, twice, each time just after the beginning of
/// one to w-1 at that moment; then it sends w-1 another.
struct SendsAtTheLastMoment : Algorithm {
  void server(Server& me) const override {
    Model x = me.initial_model();
    for (const double begin : {1.5, 3.5}) {
      me.next_push_before(begin);
      me.send_model(1, x);
      me.next_push_before(begin + 0.75);
      me.send_model(0, x);
    }
    me.next_push_before(6);
    me.send_model(1, x);
    for (;;) {
      const Push push = me.next_push();
      me.finish_update(x, push);
    }
  }
  void worker(Worker& me) const override {
    if (me.rank() == 0) {
      for (;;) me.pull();
    }
    me.pull();
    me.pull();
    me.push(me.gradient(me.pull(), 1));
    me.pull();
  }
};

TEST_CASE(
    "a message that is lost as it ends keeps no place at a port that takes so many at a time") {
  // A model takes 0.75 s. Those to w-0 flow from 2.25 to 3 s and from 4.25 to 5 s, when w-0 fails.
  // Those to w-1, sent at 1.5 and 3.5 s, have a latency of 1.5 s: they begin at 3 and 5 s, and so does
  // the third one at 7.5 s, if there is a place for it among the two. It is there at 8.25 s, its
  // gradient at 9.25 s, which begins to flow 1.5 s later.
  Json scenario = cluster_of(
      2, "async",
      {{"detect_after", "100s"},
       {"list",
        {{{"worker", "w-0"}, {"from", "2s"}}, down("w-0", "3s", "1s"), down("w-0", "5s", "90s")}}});
  scenario["cluster"]["workers"] = Json::parse(R"([
    {"name": "w", "count": 1, "speed": "1Gf", "link": {"bandwidth": "8MBps", "latency": "0s"}},
    {"name": "v", "count": 1, "speed": "1Gf", "link": {"bandwidth": "8MBps", "latency": "1.5s"}}])");
  scenario["cluster"]["server"]["link"] = {{"bandwidth", "8MBps"}, {"latency", "0s"}};
  scenario["cost"]["model_size"] = "6MB";
  scenario["approximate"] = {{"port_flows", 2}};
  scenario["stop"]["updates"] = 1;
  check_updates(simulate_with<SendsAtTheLastMoment>(scenario), {11.5});
}

TEST_CASE("what is said of failures before a run is what will happen") {
  const auto described = [](const Json& failures, const Json& stop) {
    Json scenario = cluster_of(4, "sync", failures);
    scenario["stop"] = stop;
    const std::string text = described_experiment(experiment_of(scenario));
    const std::size_t at = text.find("failures: ");
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  };
  const Json law = {{"mean_time_between", "90s"}, {"mean_time_to_return", "10s"}};
  const Json time = {{"time", "100s"}};
  const Json updates = {{"updates", 10}};
  const Json soon = {{"detect_after", "1s"}};
  CHECK(described(soon, time).empty());
  // w-0 is down for 30 of 100 s, w-1 for the last 50: 80 of 400.
  Json failures = soon;
  failures["list"] = {down("w-0", "10s", "30s"), {{"worker", "w-1"}, {"at", "50s"}}};
  CHECK(described(failures, time) ==
        "failures: 2 of 4 workers may fail (2 as listed); workers are down 20 % of their time up "
        "to "
        "100 s with seed 1");
  // One of four has gone for good.
  CHECK(described(failures, updates) ==
        "failures: 2 of 4 workers may fail (2 as listed); workers are down 25 % of their time in "
        "the "
        "long run");
  failures = soon;
  failures["checkpoint"] = "1s";
  failures["list"] = {{{"server", "server"}, {"at", "1s"}, {"for", "1s"}}};
  failures["laws"] = {law};
  CHECK(described(failures, updates) ==
        "failures: 4 of 4 workers may fail (4 by law), server too; workers are down 10 % of their "
        "time in the long run");
  // The share is that of the run.
  Json scenario = cluster_of(4, "async", failures);
  scenario["stop"] = {{"time", "1000s"}};
  double down_s = 0;
  for (const WorkerResult& worker : simulate(scenario).workers) down_s += worker.down_s;
  CHECK(described(failures, scenario["stop"])
            .find("workers are down " + significant(100 * down_s / 4000) +
                  " % of their time up to 1000 s with seed 1") != std::string::npos);
}

std::string complaint(const Json& failures) {
  try {
    const Experiment experiment = experiment_of(cluster_of(2, "sync", failures));
    return "none, with " + std::to_string(experiment.runs().size()) + " run";
  } catch (const InputError& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);  // without the file
  }
}

TEST_CASE("mistakes in failures are told at their place") {
  const std::string at = "/cluster/failures";
  const Json soon = "1s";
  const auto with = [&](const Json& entry) {
    return complaint({{"detect_after", soon}, {"list", {entry}}});
  };
  CHECK(complaint(Json::object())
            .find(at + ": needs \"detect_after\": a time with its unit, of at least 0") == 0);
  CHECK(with({{"worker", "w-7"}, {"at", soon}}) ==
        at + "/list/0/worker: must be the name of a worker (did you mean 'w-0'?), got \"w-7\"");
  CHECK(with({{"worker", "w-0"}}) == at + "/list/0: needs exactly one of \"at\" and \"from\"");
  CHECK(with({{"at", soon}}) == at + "/list/0: needs exactly one of \"worker\" and \"server\"");
  CHECK(with({{"worker", "w-0"}, {"from", soon}, {"for", soon}}) ==
        at + "/list/0/for: goes with \"at\": remove it, or \"from\"");
  CHECK(with({{"server", "server"}, {"at", soon}}) ==
        at + "/list/0: needs \"for\": a server must return");
  CHECK(with({{"server", "server"}, {"at", soon}, {"for", soon}}) ==
        at + ": needs a \"checkpoint\": server fails, and returns with what was saved last");
  const Json law = {{"mean_time_between", "10s"}, {"mean_time_to_return", "never"}};
  CHECK(complaint({{"detect_after", soon}, {"laws", {law, law}}}) ==
        at + "/laws/1: w-0 has a law already: one for each machine");
  Json of_server = law;
  of_server["class"] = "server";
  CHECK(complaint({{"detect_after", soon}, {"checkpoint", soon}, {"laws", {of_server}}}) ==
        at + "/laws/0/mean_time_to_return: must be a time: a server must return");
  Json of_nobody = law;
  of_nobody["class"] = "v";
  CHECK(complaint({{"detect_after", soon}, {"laws", {of_nobody}}}) ==
        at + "/laws/0/class: must be a class of workers, or \"server\" (did you mean 'w'?), got "
             "\"v\"");
}

TEST_CASE("outages follow from seed and machine, in order, and those that touch are one") {
  HostFailures failures;
  failures.list = {{5, 7}, {1, 2}, {6, 8}, {8, 9}};
  Outages listed(failures, 1, 0);
  const auto check_next = [](Outages& outages, double from, double until) {
    const std::optional<Outage> next = outages.next();
    REQUIRE(next);
    CHECK(next->from_s == from);
    CHECK(next->until_s == until);
  };
  check_next(listed, 1, 2);
  check_next(listed, 5, 9);
  CHECK(!listed.next());

  failures.list = {};
  failures.law = FailureLawSpec{{}, 100, 2, 10};
  Outages drawn(failures, 1, 0);
  Outages again(failures, 1, 0);
  Outages of_another(failures, 1, 1);
  double up = 0;
  double down_s = 0;
  double until = 0;
  constexpr int many = 20000;
  bool differs = false;
  for (int i = 0; i < many; ++i) {
    const Outage outage = *drawn.next();
    const Outage same = *again.next();
    CHECK(same.from_s == outage.from_s);
    differs = differs || of_another.next()->from_s != outage.from_s;
    up += outage.from_s - until;
    until = outage.until_s;
    down_s += outage.until_s - outage.from_s;
  }
  CHECK(differs);
  // Standard errors: 100 x 0.52 / sqrt(20000) = 0.4 and 10 / sqrt(20000) = 0.07; five of them.
  CHECK(up / many == Approx(100).margin(2));
  CHECK(down_s / many == Approx(10).margin(0.35));
}

// ---- At one moment ----

TEST_CASE(
    "a failure or a change at the moment at which others' messages begin and end is survived") {
  for (const char* algorithm : {"sync", "allreduce", "stale", "async", "wp_sgd"}) {
    for (const char* solver : {"fast", "simgrid"}) {
      CAPTURE(algorithm, solver);
      Json scenario = cluster_of(3, algorithm,
                                 {{"detect_after", "500ms"}, {"list", {down("w-0", "3s", "1s")}}});
      scenario["solver"] = solver;
      scenario["stop"] = {{"time", "12s"}};
      scenario["cluster"]["traffic"] = {
          {{"from", "w-1"}, {"to", "w-2"}, {"size", "1MB"}, {"every", "100ms"}},
          {{"from", "w-1"}, {"to", "server"}, {"size", "30MB"}, {"every", "1s"}}};
      scenario["cluster"]["changes"] = {
          {{"class", "w"}, {"at", "5s"}, {"for", "1s"}, {"speed", 0.5}, {"bandwidth", 0.5}}};
      if (algorithm == std::string("wp_sgd")) scenario["algorithms"][0]["round_time"] = "2s";
      const RunResult result = simulate(scenario);
      CHECK(result.reason.empty());
      CHECK(result.gradients > 0);
      CHECK(result.workers[0].down_s == to_the_digit(1));
    }
  }
}

TEST_CASE("equal workers who come to an all-reduce at one moment form one round") {
  for (const char* collective : {"ring", "tree", "halving_doubling", "hierarchical"}) {
    for (const char* solver : {"fast", "simgrid"}) {
      CAPTURE(collective, solver);
      Json scenario = cluster_of(
          7, "allreduce", {{"detect_after", "500ms"}, {"list", {down("w-0", "1000s", "1s")}}});
      scenario["solver"] = solver;
      scenario["algorithms"][0]["collective"] = collective;
      const RunResult result = simulate(scenario);
      CHECK(result.reason.empty());
      CHECK(result.updates == 12);
    }
  }
}

// ---- What if ----

TEST_CASE("what if nobody failed is asked where somebody may, and of nobody else") {
  const Json failures = {{"detect_after", "500ms"}, {"list", {down("w-0", "2s", "3s")}}};
  const auto asked = [](const Json& scenario) {
    const Experiment experiment = experiment_of(scenario);
    for (const Change& change : changes_for(experiment, true)) {
      if (change.name != "no_failures") continue;
      ChangedCluster changed{experiment.cluster(), 0, 0};
      CHECK(has_failures(changed.plan));
      change.apply(changed);
      CHECK_FALSE(has_failures(changed.plan));
      return true;
    }
    return false;
  };
  CHECK(asked(cluster_of(2, "sync", failures)));
  CHECK_FALSE(asked(cluster_of(2, "sync", {{"detect_after", "500ms"}})));
}

}  // namespace
}  // namespace motley
