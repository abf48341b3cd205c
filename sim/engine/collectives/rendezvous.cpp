#include "sim/engine/collectives/rendezvous.hpp"

namespace motley {

Rendezvous::Rendezvous(Network& network, std::vector<std::size_t> ranks)
    : network_(network), ranks_(std::move(ranks)), members_(ranks_.size()) {}

void Rendezvous::take(std::size_t member, const Step& step) {
  Member& me = members_[member];
  if (!me.through) me.through = simgrid::s4u::Semaphore::create(0);
  me.open = step;
  me.under_way = (step.to != nobody ? 1 : 0) + (step.from != nobody ? 1 : 0);
  if (step.to != nobody && members_[step.to].open.from == member) start(member, step.to);
  // Others may act inside start(): what was to come may be under way by now.
  if (me.open.from != nobody && members_[step.from].open.to == member) start(step.from, member);
  me.through->acquire();
}

void Rendezvous::start(std::size_t from, std::size_t to) {
  members_[from].open.to = nobody;
  members_[to].open.from = nobody;
  // Small enough that std::function need not allocate.
  const auto arrived = [this, from = static_cast<std::uint32_t>(from),
                        to = static_cast<std::uint32_t>(to)] {
    end_one(members_[from]);
    end_one(members_[to]);
  };
  network_.send(ranks_[from], ranks_[to], members_[from].open.bytes, arrived);
}

void Rendezvous::end_one(Member& member) {
  if (--member.under_way == 0) member.through->release();
}

}  // namespace motley
