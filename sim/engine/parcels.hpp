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

  Model take_model(Parcel& parcel) {
    free_.push_back(&parcel);
    return std::move(parcel.model);
  }
  Event take_event(Parcel& parcel) {
    free_.push_back(&parcel);
    return std::move(parcel.event);
  }
  Push take_push(Parcel& parcel) {
    free_.push_back(&parcel);
    return std::move(parcel.event.message);
  }
  Message take_message(Parcel& parcel) { return take_push(parcel); }

 private:
  std::deque<Parcel> all_;
  std::vector<Parcel*> free_;
};

}  // namespace motley
