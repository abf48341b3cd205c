#include "sim/live/time_average.hpp"

#include <memory>

#include "sim/engine/network/wire_bytes.hpp"
#include "sim/live/post.hpp"
#include "sim/live/signs_of_life.hpp"
#include "sim/live/start_together.hpp"

namespace motley {
namespace {

/// As RingAverage: a step ends when its piece has gone and the left neighbour's has come.
double pass_pieces(Post& post, std::size_t workers, std::uint64_t bytes) {
  const auto gone =
      std::make_shared<std::size_t>(0);  // a piece may leave when nobody waits for it any more
  std::size_t come = 0;
  post.on(PacketKind::message, [&](Packet&) { ++come; });
  start_together(post, false);
  const double begin_s = LiveClock::machine_s();
  const std::size_t me = post.rank();
  double took_s = 0;
  if (me < workers && workers > 1) {
    const std::uint64_t piece =
        part_of_bytes(bytes, me + 1, workers) - part_of_bytes(bytes, me, workers);
    for (std::size_t step = 1; step <= 2 * (workers - 1); ++step) {
      ByteWriter nothing;
      post.send((me + 1) % workers, PacketKind::message, nothing, piece, [gone] { ++*gone; });
      post.wait(forever, [&] { return come >= step && *gone >= step; });
    }
    took_s = LiveClock::machine_s() - begin_s;
  }
  // Whoever is through goes on: all it was to send has gone, and all it was to get has come.
  return took_s;
}

}  // namespace

std::optional<double> time_average(LiveRanks& ranks, std::size_t workers, std::uint64_t bytes) {
  Post post(ranks.transport(), ranks.clock(), ranks.next_run(), ranks.share_machine());
  const SignsOfLife signs(post);
  try {
    return pass_pieces(post, workers, bytes);
  } catch (const RunOver&) {
    return std::nullopt;
  }
}

}  // namespace motley
