#include "sim/study/stored_results.hpp"

namespace motley {

const RunResult* StoredResults::result(const std::string& hash) {
  if (hash.empty()) return nullptr;  // it is not known yet
  const auto known = results_.find(hash);
  if (known != results_.end()) return &known->second;
  RunStore::Found found = store_.load(hash);
  const bool usable = found.run && use_of(found) == Use::as_it_is && found.damage.empty() &&
                      found.run->result.status != RunStatus::failed;
  return usable ? &results_.emplace(hash, std::move(found.run->result)).first->second : nullptr;
}

}  // namespace motley
