#include "sim/vocabulary/server.hpp"

#include <numeric>

namespace motley {

std::vector<Push> Server::next_pushes(std::size_t count, double until) {
  std::vector<Push> pushes;
  while (pushes.size() < count) {
    std::optional<Push> push = next_push_before(until);
    if (!push) break;
    pushes.push_back(std::move(*push));
  }
  return pushes;
}

std::vector<Push> Server::next_push_of_each() {
  std::vector<std::size_t> all(workers());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return next_push_of(all);
}

void Server::broadcast_model(const Model& x) {
  for (std::size_t worker = 0; worker < workers(); ++worker) send_model(worker, x);
}

Parameters Server::mean(std::span<const Push> pushes) const {
  const double share = 1.0 / static_cast<double>(pushes.size());
  return weighted_sum(pushes, std::vector<float>(pushes.size(), static_cast<float>(share)));
}

}  // namespace motley
