#include "sim/live/farewell.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include "sim/live/silence.hpp"

namespace motley {
namespace {

/// How long the others are given: in all, or after a normal end since something last came or left. Who interrupts a
/// run often kills it a second later.
double patience_s(const Ending& ending) {
  switch (ending.how) {
    case Ending::How::interrupted:
      return 0.5;
    case Ending::How::failed:
      return 3;
    default:
      return Silence::too_long_s;
  }
}

constexpr std::size_t piece_bytes = std::size_t{4} << 20U;

/// `moves`: called whenever a piece has left.
void send_log(Post& post, std::size_t to, const std::function<void()>& moves) {
  ByteWriter all;
  put_log(all, post.log());
  const std::span<const std::byte> bytes = all.bytes();
  for (std::size_t begin = 0; begin < bytes.size(); begin += piece_bytes) {
    const std::span<const std::byte> piece =
        bytes.subspan(begin, std::min(piece_bytes, bytes.size() - begin));
    ByteWriter content;
    content.put<std::uint64_t>(begin);
    content.put<std::uint64_t>(bytes.size());
    content.put_list(piece);
    post.send(to, PacketKind::log, content, 0, moves);
  }
}

/// Of one rank, piece by piece.
struct Incoming {
  std::vector<std::byte> bytes;
  std::size_t here = 0;

  void add(ByteReader content) {
    const auto begin = content.take<std::uint64_t>();
    const auto size = content.take<std::uint64_t>();
    const std::vector<std::byte> piece = content.take_list<std::byte>();
    bytes.resize(size);
    std::ranges::copy(piece, bytes.begin() + static_cast<std::ptrdiff_t>(begin));
    here += piece.size();
  }
  bool is_complete() const { return !bytes.empty() && here == bytes.size(); }
};

}  // namespace

void take_leave(Post& post) {
  // Where somebody is gone, what was sent to it may never leave.
  const double patience_s = post.ending().how == Ending::How::interrupted ? 0.5 : 2;
  ByteWriter nothing;
  try {
    post.send_to_others(PacketKind::farewell, nothing);
    post.wait_anyway(post.now() + patience_s, [&] {
      return post.farewells().size() + 1 == post.ranks() && post.transport().has_sent_all();
    });
  } catch (const std::exception&) {  // of MPI, about who is gone: this one goes, too
  }
}

Gathered gather_logs(Post& post) {
  std::set<std::size_t> thanked;
  std::vector<Incoming> incoming(post.ranks());
  const bool is_normal = post.ending().is_normal();
  const double patience = patience_s(post.ending());
  // By the machine's clock and kept by whoever calls it: a piece may leave when this function has long returned.
  const auto until = std::make_shared<double>(LiveClock::machine_s() + patience);
  const auto moves = [until, is_normal, patience] {
    if (is_normal) *until = LiveClock::machine_s() + patience;
  };
  post.on(PacketKind::log, [&, moves](Packet& packet) {
    moves();
    Incoming& log = incoming[packet.from];
    log.add(packet.content());
    if (log.is_complete()) post.send(packet.from, PacketKind::answer);
  });
  post.on(PacketKind::answer, [&, moves](Packet& packet) {
    moves();
    thanked.insert(packet.from);
  });
  post.while_waiting(nullptr);
  const auto wait_while_it_moves = [&](const auto& ready) {
    post.wait_anyway(forever, [&] { return ready() || LiveClock::machine_s() >= *until; });
  };

  ByteWriter nothing;
  post.send_to_others(PacketKind::farewell, nothing);
  // Half of it, where somebody may be silent: the logs come after.
  const double half = post.now() + (is_normal ? patience : patience / 2);
  post.wait_anyway(half, [&] {
    return post.farewells().size() + 1 == post.ranks() && !post.transport().is_busy();
  });
  std::set<std::size_t> gone = post.farewells();  // they are alive
  gone.insert(post.rank());
  Gathered gathered;
  for (std::size_t rank = 0; rank < post.ranks(); ++rank) {
    if (!gone.contains(rank)) gathered.lost.push_back(rank);
  }
  const std::size_t writer = *gone.begin();
  if (writer != post.rank()) {
    send_log(post, writer, moves);
    wait_while_it_moves([&] { return thanked.contains(writer); });
    if (gathered.lost.empty()) {
      wait_while_it_moves([&] { return post.transport().has_sent_all(); });
    }
    return gathered;
  }
  wait_while_it_moves([&] {
    return std::ranges::all_of(gone, [&](std::size_t rank) {
      return rank == post.rank() || incoming[rank].is_complete();
    });
  });
  gathered.logs.emplace(post.ranks());
  for (const std::size_t rank : gone) {
    if (rank == post.rank()) {
      (*gathered.logs)[rank] = post.log();
    } else if (incoming[rank].is_complete()) {
      ByteReader reader(incoming[rank].bytes);
      take_log(reader, (*gathered.logs)[rank]);
    } else {
      gathered.lost.push_back(rank);
    }
  }
  // What was sent to a lost one may never leave. The thanks to the others are short.
  constexpr double short_s = 0.2;
  if (!gathered.lost.empty()) *until = std::min(*until, LiveClock::machine_s() + short_s);
  wait_while_it_moves([&] { return post.transport().has_sent_all(); });
  return gathered;
}

}  // namespace motley
