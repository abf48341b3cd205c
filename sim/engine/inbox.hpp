#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

namespace motley {

/// What has arrived and was not yet taken. Items come out in order of arrival, ties by sender:
/// whoever takes first at some moment sees all that arrived at that moment, in order of rank.
template <class T>
class Inbox {
 public:
  /// `now` may also be a moment that has passed.
  void put(double now, std::size_t from, T item) {
    auto place = items_.end();
    while (place != items_.begin() && std::prev(place)->is_after(now, from)) --place;
    items_.insert(place, Item{now, from, std::move(item)});
  }

  bool empty() const { return items_.empty(); }

  /// The first; there must be one.
  T take() {
    T item = std::move(items_.front().item);
    items_.pop_front();
    return item;
  }

  /// The first for which `wanted` holds, if there is one.
  template <class F>
  std::optional<T> take_if(const F& wanted) {
    const auto found = find(wanted);
    if (found == items_.end()) return std::nullopt;
    T item = std::move(items_[static_cast<std::size_t>(found - items_.begin())].item);
    items_.erase(found);
    return item;
  }

  template <class F>
  bool has(const F& wanted) const {
    return find(wanted) != items_.end();
  }

 private:
  struct Item {
    double time;
    std::size_t from;
    T item;

    bool is_after(double moment, std::size_t other) const {
      return time > moment || (time == moment && from > other);
    }
  };

  template <class F>
  auto find(const F& wanted) const {
    return std::find_if(items_.begin(), items_.end(),
                        [&](const Item& item) { return wanted(item.item); });
  }

  std::deque<Item> items_;
};

}  // namespace motley
