#include <algorithm>

#include "sim/engine/collectives/elastic_rounds.hpp"
#include "sim/engine/network/network.hpp"

/// Broadcasts, and gatherings of vectors, in groups whose members may fail: those who send go on at
/// once, so they may be far ahead when a machine fails.
namespace motley {

// ---- Broadcasts ----

void ElasticRounds::come_to_broadcast(Round& to, Rank rank) {
  if (to.through.contains(rank)) return;  // it was there before
  if (to.has_result) {
    if (!is_under_way_to(to, rank)) send_result(to, rank);
  } else if (rank == to.root) {
    const Parameters& value = to.parts.at(rank).value;
    to.bytes = bytes_of(value);
    set_result(to, value, nullptr, {rank});
    for (const Rank member : to.members) {
      if (member == rank || is_under_way_to(to, member)) continue;
      send(to, rank, member, to.bytes, [this, &to, member] { let_go_on(to, member); });
    }
  } else {
    if (!is_member(to, rank)) to.late.insert(rank);
    if (!is_needed(to.root) || to.passed_over.contains(to.root)) leave_out_root(to);
  }
}

void ElasticRounds::leave_out_root(Round& of) {
  of.is_left_out = true;
  std::vector<Rank> here;
  for (const auto& [rank, part] : of.parts) here.push_back(rank);
  set_result(of, {}, nullptr, here);
}

// ---- Gatherings ----

void ElasticRounds::come_to_gathering(Round& to, Rank rank) {
  if (rank != to.root) {
    let_go_on(to, rank);
    send_to_root(to, rank);
    return;
  }
  to.arrived[rank] = to.parts.at(rank).value;
  for (const auto& [other, part] : to.parts) send_to_root(to, other);
  end_gathering_if_complete(to);
}

void ElasticRounds::send_to_root(Round& in, Rank rank) {
  if (in.has_result || in.arrived.contains(rank) || in.passed_over.contains(rank) ||
      in.under_way.contains({rank, in.root})) {
    return;
  }
  send(in, rank, in.root, bytes_of(in.parts.at(rank).value), [this, &in, rank] {
    in.arrived[rank] = in.parts.at(rank).value;
    end_gathering_if_complete(in);
  });
}

void ElasticRounds::end_gathering_if_complete(Round& of) {
  if (of.has_result || !of.parts.contains(of.root)) return;
  const bool lacks_any = std::ranges::any_of(of.members, [&](Rank member) {
    return !of.arrived.contains(member) && !of.passed_over.contains(member) && is_needed(member);
  });
  if (lacks_any) return;
  for (const auto& [rank, vector] : of.arrived) {
    if (rank == of.root) continue;
    of.passed_over.insert(rank);
    const auto part = of.parts.find(rank);
    if (part != of.parts.end()) part->second.value = Parameters();
  }
  set_result(of, {}, nullptr, {of.root});
}

}  // namespace motley
