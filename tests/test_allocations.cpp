#include <atomic>
#include <cstdlib>
#include <vector>

#include "tests/catch.hpp"
#include "tests/simulated.hpp"

// Counts the large allocations of all threads. Sanitizers bring their own malloc.
namespace {
std::atomic<std::uint64_t> large_allocations = 0;
}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define COUNTS_ALLOCATIONS 1
namespace {
void count(std::size_t size) {
  constexpr std::size_t large = 2048;
  if (size >= large) ++large_allocations;
}
}  // namespace
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t size) {
  count(size);
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}
}
#else
#define COUNTS_ALLOCATIONS 0
#endif

using namespace motley;

TEST_CASE("The steady state takes no memory for models, gradients or batches") {
  if (!COUNTS_ALLOCATIONS) return;
  Json scenario = learning_scenario();
  scenario["data"]["features"] = 80;
  scenario["data"]["classes"] = 10;
  scenario["model"] = {{"kind", "mlp"}, {"hidden", {16}}};  // more than 2048 bytes
  scenario["stop"] = {{"updates", 900}};
  scenario["evaluate"]["every"] = 300;
  for (const std::string name : {"sync", "allreduce", "async", "stale", "local", "grouping",
                                 "biased_local", "od_sgd", "allocation", "backup"}) {
    Json algorithm = {{"name", name}};
    if (name == "backup") algorithm["backup"] = 1;
    if (name == "biased_local") algorithm["bias_sampling"] = false;  // deals anew once a pass
    scenario["algorithms"] = Json::array({algorithm});
    const Experiment experiment = experiment_of(scenario);
    for (const unsigned threads : {1U, 3U}) {
      const ChildOutcome outcome = run_in_child([&]() -> Json {
        std::vector<std::uint64_t> at_point;
        experiment.run(experiment.runs().front(), threads,
                       [&](const Progress&) { at_point.push_back(large_allocations); });
        const std::size_t points = at_point.size();
        if (points < 4 || at_point.front() == 0) throw std::runtime_error("nothing was counted");
        return at_point[points - 1] - at_point[points - 2];
      });
      INFO(name << " with " << threads << " threads");
      REQUIRE(outcome.result);
      CHECK(*outcome.result == 0);
    }
  }
}
