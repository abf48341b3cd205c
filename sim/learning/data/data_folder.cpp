#include "sim/learning/data/data_folder.hpp"

#include <cstdlib>
#include <string>

namespace motley {
namespace {

/// Empty when it is not set, or set to nothing.
std::filesystem::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

std::filesystem::path data_folder() {
  if (auto given = folder_in("MOTLEY_DATA"); !given.empty()) return given;
  if (const auto shared = folder_in("XDG_DATA_HOME"); !shared.empty()) return shared / "motley";
  return folder_in("HOME") / ".local" / "share" / "motley";
}

}  // namespace motley
