#pragma once

#include <cstdint>
#include <string>

#include "sim/live/bytes.hpp"
#include "sim/live/transport.hpp"
#include "sim/vocabulary/message.hpp"

namespace motley {

/// What travels between ranks, and what for.
enum class PacketKind : std::uint8_t {
  model,      ///< from a server to a worker
  push,       ///< from a worker to a server
  message,    ///< Worker::send, Server::send
  average,    ///< a step of an all-reduce
  gathering,  ///< a member has come to a barrier, perhaps with a number
  left,       ///< the body of a worker has ended
  question,   ///< whether so many packets have arrived
  answer,     ///< they have
  report,     ///< what a rank has done so far, to the first
  stop,       ///< the run is over, and why
  farewell,   ///< nothing more will come from here in this run
  log,        ///< what a rank has recorded, to whoever writes the results
  time,       ///< to compare clocks
  alive       ///< nothing but a sign of life
};

/// The beginning of each.
struct PacketHead {
  PacketKind kind = PacketKind::message;
  std::uint32_t run = 0;  ///< which of the runs of this process
  double departed_s = 0;  ///< by the clock of all ranks
  /// Of the scenario; the packet has more where that is less than it holds.
  std::uint64_t wire_bytes = 0;
  std::uint64_t number = 0;  ///< of the packets of one rank to another
};

struct Packet {
  std::size_t from = 0;
  PacketHead head;
  Buffer bytes;  ///< all of it
  ByteReader content() const {
    return ByteReader(std::span<const std::byte>(bytes).subspan(sizeof(PacketHead)));
  }
};

// Vectors: whole, or by their entries that are not zero if that is shorter, or, where they were quantised, by the few
// values they have. What comes out has the same bits.
void put_vector(ByteWriter& to, const Parameters& vector);
void put_vector(ByteWriter& to, const Parameters& vector, const Encoding& encoding);
Parameters take_vector(ByteReader& from);

void put_model(ByteWriter& to, const Model& model);
Model take_model(ByteReader& from);

void put_message(ByteWriter& to, const Message& message);
void take_message(ByteReader& from, Message& message);

void put_push(ByteWriter& to, const Push& push);
Push take_push(ByteReader& from);

}  // namespace motley
