#include "sim/engine/network/post_office.hpp"

#include <utility>

#include "sim/engine/bodies.hpp"

namespace motley {

void PostOffice::send_message(std::size_t from_node, std::size_t to, std::uint64_t bytes,
                              Message&& message) {
  Parcel& parcel = parcels_.make();
  parcel.to = to;
  parcel.event.kind = Event::Kind::message;
  parcel.event.worker = from_node;
  parcel.event.message = Push{std::move(message)};
  send(parcel, from_node, to, bytes, [this, &parcel] { message_arrived(parcel); });
}

bool PostOffice::send(Parcel& parcel, std::size_t from_node, std::size_t to_node,
                      std::uint64_t bytes, std::function<void()> arrived,
                      std::optional<std::uint64_t> version) {
  parcels_.departs(parcel, from_node, to_node);
  const bool departs = network_.send(from_node, to_node, bytes, std::move(arrived), 1, version);
  if (!departs) parcels_.throw_away(parcel);
  return departs;
}

Parcel& PostOffice::parcel_of(Event::Kind kind, std::size_t worker) {
  Parcel& parcel = parcels_.make();
  parcel.event = {kind, {}, worker};
  parcel.event.message.version = failures_.noticed_failures(worker);
  return parcel;
}

void PostOffice::model_arrived(Parcel& parcel) {
  Parcels::arrives(parcel);
  bodies_.mail_of(parcel.to).model_arrived(parcel);
}

void PostOffice::message_arrived(Parcel& parcel) {
  Parcels::arrives(parcel);
  parcel.event.message.traced = network_.arriving();
  bodies_.mail_of(parcel.to).message_arrived(parcel);
}

void PostOffice::push_arrived(Parcel& parcel) {
  Parcels::arrives(parcel);
  parcel.event.message.traced = network_.arriving();
  ShardState& to = layout_.shard(parcel.shard);
  bodies_.worker(parcel.event.worker).mail().push_has_arrived(parcel.shard);
  if (parcel.server_life != to.life) {  // it comes from a model that is lost
    const Push push = parcels_.take_push(parcel);
    recorder_.worker(push.sender).discard(push.compute_s * layout_.share_of(to));
    return;
  }
  to.inbox.put(agenda_.now(), parcel.event.worker, parcel);
  to.arrival.look();
}

void PostOffice::tell(Event::Kind kind, std::size_t worker) {
  for (const std::unique_ptr<ShardState>& shard : layout_.shards()) {
    shard->inbox.put(agenda_.now(), worker, parcel_of(kind, worker));
    shard->arrival.look();
  }
  departures_.record(agenda_.now(), worker, kind);
}

}  // namespace motley
