#pragma once

#include <deque>
#include <vector>

#include "sim/vocabulary/message.hpp"

namespace motley {

/// What is on its way to a body, or waits there to be taken: a model from the server, or an event.
struct Parcel {
  std::size_t to = 0;     ///< rank of a worker
  std::size_t shard = 0;  ///< of the server it comes from or goes to
  Model model;
  Event event;
  /// Of whom it is lost with, while it is on its way: nodes.
  std::size_t from_node = 0;
  std::size_t to_node = 0;
  bool under_way = false;
  std::uint64_t server_life = 0;  ///< of the server it comes from, or whose model led to it
};

/// All parcels of a run, used again and again: in the steady state nothing is allocated. Whoever takes
/// what is inside gives the parcel back.
class Parcels {
 public:
  Parcel& make() {
    if (free_.empty()) return all_.emplace_back();
    Parcel& parcel = *free_.back();
    free_.pop_back();
    return parcel;
  }

  /// It leaves; say `arrives` when it has come.
  void departs(Parcel& parcel, std::size_t from_node, std::size_t to_node) {
    parcel.from_node = from_node;
    parcel.to_node = to_node;
    parcel.under_way = true;
  }
  static void arrives(Parcel& parcel) { parcel.under_way = false; }
  /// Nobody will take it.
  void throw_away(Parcel& parcel) {
    parcel.under_way = false;
    parcel.model = {};
    parcel.event = {};
    free_.push_back(&parcel);
  }
  /// All that are on their way to and from this node.
  void throw_away_of(std::size_t node) {
    for (Parcel& parcel : all_) {
      if (parcel.under_way && (parcel.from_node == node || parcel.to_node == node)) {
        throw_away(parcel);
      }
    }
  }

  void throw_away_all_under_way() {
    for (Parcel& parcel : all_) {
      if (parcel.under_way) throw_away(parcel);
    }
  }

  Model take_model(Parcel& parcel) {
    free_.push_back(&parcel);
    return std::move(parcel.model);
  }
  Event take_event(Parcel& parcel) {
    free_.push_back(&parcel);
    return std::move(parcel.event);
  }
  /// To be moved from at once.
  Push&& take_push(Parcel& parcel) {
    free_.push_back(&parcel);
    return std::move(parcel.event.message);
  }
  Message&& take_message(Parcel& parcel) { return take_push(parcel); }

 private:
  std::deque<Parcel> all_;
  std::vector<Parcel*> free_;
};

}  // namespace motley
