#pragma once

#include <stdexcept>
#include <string>

#include "sim/vocabulary/worker.hpp"
#include "tests/compared.hpp"

/// Algorithms of a test's own that try verbs, and what they tell. A message of a whole model (8 MB) takes
/// 0.08 s at 100 MB/s and 2 ms of latency; a gradient takes a second.
namespace motley {

inline constexpr double message_s = 0.082;

inline Json workers_of(std::size_t count) {
  Json scenario = timing_scenario();
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"count", count}, {"speed", "1Gf"}}};
  scenario["stop"] = {{"updates", 1}};
  return scenario;
}

/// What was found, as the value of a decision.
inline void tell(Worker& me, const char* quantity, double value) {
  me.record_decision(quantity, value);
}

inline double told(const RunResult& result, const std::string& quantity, std::size_t rank = 0) {
  for (const Decision& decision : result.decisions) {
    if (decision.quantity == quantity && decision.rank == rank) return decision.value;
  }
  throw std::runtime_error("nobody told " + quantity);
}

inline void end_run(Worker& me) {
  Model x = me.initial_model();
  me.finish_update(x);
}

struct NoServer : Algorithm {
  bool needs_server() const override { return false; }
};

}  // namespace motley
