#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "sim/vocabulary/server.hpp"

/// The server's side of algorithms that draw workers.
namespace motley {

/// `count` of the workers that are present and not among `but`, or all of them if they are fewer, in
/// ascending order, each set as likely as the others; by the stream "clients". Waits while nobody is
/// present. Costs nothing for those that are not drawn, while all are present.
std::vector<std::size_t> draw_clients(Server& me, std::size_t count,
                                      const std::set<std::size_t>& but = {});

/// What each push weighs by its sender's data, on average 1: exactly 1 where all have as much.
std::vector<float> weights_by_data(std::span<const Push> pushes);

/// Keeps so many workers at work: whoever pushes is idle, and the next is drawn evenly from all that
/// are. One that is gone is replaced, or sent the model again when it returns.
class ClientsAtWork {
 public:
  /// `x` is what they are sent, as it is then.
  ClientsAtWork(Server& me, std::size_t count, const Model& x);
  ClientsAtWork(const ClientsAtWork&) = delete;
  ClientsAtWork& operator=(const ClientsAtWork&) = delete;

  /// Sets to work who is missing, and waits for the next push.
  Push next_push();

 private:
  void set_to_work();
  void send(std::size_t worker);

  Server& me_;
  std::size_t count_;
  const Model& x_;
  std::set<std::size_t> works_;
};

}  // namespace motley
