#include "algorithms/support/clients.hpp"

#include <algorithm>

#include "sim/vocabulary/draw.hpp"

namespace motley {

std::vector<std::size_t> draw_clients(Server& me, std::size_t count) {
  const std::vector<std::size_t> present = me.present();
  return draw_some(me.random("clients"), present, std::min(count, present.size()));
}

std::vector<float> weights_by_data(std::span<const Push> pushes) {
  double sum = 0;
  for (const Push& push : pushes) sum += static_cast<double>(push.data_samples);
  const double mean = sum / static_cast<double>(pushes.size());
  std::vector<float> weights;
  for (const Push& push : pushes) {
    weights.push_back(static_cast<float>(static_cast<double>(push.data_samples) / mean));
  }
  return weights;
}

ClientsAtWork::ClientsAtWork(Server& me, std::size_t count, const Model& x)
    : me_(me), count_(count), x_(x), works_(me.workers(), false) {
  me.on_join([this](std::size_t worker) {
    if (works_[worker]) send(worker);  // what it had is lost, and was waited for
  });
}

void ClientsAtWork::send(std::size_t worker) {
  works_[worker] = true;
  me_.send_model(worker, x_);
}

void ClientsAtWork::set_to_work() {
  std::vector<std::size_t> idle = me_.present();
  std::erase_if(idle, [this](std::size_t worker) { return works_[worker]; });
  const auto busy = static_cast<std::size_t>(std::ranges::count(works_, true));
  const std::size_t missing = std::min(count_ - busy, idle.size());
  if (missing == 0) return;
  for (const std::size_t worker : draw_some(me_.random("clients"), idle, missing)) send(worker);
}

Push ClientsAtWork::next_push() {
  for (;;) {
    set_to_work();
    Event event = *me_.next_event();
    if (event.kind == Event::Kind::joined) continue;
    works_[event.worker] = false;
    if (event.kind == Event::Kind::message) return std::move(event.message);
  }
}

}  // namespace motley
