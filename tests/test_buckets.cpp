#include <algorithm>
#include <string>
#include <vector>

#include "sim/engine/collectives/gradient_buckets.hpp"
#include "tests/compared.hpp"
#include "tests/mistakes.hpp"
#include "tests/update_times.hpp"

/// Gradients that are all-reduced in buckets while the backward step goes on.
namespace motley {
namespace {

Json bucketed(const std::string& size, const std::string& name = "allreduce") {
  return {{"name", name}, {"bucket_size", size}};
}

/// Four equal workers. Forward 1 s each layer, backward 2 s; 8, 4 and 4 MB from the input on. In buckets
/// of 6 MB: the last two layers make one of 8 MB, ready after 3 + 4 s, and the first one is another,
/// ready 2 s later.
Json three_layers(const std::string& bandwidth, const Json& algorithm) {
  Json scenario = with_algorithm(timing_scenario(), algorithm);
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", 4}, {"speed", "1Gf"}}};
  scenario["cluster"]["link"]["bandwidth"] = bandwidth;
  scenario["cost"] = {{"profile",
                       {{{"flops", "1Gf"}, {"bytes", "8MB"}},
                        {{"flops", "1Gf"}, {"bytes", "4MB"}},
                        {{"flops", "1Gf"}, {"bytes", "4MB"}}}}};
  scenario["stop"]["updates"] = 5;
  return scenario;
}

/// 2 (W-1) (L + S/(W b)) with W = 4 and two links of 1 ms on the way.
double ring(double bytes, double bandwidth) {
  return 6 * (2e-3 + bytes / (4 * bandwidth));
}

std::vector<double> every(double step) {
  return {step, 2 * step, 3 * step, 4 * step};
}

}  // namespace

TEST_CASE("buckets take layers from the output on until they are full") {
  const std::vector<Layer> layers = {{80, 1, 10}, {40, 1, 20}, {40, 1, 30}};
  const auto bytes = [&](double size) {
    std::vector<std::uint64_t> all;
    for (const GradientBucket& bucket : gradient_buckets(layers, 16000, size)) {
      all.push_back(bucket.bytes);
    }
    return all;
  };
  using Bytes = std::vector<std::uint64_t>;
  CHECK(bytes(1) == Bytes{4000, 4000, 8000});
  CHECK(bytes(4000) == Bytes{4000, 4000, 8000});
  CHECK(bytes(4001) == Bytes{8000, 8000});
  CHECK(bytes(8001) == Bytes{16000});
  const std::vector<GradientBucket> two = gradient_buckets(layers, 16000, 6000);
  CHECK(two[0].backward_flops == 50);
  CHECK(two[1].backward_flops == 10);
}

TEST_CASE(
    "a bucket's all-reduce begins when its backward step is done and the one before is through") {
  struct Case {
    std::string bandwidth;
    double Bps;
  };
  // At 100 and 10 MB/s the first bucket is through before the second is ready, at 1 MB/s it is not.
  for (const auto& [bandwidth, Bps] : {Case{"100MBps", 1e8}, {"10MBps", 1e7}, {"1MBps", 1e6}}) {
    CAPTURE(bandwidth);
    const double first = 7 + ring(8e6, Bps);
    const double step = std::max(9.0, first) + ring(8e6, Bps);
    check_times(simulate(three_layers(bandwidth, bucketed("6MB"))), every(step));
    check_times(simulate(three_layers(bandwidth, bucketed("6MB", "allocation"))), every(step));
    // In buckets of one layer: ready after 5, 7 and 9 s.
    const double one = 5 + ring(4e6, Bps);
    const double two = std::max(7.0, one) + ring(4e6, Bps);
    check_times(simulate(three_layers(bandwidth, bucketed("1MB"))),
                every(std::max(9.0, two) + ring(8e6, Bps)));
    // Without buckets nothing overlaps.
    check_times(simulate(three_layers(bandwidth, {{"name", "allreduce"}})),
                every(9 + ring(16e6, Bps)));
  }
}

TEST_CASE("SimGrid's own times of buckets are the same") {
  Json scenario = three_layers("1MBps", bucketed("6MB"));
  scenario["solver"] = "simgrid";
  check_times(simulate(scenario), every(7 + 2 * ring(8e6, 1e6)));
}

TEST_CASE("a bucket of the whole model is no bucket, bit for bit") {
  for (const char* name : {"allreduce", "allocation"}) {
    const RunResult plain = run_of({{"name", name}});
    CHECK(text_of(run_of(bucketed("1MB", name))) == text_of(plain));
  }
}

TEST_CASE("what is learnt in buckets is what is learnt without, bit for bit") {
  // Of the 1 MB of the scenario the output layer has less than half.
  for (const char* name : {"allreduce", "allocation"}) {
    const RunResult plain = run_of({{"name", name}});
    const RunResult buckets = run_of(bucketed("1kB", name));
    CHECK(losses(buckets) == losses(plain));
    CHECK(buckets.virtual_s < plain.virtual_s);
    CHECK(buckets.bytes == plain.bytes);
    CHECK(buckets.samples == plain.samples);
  }
}

TEST_CASE("buckets go by every collective") {
  for (const char* collective : {"ring", "hierarchical", "tree", "halving_doubling"}) {
    CAPTURE(collective);
    Json algorithm = bucketed("6MB");
    algorithm["collective"] = collective;
    const RunResult result = simulate(three_layers("10MBps", algorithm));
    CHECK(result.status == RunStatus::ok);
    CHECK(result.updates == 5);
    CHECK(result.virtual_s > 5 * 9);
  }
}

TEST_CASE("buckets and failures cannot be combined") {
  Json scenario = three_layers("10MBps", bucketed("6MB"));
  REQUIRE(complaint_about(scenario).empty());
  scenario["cluster"]["failures"] = {
      {"detect_after", "1s"}, {"list", {{{"worker", "w-0"}, {"at", "30s"}, {"for", "60s"}}}}};
  CHECK(complaint_about(scenario) ==
        "/algorithms/0/bucket_size: cannot be combined with /cluster/failures: what a failure does "
        "to a gradient that is half averaged is not modelled");
}

}  // namespace motley
