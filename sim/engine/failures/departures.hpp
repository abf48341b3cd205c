#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "sim/vocabulary/message.hpp"

namespace motley {

/// When which worker's body ended, or it was noticed that its machine is down or there again.
struct Departure {
  double time = 0;
  std::size_t worker = 0;
  Event::Kind kind = Event::Kind::left;
};

/// Who has left so far, and who has joined. Kept rather than told to everybody: few want to know.
class Departures {
 public:
  /// In order of time.
  const std::vector<Departure>& all() const { return all_; }

  void record(double time, std::size_t worker, Event::Kind kind) {
    all_.push_back({time, worker, kind});
    const auto watchers = watchers_;  // who is woken may stop watching at once
    for (const auto& [rank, look] : watchers) look();
  }

  /// Until unwatch(), `look` is called when somebody leaves or joins.
  void watch(std::size_t rank, std::function<void()> look) { watchers_[rank] = std::move(look); }
  void unwatch(std::size_t rank) { watchers_.erase(rank); }

 private:
  std::vector<Departure> all_;
  std::map<std::size_t, std::function<void()>> watchers_;  // by rank
};

}  // namespace motley
