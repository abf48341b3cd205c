#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/vocabulary/worker.hpp"

namespace motley {

/// Messages that workers send each other once per round, without a barrier of all. Rounds count from 1. Where
/// nobody fails it is plain: whoever is asked for has sent one of this round, or will. One that joins
/// late or returns tells everybody which round it begins with, and waits only for those that it has heard of
/// since; so nobody waits for a message of a round that its sender has left out.
class RoundMessages {
 public:
  /// Of this kind.
  RoundMessages(Worker& me, std::string kind) : me_(me), kind_(std::move(kind)) {}

  /// This worker has joined, and begins with this round.
  void join(std::uint64_t round);
  void send(std::size_t to, std::uint64_t round, Message message);
  /// What has come from the sender since the last call, up to a message of this round or a later one,
  /// which is waited for unless the sender is gone. Messages without a vector are left out.
  std::vector<Message> receive(std::size_t sender, std::uint64_t round);

 private:
  Worker& me_;
  std::string kind_;
  bool has_joined_ = false;
  std::map<std::size_t, std::uint64_t> heard_;  // by sender: the round of its last message
};

/// Worker::share; returns whether this worker has joined, and has now what another one said.
template <class... Parts>
bool joins(Worker& me, Parts&... parts) {
  std::size_t whose = me.rank();
  me.share(parts..., whose);
  return whose != me.rank();
}

/// Those of `ranks` that are there.
std::vector<std::size_t> present_of(std::vector<std::size_t> ranks, const Worker& me);

}  // namespace motley
