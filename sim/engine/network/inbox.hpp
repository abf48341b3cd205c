#pragma once

#include <algorithm>
#include <vector>

#include "sim/engine/network/parcels.hpp"

namespace motley {

/// What has arrived and was not yet taken. Parcels come out in order of arrival, ties by sender:
/// whoever takes first at some moment sees all that arrived at that moment, in order of rank.
class Inbox {
 public:
  /// `now` may also be a moment that has passed.
  void put(double now, std::size_t from, Parcel& parcel) {
    auto place = items_.end();
    while (place != first() && std::prev(place)->is_after(now, from)) --place;
    items_.insert(place, Item{now, from, &parcel});
  }

  bool empty() const { return taken_ == items_.size(); }

  /// The first; there must be one.
  const Parcel& front() const { return *items_[taken_].parcel; }
  Parcel& take() {
    Parcel& parcel = *items_[taken_++].parcel;
    // What was taken is removed by the dozen, so that a long queue costs no more per parcel.
    if (2 * taken_ >= items_.size()) {
      items_.erase(items_.begin(), first());
      taken_ = 0;
    }
    return parcel;
  }

  /// The first whose event is wanted; nullptr when there is none.
  template <class F>
  Parcel* take_if(const F& wanted) {
    const auto found = find(wanted);
    if (found == items_.end()) return nullptr;
    Parcel* parcel = found->parcel;
    items_.erase(found);
    return parcel;
  }

  void throw_away_all(Parcels& parcels) {
    while (!empty()) parcels.throw_away(take());
  }

  template <class F>
  bool has(const F& wanted) const {
    return find(wanted) != items_.end();
  }

 private:
  struct Item {
    double time;
    std::size_t from;
    Parcel* parcel;

    bool is_after(double moment, std::size_t other) const {
      return time > moment || (time == moment && from > other);
    }
  };

  std::vector<Item>::iterator first() {
    return items_.begin() + static_cast<std::ptrdiff_t>(taken_);
  }

  template <class F>
  std::vector<Item>::const_iterator find(const F& wanted) const {
    return std::find_if(items_.begin() + static_cast<std::ptrdiff_t>(taken_), items_.end(),
                        [&](const Item& item) { return wanted(item.parcel->event); });
  }

  std::vector<Item> items_;
  std::size_t taken_ = 0;  // of them, from the start
};

}  // namespace motley
