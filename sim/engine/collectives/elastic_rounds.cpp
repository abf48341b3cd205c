#include "sim/engine/collectives/elastic_rounds.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "sim/engine/network/network.hpp"
#include "sim/engine/network/wire_bytes.hpp"

namespace s4u = simgrid::s4u;

namespace motley {

ElasticRounds::ElasticRounds(const Averaging::Setup& setup, std::vector<std::size_t> ranks,
                             std::string collective, const MachineFailures& failures)
    : setup_(setup),
      ranks_(std::move(ranks)),
      collective_(std::move(collective)),
      failures_(failures) {}

std::uint64_t ElasticRounds::rounds_of(Rank rank) const {
  const auto found = rounds_of_.find(rank);
  return found == rounds_of_.end() ? 0 : found->second;
}

bool ElasticRounds::is_member(const Round& round, Rank rank) {
  return std::ranges::find(round.members, rank) != round.members.end();
}

bool ElasticRounds::can_begin(const Round& round) const {
  return failures_.drops() || std::ranges::all_of(round.members, [this](Rank rank) {
           return failures_.is_present(rank);
         });
}

// ---- What members do ----

std::uint64_t ElasticRounds::enter(Rank rank, Part part) {
  std::uint64_t number = 0;
  // At once: no other member may come while the round is being formed.
  simgrid::kernel::actor::simcall_answered([&] { number = come(rank, std::move(part)); });
  return number;
}

std::uint64_t ElasticRounds::come(Rank rank, Part part) {
  const std::uint64_t number = ++rounds_of_[rank];
  while (formed() < number) {
    rounds_.push_back(std::make_unique<Round>());
    Round& formed_now = *rounds_.back();
    std::ranges::copy_if(ranks_, std::back_inserter(formed_now.members),
                         [&](Rank member) { return member == rank || is_needed(member); });
    formed_now.kind = part.kind;
    formed_now.root = part.root;
    formed_now.bytes = part.bytes.value_or(bytes_of(part.value));
    if (part.kind == Kind::average && can_begin(formed_now)) begin_anew(formed_now);
  }
  Round& mine = round(number);
  if (mine.kind != part.kind || mine.root != part.root) {
    throw std::logic_error("members of a group came to its collectives in different orders");
  }
  mine.parts[rank] = std::move(part);
  mine.passed_over.erase(rank);
  switch (mine.kind) {
    case Kind::broadcast:
      come_to_broadcast(mine, rank);
      break;
    case Kind::gathering:
      come_to_gathering(mine, rank);
      break;
    default:
      come_to_all(mine, rank);
  }
  return number;
}

void ElasticRounds::come_to_all(Round& to, Rank rank) {
  if (to.has_result) {
    send_result(to, rank);
  } else if (!is_member(to, rank)) {
    to.late.insert(rank);
    if (to.members.empty()) begin_anew(to);  // nobody else ever comes
  } else if (to.kind == Kind::meeting) {
    meet_if_all_are_here(to);
  } else if (to.average) {
    take_part(to, rank);
  }
}

bool ElasticRounds::is_through(Rank rank, std::uint64_t number) const {
  return rounds_[number - first_]->through.contains(rank);
}

ElasticRounds::Result ElasticRounds::wait(Rank rank, std::uint64_t number) {
  Round& mine = round(number);
  if (!mine.through.contains(rank)) {
    const s4u::SemaphorePtr gate = s4u::Semaphore::create(0);
    mine.gates[rank] = gate;
    gate->acquire();
  }
  Result result{mine.vector, mine.numbers, mine.leader == rank, {}};
  if (mine.is_left_out) result.vector = mine.parts.at(rank).value;
  if (mine.kind == Kind::broadcast) mine.parts.at(rank).value = Parameters();
  if (mine.kind == Kind::gathering && mine.root == rank) {
    for (const Rank member : ranks_) result.gathered.push_back(std::move(mine.arrived[member]));
  }
  return result;
}

void ElasticRounds::go_on_from(Rank rank, std::uint64_t rounds) {
  rounds_of_[rank] = rounds;
  simgrid::kernel::actor::simcall_answered([&] {
    const std::uint64_t last = std::min(rounds, formed());
    for (std::uint64_t number = first_; number <= last; ++number) pass_over(round(number), rank);
  });
}

void ElasticRounds::pass_over(Round& of, Rank rank) {
  of.passed_over.insert(rank);
  if (of.has_result) return;
  if (of.kind == Kind::broadcast) {
    if (of.root == rank) leave_out_root(of);
  } else if (of.kind == Kind::gathering || is_member(of, rank)) {
    begin_anew(of);
  }
}

void ElasticRounds::take_part(Round& in, Rank rank) {
  if (in.members.size() == 1) {
    const Part& part = in.parts.at(rank);
    NotesOfAll numbers;
    if (!part.numbers.empty()) {
      numbers = std::make_shared<std::vector<std::vector<double>>>(1, part.numbers);
    }
    set_result(in, part.value, for_whole_group(in, numbers), {rank});
    return;
  }
  const auto member =
      static_cast<std::size_t>(std::ranges::find(in.members, rank) - in.members.begin());
  Averaging* average = in.average.get();
  in.actors[rank] = generation::add_actor(
      "all-reduce", setup_.network.host(rank), [this, &in, average, member, rank] {
        const Part& part = in.parts.at(rank);
        Averaging::Outcome outcome =
            average->mean(member, part.value, part.weight, part.numbers, part.bytes);
        // At once: whoever goes on may be the last who needs the round, and forget it.
        simgrid::kernel::actor::simcall_answered([&] {
          in.actors.erase(rank);
          set_result(in, std::move(outcome.mean), for_whole_group(in, outcome.numbers), {rank});
        });
      });
  in.actors[rank]->daemonize();
}

NotesOfAll ElasticRounds::for_whole_group(const Round& of, const NotesOfAll& of_members) const {
  if (!of_members) return nullptr;
  auto all = std::make_shared<std::vector<std::vector<double>>>(ranks_.size());
  for (std::size_t i = 0; i < of.members.size(); ++i) {
    const auto place = std::ranges::find(ranks_, of.members[i]) - ranks_.begin();
    (*all)[static_cast<std::size_t>(place)] = (*of_members)[i];
  }
  return all;
}

// ---- Results ----

void ElasticRounds::set_result(Round& of, Parameters vector, NotesOfAll numbers,
                               const std::vector<Rank>& through) {
  if (!of.has_result) {
    of.has_result = true;
    of.vector = std::move(vector);
    of.numbers = std::move(numbers);
    if (!of.members.empty()) of.leader = of.members.front();
  }
  for (const Rank rank : through) let_go_on(of, rank);
  const std::set<Rank> late = std::exchange(of.late, {});
  for (const Rank rank : late) send_result(of, rank);
}

void ElasticRounds::let_go_on(Round& in, Rank rank) {
  in.through.insert(rank);
  in.was_led = in.was_led || rank == in.leader;
  const auto part = in.parts.find(rank);
  if (part != in.parts.end() && in.kind == Kind::average) part->second.value = Parameters();
  const auto gate = in.gates.find(rank);
  if (gate == in.gates.end()) return;
  gate->second->release();
  in.gates.erase(gate);
}

void ElasticRounds::send_result(Round& of, Rank rank) {
  if (of.kind == Kind::meeting || of.is_left_out) {  // numbers weigh nothing
    let_go_on(of, rank);
    return;
  }
  const auto from = std::ranges::find_if(
      of.through, [&](Rank other) { return other != rank && failures_.is_present(other); });
  if (from == of.through.end()) {  // who has it is not there any more
    of.late.insert(rank);
    begin_anew(of);
    return;
  }
  send(of, *from, rank, of.bytes, [this, &of, rank] { let_go_on(of, rank); });
}

void ElasticRounds::send(Round& in, Rank from, Rank to, std::uint64_t bytes,
                         std::function<void()> arrived) {
  const bool leaves =
      setup_.network.send(from, to, bytes, [&in, from, to, arrived = std::move(arrived)] {
        in.under_way.erase({from, to});
        arrived();
      });
  if (leaves) in.under_way.insert({from, to});
}

bool ElasticRounds::is_under_way_to(const Round& in, Rank rank) {
  return std::ranges::any_of(in.under_way, [rank](const auto& way) { return way.second == rank; });
}

std::uint64_t ElasticRounds::bytes_of(const Parameters& vector) const {
  return part_of_bytes(setup_.model_bytes, vector.size(), setup_.model_size);
}

void ElasticRounds::meet_if_all_are_here(Round& of) {
  const bool all =
      std::ranges::all_of(of.members, [&](Rank member) { return of.parts.contains(member); });
  if (!all || of.members.empty()) return;
  auto numbers = std::make_shared<std::vector<std::vector<double>>>(ranks_.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (is_member(of, ranks_[i])) (*numbers)[i] = of.parts.at(ranks_[i]).numbers;
  }
  set_result(of, {}, std::move(numbers), of.members);
}

// ---- Failures ----

void ElasticRounds::begin_anew(Round& of) {
  if (of.kind == Kind::gathering) {
    end_gathering_if_complete(of);
    return;
  }
  const auto actors = std::exchange(of.actors, {});
  simgrid::kernel::actor::simcall_answered([&] {  // all at once
    for (const auto& [rank, actor] : actors) actor->kill();
  });
  if (of.average) given_up_.push_back(std::move(of.average));
  const auto has_it = [&](Rank rank) { return failures_.is_present(rank); };
  if (of.has_result && std::ranges::any_of(of.through, has_it)) {
    for (const auto& [rank, part] : of.parts) {
      if (of.through.contains(rank)) continue;
      if (!of.was_led && !failures_.is_present(of.leader)) of.leader = rank;
      if (!is_under_way_to(of, rank)) send_result(of, rank);
    }
    return;
  }
  of.has_result = false;
  of.through.clear();
  std::vector<Rank> members;
  std::ranges::copy_if(ranks_, std::back_inserter(members), [&](Rank rank) {
    return (is_member(of, rank) || of.parts.contains(rank)) && is_needed(rank) &&
           !of.passed_over.contains(rank);
  });
  of.members = std::move(members);
  of.late.clear();
  if (of.kind == Kind::broadcast) {
    if (!is_needed(of.root) || of.passed_over.contains(of.root)) leave_out_root(of);
    return;
  }
  if (of.kind == Kind::meeting) {
    meet_if_all_are_here(of);
    return;
  }
  if (of.members.empty() || !can_begin(of)) return;
  of.average = std::make_unique<Averaging>(setup_, of.members, collective_);
  for (const Rank rank : of.members) {
    if (of.parts.contains(rank)) take_part(of, rank);
  }
}

void ElasticRounds::member_fails(Rank rank) {
  rounds_of_[rank] = formed();
  for (const std::unique_ptr<Round>& each : rounds_) {
    each->parts.erase(rank);
    each->gates.erase(rank);
    each->through.erase(rank);
    each->late.erase(rank);
    std::erase_if(each->under_way,
                  [rank](const auto& way) { return way.first == rank || way.second == rank; });
    if (each->kind == Kind::gathering && each->root == rank) {
      each->arrived.clear();
      each->has_result = false;
    }
    const auto actor = each->actors.find(rank);
    if (actor == each->actors.end()) continue;
    actor->second->kill();
    each->actors.erase(actor);
  }
}

void ElasticRounds::member_is_missed(Rank rank) {
  for (const std::unique_ptr<Round>& each : rounds_) {
    // One that everybody who has come is through needs nobody.
    const bool is_over =
        each->has_result && std::ranges::all_of(each->parts, [&](const auto& part) {
          return each->through.contains(part.first);
        });
    if (is_over || (!is_member(*each, rank) && !each->has_result)) continue;
    begin_anew(*each);
  }
}

void ElasticRounds::member_returns(Rank rank) {
  rounds_of_[rank] = formed();
  for (const std::unique_ptr<Round>& each : rounds_) {
    if (!each->has_result && each->kind == Kind::average && !each->average) begin_anew(*each);
  }
}

void ElasticRounds::forget_up_to(std::uint64_t rounds) {
  while (!rounds_.empty() && first_ <= rounds && rounds_.front()->actors.empty() &&
         rounds_.front()->under_way.empty()) {
    rounds_.pop_front();
    ++first_;
  }
}

}  // namespace motley
