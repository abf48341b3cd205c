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
  std::vector<Push> pushes = next_push_of(all);
  while (pushes.empty()) pushes = next_push_of(all);
  return pushes;
}

void Server::broadcast_model(const Model& x) {
  for (std::size_t worker = 0; worker < workers(); ++worker) send_model(worker, x);
}

void Server::discard_of(std::size_t worker, std::vector<Push>& pushes) {
  std::erase_if(pushes, [&](const Push& push) {
    if (push.sender != worker) return false;
    discard(push);
    return true;
  });
}

Parameters Server::mean(std::span<const Push> pushes) const {
  const double share = 1.0 / static_cast<double>(pushes.size());
  return weighted_sum(pushes, std::vector<float>(pushes.size(), static_cast<float>(share)));
}

Parameters Server::mean_over_samples(std::span<const Push> pushes) const {
  double sum = 0;
  bool equal = true;
  for (const Push& push : pushes) {
    sum += static_cast<double>(push.samples);
    equal = equal && push.samples == pushes.front().samples;
  }
  if (equal) return mean(pushes);
  std::vector<float> weights;
  for (const Push& push : pushes) {
    weights.push_back(static_cast<float>(static_cast<double>(push.samples) / sum));
  }
  return weighted_sum(pushes, weights);
}

}  // namespace motley
