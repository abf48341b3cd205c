// What calibrate makes of timings, and compare of results: without MPI.

#include <cmath>

#include "sim/cli/tables/prediction.hpp"
#include "sim/live/cluster_fit.hpp"
#include "sim/results/statistics/estimate.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

/// Two workers and a server, as a calibration would time them: one class.
ClusterPlan two_workers() {
  ClusterPlan plan;
  for (const char* name : {"w-0", "w-1"}) {
    HostPlan host;
    host.name = name;
    host.class_name = "w";
    plan.workers.push_back(host);
  }
  plan.servers.emplace_back();
  return plan;
}

}  // namespace

TEST_CASE("timings of links that are as the model has them give back those links") {
  // A way of 2 * 100 us, up 20 MB/s, down 40 MB/s; what two send at once goes through the server's 25 MB/s, and what
  // it sends to two through its 30 MB/s.
  const double way_s = 200e-6;
  Measured measured;
  using What = Timing::What;
  for (const std::uint64_t bytes : {0ULL, 100'000ULL, 1'000'000ULL, 4'000'000ULL}) {
    for (const std::uint64_t worker : {0ULL, 1ULL}) {
      const auto size = static_cast<double>(bytes);
      measured.network.push_back({What::up, worker, 1, bytes, 2 * way_s + size / 20e6});
      measured.network.push_back({What::down, worker, 1, bytes, 2 * way_s + size / 40e6});
    }
  }
  measured.network.push_back({What::incast, 0, 2, 4'000'000, 2 * way_s + 8e6 / 25e6});
  measured.network.push_back({What::outcast, 0, 2, 4'000'000, 2 * way_s + 8e6 / 30e6});
  measured.computing = {{0, 1, 0.01}, {1, 1, 0.03}, {0, 8, 0.04}, {1, 8, 0.04}};

  const ClusterFit fit = fit_cluster(measured, two_workers());
  const FittedLink& worker = fit.classes.at("w");
  CHECK(worker.latency_s == Approx(100e-6));
  CHECK(worker.up_Bps == Approx(20e6));
  CHECK(worker.down_Bps == Approx(40e6));
  CHECK(fit.hub->down_Bps == Approx(25e6));
  CHECK(fit.hub->up_Bps == Approx(30e6));
  // 1 in (10 + 30) / 2 ms; 8 in 40 ms.
  CHECK(fit.samples_per_s.at("w").at(1) == Approx(50));
  CHECK(fit.samples_per_s.at("w").at(8) == Approx(200));

  // Batch 1: 20 ms against 10 and 30; batch 8 as both took.
  CHECK(fit.mean_speed_error() == Approx((1 + 1.0 / 3) / 4));
  const std::string csv = to_csv(fit);
  CHECK(csv.find("\nup,0,1,4000000,0,") != std::string::npos);
  CHECK(csv.find("\ngradient,1,1,0,8,0.04,0.04,0\n") != std::string::npos);

  // From the server one message at a time is limited by its own 30 MB/s, not by the worker's 40: so far the fit is off
  // for those two workers' messages of 100 kB, 1 MB and 4 MB.
  double sum = 0;
  for (const double bytes : {1e5, 1e6, 4e6}) {
    sum += 2 * ((2 * way_s + bytes / 30e6) / (2 * way_s + bytes / 40e6) - 1);
  }
  CHECK(fit.mean_error() == Approx(sum / 14));
}

TEST_CASE(
    "a prediction is compared with what was measured, and an order that came out otherwise is "
    "named") {
  const TemporaryFolder folder;
  const auto results = [&](const std::string& name, const std::string& rows) {
    fs::create_directory(folder.path() / name);
    folder.write(
        name + "/runs.csv",
        "run,algorithm,replica,status,virtual_s,updates,mean_staleness,compute_s,transfer_s,wait_s,"
        "discarded_s,bytes,time_to_target_s\n" +
            rows);
    folder.write(name + "/staleness.csv",
                 "run,class,staleness,count\na-0,w,0,1\n" +
                     std::string(name == "sim" ? "a-0,w,1,3\n" : "a-0,w,1,1\n"));
    folder.write(name + "/curves.csv", "run,updates,time_s\na-0,0,0\na-0," +
                                           std::string(name == "sim" ? "10,5" : "20,8") +
                                           "\na-0,25,10\n");
    return folder.path() / name;
  };
  // a: 10 updates by 5 s predicted, 20 by 8 s measured, whatever comes after; b: 9 s / 30 and 12 s / 20.
  const fs::path sim =
      results("sim", "a-0,a,0,ok,10,20,0.75,10,5,5,0,1000,\nb-0,b,0,ok,9,30,0,10,5,5,0,300,\n");
  const fs::path live =
      results("live", "a-0,a,0,ok,10,25,0.5,10,5,25,0,1250,\nb-0,b,0,ok,12,20,0,10,5,5,0,200,\n");
  const std::vector<Prediction> both = predictions(sim, live);
  REQUIRE(both.size() == 2);
  CHECK(both[0].update_error() == Approx(0.25));
  CHECK(both[0].predicted.wait_share == Approx(0.25));
  CHECK(both[0].measured.wait_share == Approx(0.625));
  CHECK(both[0].predicted.bytes_per_update == Approx(50));
  CHECK_FALSE(both[0].target_error());
  CHECK(*both[0].staleness_error() == Approx(0.5));
  CHECK(*both[1].staleness_error() == 0);
  CHECK(*both[0].wait_error() == Approx(-0.6));
  CHECK(both[0].wait_difference() == Approx(-0.375));
  CHECK(*both[0].bytes_error() == Approx(0));
  // Shares 1/4 and 3/4 against 1/2 and 1/2.
  CHECK(both[0].staleness_distance() == Approx(0.25));
  const Ordering ordering = ordering_of(both);
  CHECK(ordering.by == "time per update");
  REQUIRE(ordering.correlation);
  CHECK(*ordering.correlation == Approx(-1));
  CHECK(ordering.inverted == std::vector<std::string>{"a and b"});
  // Of equal times there is no order.
  const Ordering none = ordering_of({both[0], both[0]});
  CHECK_FALSE(none.correlation);
  CHECK(none.is_kept());
  CHECK(have_target(sim, live));  // no scenario says that there is none
  folder.write("sim/scenario.json", "{}");
  folder.write("live/scenario.json", "{}");
  CHECK_FALSE(have_target(sim, live));
}

TEST_CASE("the server's link is what messages at once reach where it is the limit") {
  using What = Timing::What;
  ClusterPlan plan = two_workers();
  plan.workers.push_back(plan.workers.front());
  plan.workers.push_back(plan.workers.front());
  Measured measured;
  for (const std::uint64_t worker : {0ULL, 1ULL, 2ULL, 3ULL}) {
    for (const std::uint64_t bytes : {1'000'000ULL, 4'000'000ULL}) {
      const auto size = static_cast<double>(bytes);
      measured.network.push_back({What::up, worker, 1, bytes, size / 20e6});
      measured.network.push_back({What::down, worker, 1, bytes, size / 20e6});
    }
  }
  // Into the server two reach the 40 MB/s of their own links, three and four its 50 and 52; out of it never less than
  // their own links allow.
  const std::map<std::uint64_t, double> reached = {{1, 20e6}, {2, 40e6}, {3, 50e6}, {4, 52e6}};
  for (const auto& [senders, Bps] : reached) {
    const double bytes = 4e6 * static_cast<double>(senders);
    measured.network.push_back({What::incast, 0, senders, 4'000'000, bytes / Bps});
    measured.network.push_back({What::outcast, 0, senders, 4'000'000, 4e6 / 20e6});
  }
  const ClusterFit fit = fit_cluster(measured, plan);
  CHECK(fit.hub->down_Bps == Approx(51e6));
  CHECK(fit.hub->up_Bps == Approx(80e6));
}

TEST_CASE("a batch that not all workers of a class were timed with is left out") {
  Measured measured;
  using What = Timing::What;
  for (const std::uint64_t worker : {0ULL, 1ULL}) {
    for (const What what : {What::up, What::down}) {
      measured.network.push_back({what, worker, 1, 1'000'000, 0.05});
    }
  }
  measured.computing = {{0, 1, 6}, {1, 1, 12}, {0, 2, 11}};
  const ClusterFit fit = fit_cluster(measured, two_workers());
  CHECK(fit.samples_per_s.at("w").size() == 1);
  CHECK(fit.speeds.size() == 2);
}

TEST_CASE(
    "how much of an error may be chance is told by replicas, and targets are of the same seeds") {
  const TemporaryFolder folder;
  const auto results = [&](const std::string& name, const std::vector<double>& seconds) {
    fs::create_directory(folder.path() / name);
    std::string rows =
        "run,algorithm,replica,status,virtual_s,updates,mean_staleness,compute_s,transfer_s,wait_s,"
        "discarded_s,bytes,time_to_target_s\n";
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      const std::string replica = std::to_string(i);
      rows += "a-" + replica + ",a," + replica + ",ok," + std::to_string(seconds[i]) +
              ",10,0,1,1,0,0,1," + std::to_string(seconds[i] / 2) + "\n";
    }
    folder.write(name + "/runs.csv", rows);
    folder.write(name + "/staleness.csv", "run,class,staleness,count\n");
    folder.write(name + "/curves.csv", "run,updates,time_s\n");
    return folder.path() / name;
  };
  const fs::path one = results("one", {11});
  const fs::path three = results("three", {9, 10, 14});
  const fs::path others = results("others", {10, 11, 15});
  CHECK_FALSE(predictions(one, one).front().update_chance);

  // The mean of three runs against a fourth: variance 7, and Student's t with two degrees of freedom.
  const Prediction of_three = predictions(three, one).front();
  const double t = 4.302652729749;
  CHECK(of_three.predicted.runs == 3);
  CHECK(of_three.measured.runs == 1);
  CHECK(of_three.update_error() == Approx(0).margin(1e-12));
  REQUIRE(of_three.update_chance);
  CHECK(*of_three.update_chance == Approx(t * std::sqrt(7.0 / 3 + 7) / 11));
  // Of the one replica that both have.
  REQUIRE(of_three.predicted.target_s);
  REQUIRE(of_three.measured.target_s);
  CHECK(*of_three.predicted.target_s == Approx(4.5));
  CHECK(*of_three.measured.target_s == Approx(5.5));
  // One simulated run against three: the same.
  CHECK(*predictions(one, three).front().update_chance == Approx(t * std::sqrt(7.0 / 3 + 7) / 11));
  // Three runs and two, each with its own variance: Welch's degrees of freedom, here 2.98.
  const fs::path two = results("two", {10, 12});
  const double of_sim = 7.0 / 3;
  const double of_live = 2.0 / 2;
  const double freedom =
      std::pow(of_sim + of_live, 2) / (of_sim * of_sim / 2 + of_live * of_live / 1);
  CHECK(freedom == Approx(2.9851).epsilon(1e-4));
  CHECK(*predictions(three, two).front().update_chance ==
        Approx(errors_for_p_value(freedom, 0.05) * std::sqrt(of_sim + of_live) / 11));
  // A simulation without any chance tells nothing of how one live run varies.
  CHECK_FALSE(predictions(results("certain", {10, 10, 10}), one).front().update_chance);
  // The same replicas: each is a second too fast, and nothing of that is chance.
  CHECK(*predictions(three, others).front().update_chance == Approx(0).margin(1e-9));
  CHECK(*predictions(three, others).front().predicted.target_s == Approx(5.5));
}

