#pragma once

#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/simulated.hpp"

/// Scenarios that are refused, and what is said of them.
namespace motley {

/// Without the name of the file; "" when there is none.
inline std::string complaint_about(const Json& scenario) {
  try {
    experiment_of(scenario);
  } catch (const InputError& error) {
    const std::string text = error.what();
    return text.substr(text.find(": ") + 2);
  }
  return "";
}

struct Mistake {
  std::string pointer;
  Json value;  // null: removed
  std::string complaint;
};

inline void check_mistakes(const Json& scenario, const std::vector<Mistake>& mistakes) {
  REQUIRE(complaint_about(scenario).empty());
  for (const Mistake& mistake : mistakes) {
    Json wrong = scenario;
    apply_override(wrong, {mistake.pointer, mistake.value}, {"", mistake.pointer});
    CAPTURE(mistake.pointer, mistake.value.dump());
    CHECK(complaint_about(wrong) == mistake.complaint);
  }
}

}  // namespace motley
