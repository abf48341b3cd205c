// What a live run comes to where a simulation of the same scenario says it exactly.

#include <map>

#include "tests/live.hpp"

namespace motley {
namespace {

using Row = std::map<std::string, std::string>;

/// The same scenario live and simulated, with the same changes to it; one run.
struct Both {
  Row live;
  Row simulated;
  std::map<std::string, std::string> live_losses;  // by update
  std::map<std::string, std::string> simulated_losses;
};

std::map<std::string, std::string> losses_of(const std::string& curves) {
  std::map<std::string, std::string> losses;
  for (const Row& row : rows_of(curves)) losses[row.at("updates")] = row.at("test_loss");
  return losses;
}

Both run_both(int ranks, const std::vector<std::string>& changes, const Environment& more = {}) {
  const LivePlace place;
  mpirun();
  std::vector<std::string> words = {"--out", "live"};
  for (const std::string& change : changes) {
    words.emplace_back("--set");
    words.push_back(change);
  }
  std::vector<std::string> live = {"live", "live.json"};
  live.insert(live.end(), words.begin(), words.end());
  const Outcome outcome = place.live(ranks, live, more);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  std::vector<std::string> simulated = {"run", "live.json", "--no-whatif"};
  words[1] = "out";
  simulated.insert(simulated.end(), words.begin(), words.end());
  REQUIRE(place.motley(simulated).exit_code == 0);
  return {rows_of(read_file(place.path() / "live" / "runs.csv")).at(0),
          rows_of(place.result("runs.csv")).at(0),
          losses_of(read_file(place.path() / "live" / "curves.csv")),
          losses_of(place.result("curves.csv"))};
}

const std::string only_sync = R"(/algorithms=[{"name": "sync"}])";
const std::string two_servers = R"(/cluster/servers=[{"speed": "1Gf"}, {"speed": "1Gf"}])";

}  // namespace

TEST_CASE("several servers have the shards that the placement gives them") {
  for (const char* placement : {"even", "slow_first"}) {
    CAPTURE(placement);
    const Both both = run_both(
        5, {R"(/algorithms=[{"name": "sync", "placement": ")" + std::string(placement) + R"("}])",
            R"(/model={"kind": "mlp", "hidden": [4]})", "/cluster/server=null", two_servers,
            R"(/stop={"updates": 12})"});
    CHECK(both.live.at("status") == "ok");
    // The initial model, and after 4, 8 and 12 updates: the same bits. Live it may make some more.
    REQUIRE(both.simulated_losses.size() == 4);
    for (const auto& [update, loss] : both.simulated_losses) {
      CAPTURE(update);
      REQUIRE(both.live_losses.contains(update));
      CHECK(both.live_losses.at(update) == loss);
    }
  }
}

TEST_CASE("models that travel in several pieces arrive as they were, by shared memory and by TCP") {
  for (const Environment& way : {Environment{}, Environment{{"OMPI_MCA_btl", "tcp,self"}}}) {
    for (const char* algorithm :
         {R"("sync")", R"("allreduce")", R"("od_sgd", "warm_up": 2, "in_flight": 2)"}) {
      CAPTURE(way.size(), algorithm);
      // 1,029,103 parameters, 4.1 MB, and padding: more pieces than MPI is handed at once, in a ring of three, too.
      // With two pushes in flight one begins before the other has left.
      const Both both = run_both(
          4,
          {R"(/algorithms=[{"name": )" + std::string(algorithm) + "}]", "/data/features=1000",
           R"(/model={"kind": "mlp", "hidden": [1025]})", R"(/cost/model_size="15MB")"},
          way);
      CHECK(both.live.at("status") == "ok");
      REQUIRE(both.simulated_losses.size() == 4);
      CHECK(both.simulated_losses.at("0") != both.simulated_losses.at("12"));
      for (const auto& [update, loss] : both.simulated_losses) {
        CAPTURE(update);
        REQUIRE(both.live_losses.contains(update));
        CHECK(both.live_losses.at(update) == loss);
      }
    }
  }
}

TEST_CASE("a run that ends by its samples ends with the model that it has then") {
  // Evaluated nowhere but at the end. Twelve updates of 24 samples are asked for; live it notices a moment later.
  const Both both =
      run_both(4, {only_sync, R"(/stop={"samples": 288})", R"(/evaluate={"every": 1000000})"});
  CHECK(both.simulated.at("updates") == "12");
  CHECK(std::stoi(both.live.at("updates")) >= 12);
  // The initial model has 1.0986, the logarithm of 3.
  CHECK(std::stod(both.simulated.at("final_test_loss")) < 0.7);
  CHECK(std::stod(both.live.at("final_test_loss")) <
        std::stod(both.simulated.at("final_test_loss")) + 0.05);
}

TEST_CASE("a ring without room for whole vectors averages by partial sums, to rounding") {
  const Both both =
      run_both(3, {R"(/algorithms=[{"name": "allreduce"}])", R"(/cost={"flops_per_sample": "1kf"})",
                   R"(/stop={"updates": 12})"});
  CHECK(both.live.at("updates") == "12");
  CHECK(std::stod(both.live.at("final_test_loss")) ==
        Approx(std::stod(both.simulated.at("final_test_loss"))).epsilon(1e-5));
}

TEST_CASE("energy of links is counted as in a simulation") {
  const Both both =
      run_both(4, {only_sync, R"(/cluster/link/power={"busy": "10W", "idle": "0W"})"});
  CHECK(std::stod(both.simulated.at("energy_J")) > 0);
  // Nothing else draws power, and idle links draw none: so many joules per byte.
  CHECK(std::stod(both.live.at("energy_J")) / std::stod(both.live.at("bytes")) ==
        Approx(std::stod(both.simulated.at("energy_J")) / std::stod(both.simulated.at("bytes"))));
}

}  // namespace motley