TEST_CASE("errors of figures that are nearly nothing are empty, not endless") {
  Prediction p;
  CHECK(*p.staleness_error() == 0);
  CHECK(*p.bytes_error() == 0);
  p.predicted.staleness = 1;
  p.predicted.bytes_per_update = 1;
  p.predicted.wait_share = 0.06;
  p.measured.wait_share = 0.01;
  p.predicted.target_s = 3;
  CHECK_FALSE(p.staleness_error());
  CHECK_FALSE(p.bytes_error());
  CHECK_FALSE(p.wait_error());
  CHECK(p.wait_difference() == Approx(0.05));
  CHECK_FALSE(p.target_error());
  p.measured.target_s = 2;
  CHECK(*p.target_error() == Approx(0.5));
}

TEST_CASE(
    "what a comparison is without is told: failed runs, algorithms of one side, another scenario") {
  const TemporaryFolder folder;
  const auto results = [&](const std::string& name, const std::string& rows,
                           const std::string& scenario) {
    fs::create_directory(folder.path() / name);
    folder.write(name + "/runs.csv", "run,algorithm,status,updates\n" + rows);
    folder.write(name + "/scenario.json", scenario);
    return folder.path() / name;
  };
  const fs::path sim = results("sim", "a-0,a,ok,9\na-1,a,ok,9\nb-0,b,ok,3\nc-0,c,ok,0\n",
                               R"({"name": "x", "stop": {"time": "30s"}})");
  const fs::path live = results("live", "a-0,a,ok,9\na-1,a,failed,2\nc-0,c,failed,7\nd-0,d,ok,1\n",
                                R"({"name": "x", "stop": {"time": "5s", "updates": 7}})");
  CHECK(left_out_of(sim, live) ==
        std::vector<std::string>{"b is only in " + sim.string(),
                                 "c made no update, in " + sim.string(),
                                 "a failed in 1 of 2 runs, in " + live.string(),
                                 "c failed, in " + live.string(), "d is only in " + live.string()});
  CHECK(left_out_of(sim, sim) == std::vector<std::string>{"c made no update, in " + sim.string(),
                                                          "c made no update, in " + sim.string()});
  CHECK(scenario_differences(sim, live) ==
        std::vector<std::string>{"/stop/time: \"30s\", \"5s\"", "/stop/updates: (not there), 7"});
  CHECK(scenario_differences(sim, sim).empty());
}

