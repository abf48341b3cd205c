#include "sim/engine/collectives/ring.hpp"

#include "sim/engine/network/wire_bytes.hpp"

namespace s4u = simgrid::s4u;

namespace motley {

Ring::Ring(Setup setup) : setup_(std::move(setup)), members_(setup_.ranks.size()) {}

std::uint64_t Ring::piece_bytes(std::uint64_t bytes, std::size_t piece) const {
  // Whole bytes, all pieces together exactly the message.
  const std::uint64_t pieces = members_.size();
  return part_of_bytes(bytes, piece + 1, pieces) - part_of_bytes(bytes, piece, pieces);
}

void Ring::wake_if_through(Member& member) {
  if (member.wanted == 0 || member.sent < member.wanted || member.received < member.wanted) return;
  member.wanted = 0;
  member.arrival->release();
}

void Ring::send_right(std::size_t member, std::uint64_t bytes, std::function<void()> arrived,
                      double latencies) {
  const std::size_t right = (member + 1) % members_.size();
  setup_.network.send(setup_.ranks[member], setup_.ranks[right], bytes, std::move(arrived),
                      latencies);
}

void Ring::exchange(std::size_t member, std::uint64_t bytes) {
  Member& me = members_[member];
  if (!me.arrival) me.arrival = s4u::Semaphore::create(0);
  me.wanted = ++me.exchanges;
  const auto arrived = [this, member] {
    Member& left = members_[member];
    Member& right = members_[(member + 1) % members_.size()];
    ++left.sent;
    ++right.received;
    wake_if_through(left);
    wake_if_through(right);
  };
  send_right(member, bytes, arrived, 1);
  me.arrival->acquire();
}

void Ring::pass_pieces(std::size_t member, std::uint64_t bytes) {
  const std::size_t pieces = members_.size();
  for (std::size_t step = 0; step < 2 * (pieces - 1); ++step) {
    // Reduce-scatter passes on piece member - step; all-gather starts from the piece just completed.
    const std::size_t passed_on = step < pieces - 1 ? step : step - (pieces - 1);
    const std::size_t start = step < pieces - 1 ? member : member + 1;
    exchange(member, piece_bytes(bytes, (start + pieces - passed_on) % pieces));
  }
}

void Ring::pass_flow(std::uint64_t bytes) {
  const std::size_t pieces = members_.size();
  if (pieces == 1) return;
  if (++here_ == pieces) {
    here_ = 0;
    under_way_ = pieces;
    for (std::size_t member = 0; member < pieces; ++member) {
      // All pieces twice, but for the one it completes and the one its neighbour does.
      const std::uint64_t flow = 2 * bytes - piece_bytes(bytes, (member + 1) % pieces) -
                                 piece_bytes(bytes, (member + 2) % pieces);
      const auto through = [this] {
        if (--under_way_ == 0) release(*all_through_, members_.size());
      };
      send_right(member, flow, through, static_cast<double>(2 * (pieces - 1)));
    }
  }
  all_through_->acquire();
}

void Ring::pass(std::size_t position, std::uint64_t bytes) {
  if (setup_.approximate.ring == ApproximateSpec::Ring::fluid)
    pass_flow(bytes);
  else
    pass_pieces(position, bytes);
}

}  // namespace motley
