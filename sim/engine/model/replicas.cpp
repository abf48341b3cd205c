#include "sim/engine/model/replicas.hpp"

#include <algorithm>
#include <limits>

#include "sim/engine/network/network.hpp"

namespace motley {

bool Replicas::is_turn_of(Rank rank) const {
  for (Rank other = 0; other < rank; ++other) {
    const Member& before = members_[other];
    if (before.arrival && before.is_new && failures_.is_present(other)) return false;
  }
  return true;
}

std::ptrdiff_t Replicas::Snapshot::common(const Groups& groups) const {
  return std::ranges::count_if(groups,
                               [this](ElasticRounds* group) { return rounds.contains(group); });
}

std::optional<Replicas::Rank> Replicas::donor_for(Rank rank, const Groups& groups) const {
  std::optional<Rank> best;
  std::ptrdiff_t most = 0;
  for (Rank other = 0; other < members_.size(); ++other) {
    const Member& member = members_[other];
    if (other == rank || !failures_.is_present(other) || member.is_new || !member.shared) continue;
    const std::ptrdiff_t common = member.shared->common(groups);
    if (best && common <= most) continue;
    best = other;
    most = common;
  }
  return best;
}

void Replicas::join(Rank rank, const Groups& groups, const SharedState& state, const Model& saved) {
  Member& me = members_[rank];
  me.arrival = std::make_unique<Arrival>(agenda_);
  Snapshot mine;
  for (;;) {
    me.arrival->wait(std::numeric_limits<double>::infinity(), [&] { return is_turn_of(rank); });
    me.from = donor_for(rank, groups);
    if (!me.from) {
      state.begin_with(saved);
      for (ElasticRounds* group : groups) group->go_on_from(rank, group->formed());
      break;
    }
    mine = *members_[*me.from].shared;
    me.shared = mine;  // so that the rounds after it are kept
    me.is_there = false;
    network_.send(*me.from, rank, mine.bytes, [this, rank] {
      members_[rank].is_there = true;
      members_[rank].arrival->look();
    });
    me.arrival->wait(std::numeric_limits<double>::infinity(),
                     [&] { return me.is_there || !me.from; });
    if (!me.is_there) continue;  // who was to send it is gone
    const std::optional<Rank> nearest = donor_for(rank, groups);
    if (nearest && members_[*nearest].shared->common(groups) > mine.common(groups)) continue;
    state.take(mine.state.get());
    for (ElasticRounds* group : groups) {
      const auto found = mine.rounds.find(group);
      group->go_on_from(rank, found == mine.rounds.end() ? group->formed() : found->second);
    }
    break;
  }
  me.from.reset();
  me.is_new = false;
  me.arrival.reset();
}

void Replicas::share(Rank rank, const Groups& groups, const SharedState& state,
                     const Model& saved) {
  Member& me = members_[rank];
  if (me.is_new) join(rank, groups, state, saved);
  Snapshot snapshot{state.copy(), model_bytes_ * state.vectors + state.bytes, {}};
  for (ElasticRounds* group : groups) snapshot.rounds[group] = group->rounds_of(rank);
  me.shared = std::move(snapshot);
  forget_rounds(groups);
  wake_joining();
}

void Replicas::forget_rounds(const Groups& groups) {
  constexpr std::size_t many = 8;  // few are not worth looking at everybody
  for (ElasticRounds* group : groups) {
    if (group->kept() < many) continue;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const Member& member : members_) {
      if (!member.shared) continue;
      const auto found = member.shared->rounds.find(group);
      if (found != member.shared->rounds.end()) least = std::min(least, found->second);
    }
    group->forget_up_to(least);
  }
}

void Replicas::wake_joining() {
  for (Member& member : members_) {
    if (member.arrival) member.arrival->look();
  }
}

void Replicas::worker_fails(Rank rank) {
  Member& member = members_[rank];
  member.is_new = true;
  member.shared.reset();
  member.from.reset();
}

void Replicas::worker_is_missed(Rank rank) {
  for (Member& member : members_) {
    if (member.from == rank && !member.is_there) member.from.reset();
  }
  wake_joining();
}

void Replicas::worker_returns(Rank rank) {
  members_[rank].is_new = true;
  members_[rank].arrival.reset();
}

}  // namespace motley
