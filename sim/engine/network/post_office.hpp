#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/engine/failures/departures.hpp"
#include "sim/engine/failures/machine_failures.hpp"
#include "sim/engine/model/model_layout.hpp"
#include "sim/engine/model/pushes.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/engine/network/parcels.hpp"
#include "sim/results/recorder.hpp"

namespace motley {

class Bodies;

/// Brings what one body sends to the inbox of another, and tells them who has left and joined.
class PostOffice {
 public:
  PostOffice(Network& network, Agenda& agenda, const MachineFailures& failures, Recorder& recorder,
             const ModelLayout& layout, Bodies& bodies)
      : network_(network),
        agenda_(agenda),
        failures_(failures),
        recorder_(recorder),
        layout_(layout),
        bodies_(bodies) {}

  Parcels& parcels() { return parcels_; }
  Departures& departures() { return departures_; }

  // A parcel is gone when the machine at either end is down: then false.

  /// From the server of a shard to a worker.
  void send_model(Parcel& parcel, std::size_t from_node, std::uint64_t bytes) {
    send(
        parcel, from_node, parcel.to, bytes, [this, &parcel] { model_arrived(parcel); },
        parcel.model.version);
  }
  /// From a worker to the server of a shard.
  bool send_push(Parcel& parcel, std::size_t to_node, std::uint64_t bytes) {
    return send(
        parcel, parcel.event.worker, to_node, bytes, [this, &parcel] { push_arrived(parcel); },
        version_of(parcel.event.message));
  }
  /// To a worker.
  void send_message(std::size_t from_node, std::size_t to, std::uint64_t bytes, Message&& message);

  /// To everybody who is to know: a worker has left or joined.
  void tell(Event::Kind kind, std::size_t worker);
  /// The same for one of them; how often the worker is known to have failed comes with it.
  Parcel& parcel_of(Event::Kind kind, std::size_t worker);

 private:
  bool send(Parcel& parcel, std::size_t from_node, std::size_t to_node, std::uint64_t bytes,
            std::function<void()> arrived, std::optional<std::uint64_t> version = {});
  // In SimGrid's kernel.
  void model_arrived(Parcel& parcel);
  void message_arrived(Parcel& parcel);
  void push_arrived(Parcel& parcel);

  Network& network_;
  Agenda& agenda_;
  const MachineFailures& failures_;
  Recorder& recorder_;
  const ModelLayout& layout_;
  Bodies& bodies_;
  Parcels parcels_;
  Departures departures_;
};

}  // namespace motley
