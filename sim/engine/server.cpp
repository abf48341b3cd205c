#include "sim/engine/server.hpp"

#include <algorithm>

#include "sim/engine/simulation.hpp"

namespace motley {

std::size_t Server::workers() const {
  return simulation_.workers();
}

double Server::clock() const {
  return simulation_.clock();
}

Model Server::initial_model() const {
  return simulation_.initial_model();
}

Push Server::next_push() {
  simulation_.set_server_waits_for("a push from any worker");
  Push push = simulation_.server_inbox().take();
  simulation_.set_server_waits_for("nothing");
  return push;
}

std::vector<Push> Server::next_push_of_each() {
  std::vector<Push> pushes;
  while (pushes.size() < workers()) pushes.push_back(next_push());
  std::sort(pushes.begin(), pushes.end(),
            [](const Push& a, const Push& b) { return a.worker < b.worker; });
  return pushes;
}

void Server::send_model(std::size_t worker, const Model& x) {
  simulation_.network().send(simulation_.server_node(), worker, simulation_.setup().message_bytes,
                             [simulation = &simulation_, worker, x] {
                               simulation->worker_inbox(worker).put(simulation->clock(),
                                                                    simulation->server_node(), x);
                             });
}

void Server::broadcast_model(const Model& x) {
  for (std::size_t worker = 0; worker < workers(); ++worker) send_model(worker, x);
}

void Server::step(SgdRule& rule, Model& x, const Parameters& g, float scale) const {
  rule.step(x, g, simulation_.pool(), scale);
}

Parameters Server::mean(std::span<const Push> pushes) const {
  const double share = 1.0 / static_cast<double>(pushes.size());
  return weighted_sum(pushes, std::vector<float>(pushes.size(), static_cast<float>(share)));
}

Parameters Server::weighted_sum(std::span<const Push> pushes,
                                std::span<const float> weights) const {
  std::vector<const Parameters*> vectors;
  for (const Push& push : pushes) vectors.push_back(&push.gradient);
  return motley::weighted_sum(vectors, weights, simulation_.pool());
}

std::uint64_t Server::staleness(const Push& push) const {
  return simulation_.recorder().updates() - push.gradient.version;
}

void Server::finish_update(Model& x, std::span<const Push> used) {
  for (const Push& push : used) {
    simulation_.recorder().worker(push.worker).count_staleness(staleness(push));
  }
  if (Timeline* timeline = simulation_.recorder().timeline()) {
    std::vector<Timeline::MessageId> messages;
    for (const Push& push : used) messages.push_back(push.message);
    timeline->updated(simulation_.server_node(), clock(), clock(), messages);
  }
  simulation_.finish_update(x);
}

void Server::discard(const Push& push) {
  simulation_.recorder().worker(push.worker).discard(push.gradient.compute_s);
}

}  // namespace motley
