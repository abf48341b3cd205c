#include "sim/results/run_status.hpp"

namespace motley {

std::string to_text(RunStatus status) {
  switch (status) {
    case RunStatus::ok:
      return "ok";
    case RunStatus::diverged:
      return "diverged";
    case RunStatus::failed:
      return "failed";
  }
  return "";
}

std::optional<RunStatus> run_status_of(const std::string& text) {
  for (const RunStatus status : {RunStatus::ok, RunStatus::diverged, RunStatus::failed}) {
    if (to_text(status) == text) return status;
  }
  return std::nullopt;
}

}  // namespace motley
