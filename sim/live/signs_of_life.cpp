#include "sim/live/signs_of_life.hpp"

#include <sstream>

namespace motley {

SignsOfLife::SignsOfLife(Post& post) : post_(post), silence_(post.ranks(), LiveClock::machine_s()) {
  post.on(PacketKind::alive,
          [this](Packet& packet) { silence_.heard_of(packet.from, LiveClock::machine_s()); });
  post.while_waiting([this] { look(); });
}

SignsOfLife::~SignsOfLife() {
  post_.while_waiting(nullptr);
  post_.on(PacketKind::alive, nullptr);  // signs that come later are nobody's
}

void SignsOfLife::look() {
  // Not by the clock of the run, which is set anew when that begins.
  const double now = LiveClock::machine_s();
  constexpr double every_s = 0.5;
  if (now < next_s_ || post_.is_over()) return;
  next_s_ = now + every_s;
  const bool is_first = post_.rank() == 0;
  if (is_first) {
    ByteWriter nothing;
    post_.send_to_others(PacketKind::alive, nothing);
  } else {
    post_.send(0, PacketKind::alive);
  }
  silence_.heard_of(post_.rank(), now);
  for (std::size_t other = 0; other < post_.ranks(); ++other) {
    silence_.heard_pieces(other, post_.transport().pieces_from(other), now);
  }
  const std::optional<std::size_t> rank = silence_.look(now, is_first ? post_.ranks() : 1);
  if (!rank) return;
  std::ostringstream text;
  text << "rank " << *rank << " has not been heard of for " << Silence::too_long_s << " s";
  post_.end({Ending::How::failed, text.str()});
}

}  // namespace motley
