#include "sim/study/program_digests.hpp"

#include <motley_commit.hpp>

namespace motley {

std::string program_commit() {
  return MOTLEY_COMMIT;
}

std::string results_digest() {
  return MOTLEY_SOURCES;
}

std::string whatif_digest() {
  return MOTLEY_WHATIF;
}

std::string algorithm_digest(const std::string& name) {
  const auto found = algorithm_digests.find(name);
  return found == algorithm_digests.end() ? "unknown" : found->second;
}

}  // namespace motley