TEST_CASE("links of different classes are found where the server is faster than all of them") {
  using What = Timing::What;
  ClusterPlan plan = two_workers();
  plan.workers[1].class_name = "far";
  // Ways of 0.2 ms at 100 MB/s, and of 2 ms at 1 MB/s.
  const std::vector<double> way_s = {0.2e-3, 2e-3};
  const std::vector<double> Bps = {100e6, 1e6};
  Measured measured;
  for (const std::uint64_t worker : {0ULL, 1ULL}) {
    for (const What what : {What::up, What::down}) {
      for (const std::uint64_t bytes : {100'000ULL, 1'000'000ULL, 4'000'000ULL}) {
        const double moving_s = static_cast<double>(bytes) / Bps[worker];
        measured.network.push_back({what, worker, 1, bytes, 2 * way_s[worker] + moving_s});
      }
    }
  }
  for (const What what : {What::incast, What::outcast}) {
    measured.network.push_back({what, 0, 1, 4'000'000, 2 * way_s[0] + 4e6 / Bps[0]});
    measured.network.push_back({what, 0, 2, 4'000'000, 2 * way_s[1] + 4e6 / Bps[1]});
  }
  const ClusterFit fit = fit_cluster(measured, plan);
  REQUIRE(fit.hub);
  CHECK(fit.hub->up_Bps == Approx(101e6));
  CHECK(fit.hub->down_Bps == Approx(101e6));
  CHECK(fit.hub->latency_s + fit.classes.at("w").latency_s == Approx(way_s[0]));
  CHECK(fit.hub->latency_s + fit.classes.at("far").latency_s == Approx(way_s[1]));
  CHECK(fit.classes.at("w").up_Bps == Approx(100e6));
  CHECK(fit.classes.at("far").down_Bps == Approx(1e6));
  CHECK(fit.mean_error() == Approx(0).margin(1e-9));
}

}  // namespace motley
