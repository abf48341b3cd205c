#include "sim/engine/network/network.hpp"

/// What becomes of messages when a machine at one of their ends fails.
namespace motley {

void Network::lose_messages_of(Node node) {
  // Others may be sent meanwhile.
  for (std::size_t i = 0; i < all_messages_.size(); ++i) {  // NOLINT(modernize-loop-convert)
    Message& message = *all_messages_[i];
    if (message.under_way && (message.from == node || message.to == node)) lose(message);
  }
}

void Network::lose_all_messages() {
  for (std::size_t i = 0; i < all_messages_.size(); ++i) {  // NOLINT(modernize-loop-convert)
    if (all_messages_[i]->under_way) lose(*all_messages_[i]);
  }
}

void Network::lose(Message& message) {
  message.under_way = false;
  agenda_.cancel(message);
  if (message.comm) {
    message.comm->set_data(nullptr);  // its end is nobody's arrival
    message.comm->cancel();
    finish(message);
  }
  vacate(message);
  if (limits_.any() && message.has_entered && (message.bytes > 0 || !fluid_)) {
    limits_.lose(message, [this](PortLimits::Passer& next) { flow(static_cast<Message&>(next)); });
  }
  const double now = agenda_.now();
  if (message.from < workers_) recorder_.worker(message.from).message_arrives(now);
  if (message.to < workers_) recorder_.worker(message.to).message_arrives(now);
  --in_flight_;
  if (message.traced != 0) recorder_.timeline()->message_arrives(message.traced, now);
  message.arrived = nullptr;
  idle_.push_back(&message);
}

}  // namespace motley
