#pragma once

#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "program.hpp"
#include "simulated.hpp"

/// Small runs with --trace, whose every second can be told by hand.
namespace motley::tests {

/// Fast workers take 0.5 s for a gradient, slow ones 1 s.
inline Json cluster_of(int fast, int slow) {
  Json scenario = timing_scenario();
  if (fast > 0) {
    scenario["cluster"]["workers"].push_back({{"name", "fast"}, {"count", fast}, {"speed", "2Gf"}});
  }
  if (slow > 0) {
    scenario["cluster"]["workers"].push_back({{"name", "slow"}, {"count", slow}, {"speed", "1Gf"}});
  }
  return scenario;
}

using Rows = std::vector<std::map<std::string, std::string>>;

/// Runs the program with --trace and gives events.csv.
inline Rows events_of(const TemporaryFolder& folder, const Json& scenario,
                      const std::vector<std::string>& options) {
  folder.write("scenario.json", scenario.dump());
  std::vector<std::string> arguments = {"run", "scenario.json", "--out", "out"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Outcome outcome = run_motley(arguments, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return rows_of(read_file(folder.path() / "out" / "events.csv"));
}

inline Rows of_host(const Rows& rows, const std::string& host) {
  Rows some;
  for (const auto& row : rows) {
    if (row.at("host") == host) some.push_back(row);
  }
  return some;
}

inline double at(const std::map<std::string, std::string>& row, const char* column) {
  return std::stod(row.at(column));
}

}  // namespace motley::tests
