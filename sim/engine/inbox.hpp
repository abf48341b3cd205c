#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include <simgrid/s4u.hpp>

namespace motley {

/// Where an actor waits for what arrives. Items come out in order of arrival, ties by sender:
/// whoever takes first at some moment sees all that arrived at that moment, in order of rank.
template <class T>
class Inbox {
 public:
  void put(double now, std::size_t from, T item) {
    auto place = items_.end();
    while (place != items_.begin() && std::prev(place)->time == now &&
           std::prev(place)->from > from) {
      --place;
    }
    items_.insert(place, Item{now, from, std::move(item)});
    if (waiting_) {
      waiting_ = false;
      arrival_->release();
    }
  }

  bool empty() const { return items_.empty(); }

  /// For the one actor that owns the inbox.
  T take() {
    while (items_.empty()) {
      waiting_ = true;
      arrival_->acquire();
    }
    T item = std::move(items_.front().item);
    items_.pop_front();
    return item;
  }

 private:
  struct Item {
    double time;
    std::size_t from;
    T item;
  };
  std::deque<Item> items_;
  bool waiting_ = false;
  simgrid::s4u::SemaphorePtr arrival_ = simgrid::s4u::Semaphore::create(0);
};

}  // namespace motley
