#include "sim/live/referee.hpp"

#include <algorithm>
#include <sstream>

#include "sim/engine/who_waits.hpp"
#include "sim/live/rank_names.hpp"

namespace motley {
namespace {

constexpr double report_every_s = 0.25;
/// Nothing is under way, nobody computes: nothing will come of it.
constexpr double still_after_s = 3;
/// Who has not reported for so long may not stand still at all, and what it says it waits for may have come.
constexpr double old_after_s = 1;

}  // namespace

Referee::Referee(LiveContext& context)
    : context_(context),
      reports_(context.post().ranks()),
      silence_(context.post().ranks(), context.clock()) {
  context.post().on(PacketKind::report,
                    [this](Packet& packet) { take(packet.from, packet.content()); });
}

Referee::Report Referee::own() const {
  const Post& post = context_.post();
  return {context_.updates(), context_.samples(), post.sent(),     post.received(),
          has_ended_,         post.waits_for(),   context_.clock()};
}

void Referee::put(ByteWriter& to, const Report& report) const {
  to.put(report.updates);
  to.put(report.samples);
  to.put(report.sent);
  to.put(report.received);
  to.put(report.has_ended);
  to.put(report.waits_for);
}

void Referee::take(std::size_t rank, ByteReader content) {
  Report& report = reports_[rank];
  silence_.heard_of(rank, context_.clock());
  report.updates = content.take<std::uint64_t>();
  report.samples = content.take<std::uint64_t>();
  report.sent = content.take<std::uint64_t>();
  report.received = content.take<std::uint64_t>();
  report.has_ended = content.take<bool>();
  report.waits_for = content.take_text();
  report.taken_s = context_.clock();
}

void Referee::look() {
  const double now = context_.clock();
  if (now < next_s_ || context_.post().is_over()) return;
  next_s_ = now + report_every_s;
  Post& post = context_.post();
  reports_[post.rank()] = own();
  ByteWriter content;
  put(content, own());
  if (post.rank() == 0) {
    post.send_to_others(PacketKind::report, content);
    judge();
  } else {
    post.send(0, PacketKind::report, content, 0);
  }
  judge_silence();
}

void Referee::judge() {
  const std::size_t workers = context_.workers();
  std::uint64_t updates = 0;
  std::uint64_t samples = 0;
  for (std::size_t rank = 0; rank < workers; ++rank) {
    updates += reports_[rank].updates;
    samples += reports_[rank].samples;
  }
  if (context_.algorithm().needs_server()) {
    // An update of the whole is made when every shard has it.
    std::uint64_t least = reports_[context_.node_of(context_.shards().front())].updates;
    for (const Shard& shard : context_.shards()) {
      least = std::min(least, reports_[context_.node_of(shard)].updates);
    }
    updates += least;
  }
  const SimulationSetup& setup = context_.setup();
  StopRule stop(setup.scenario.stop, setup.problem.train_size());
  stop.check_budget(0, updates, samples);
  const bool all_ended =
      std::all_of(reports_.begin(), reports_.begin() + static_cast<std::ptrdiff_t>(workers),
                  [](const Report& report) { return report.has_ended; });
  if (stop.stopped() || all_ended) {
    context_.post().end({Ending::How::finished, ""});
    return;
  }
  judge_standstill();
}

void Referee::judge_silence() {
  const double now = context_.clock();
  Post& post = context_.post();
  silence_.heard_of(post.rank(), now);
  for (std::size_t rank = 0; rank < post.ranks(); ++rank) {
    silence_.heard_pieces(rank, post.transport().pieces_from(rank), now);
  }
  // The others hear of the first rank only.
  const std::optional<std::size_t> rank = silence_.look(now, post.rank() == 0 ? post.ranks() : 1);
  if (!rank) return;
  std::ostringstream text;
  text << name_of_rank(context_.setup().cluster, *rank) << " has not been heard of for "
       << Silence::too_long_s << " s";
  post.end({Ending::How::failed, text.str()});
}

void Referee::judge_standstill() {
  const double now = context_.clock();
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  bool waiting = true;
  bool same = before_.size() == reports_.size();
  for (std::size_t rank = 0; rank < reports_.size(); ++rank) {
    const Report& report = reports_[rank];
    sent += report.sent;
    received += report.received;
    waiting = waiting && (report.has_ended || report.waits_for != "nothing") &&
              now - report.taken_s < old_after_s;
    same = same && before_[rank].sent == report.sent &&
           before_[rank].waits_for == report.waits_for && before_[rank].samples == report.samples &&
           before_[rank].updates == report.updates;
  }
  if (!same || !waiting || sent != received) {
    before_ = reports_;
    still_since_s_ = now;
    return;
  }
  if (now - still_since_s_ < still_after_s) return;
  WhoWaits who;
  const ClusterPlan& cluster = context_.setup().cluster;
  for (std::size_t rank = 0; rank < reports_.size(); ++rank) {
    if (!reports_[rank].has_ended) who.add(host_of_rank(cluster, rank), reports_[rank].waits_for);
  }
  context_.post().end({Ending::How::failed, who.text(still_since_s_)});
}

}  // namespace motley
