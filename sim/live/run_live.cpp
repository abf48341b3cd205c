#include "sim/live/run_live.hpp"

#include <algorithm>
#include <set>
#include <sys/prctl.h>

#include "sim/live/farewell.hpp"
#include "sim/live/live_server.hpp"
#include "sim/live/live_worker.hpp"
#include "sim/live/log_file.hpp"
#include "sim/live/referee.hpp"
#include "sim/live/start_together.hpp"

namespace motley {

LiveRanks::LiveRanks(Transport& transport) : transport_(transport) {
  const std::vector<std::string> machines = transport.machines();
  share_machine_ = std::set<std::string>(machines.begin(), machines.end()).size() < machines.size();
  is_with_first_ = machines[rank()] == machines.front();
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);  // naps last as long as they are said to
}

std::size_t ranks_needed(const ClusterPlan& cluster, const Algorithm& algorithm) {
  return cluster.workers.size() + (algorithm.needs_server() ? cluster.servers.size() : 0);
}

std::string why_not_live(const SimulationSetup& setup, const Algorithm& algorithm, bool emulate) {
  const Scenario& scenario = setup.scenario;
  const ExchangeSpec exchange = algorithm.exchange();
  if (scenario.cluster.failures) {
    return "/cluster/failures: in a live run nobody fails on purpose; leave it out, or simulate";
  }
  if (scenario.cluster.platform) {
    return "/cluster/platform: a live run has the network that is there; describe the workers by "
           "classes";
  }
  if (!setup.cluster.link_changes.empty()) {
    return "/cluster/changes: a live run cannot change the bandwidth of real links; leave those "
           "out";
  }
  if (!setup.cluster.traffic.empty()) {
    return "/cluster/traffic: a live run sends no messages of others; leave it out";
  }
  if (exchange.overlap == ExchangeSpec::Overlap::layers) {
    return "overlap: a live run sends whole models and gradients; set it to none";
  }
  if (exchange.collective != ExchangeSpec::Collective::ring && setup.cluster.workers.size() > 1) {
    return "collective: a live run averages by a ring; set it to ring";
  }
  if (exchange.bucket_bytes && !emulate) {
    return "bucket_size: without emulation a live run has the gradient as a whole; leave it out";
  }
  const StopSpec& stop = scenario.stop;
  if (!stop.time_s && !stop.updates && !stop.samples && !stop.epochs) {
    return "/stop: a live run evaluates its models afterwards and cannot stop at the target; add "
           "time, "
           "updates, samples or epochs";
  }
  return "";
}

namespace {

/// The part of this rank in the run, until it is over.
void take_part(LiveContext& context, Referee& referee) {
  Post& post = context.post();
  const std::size_t rank = post.rank();
  const Algorithm& algorithm = context.algorithm();
  flush_denormals();
  if (rank < context.workers()) {
    LiveWorker me(context);
    struct Samples {  // also when it ends by an exception
      LiveContext& context;
      LiveWorker& worker;
      ~Samples() { context.log().data_samples = worker.data_samples(); }
    } const guard{context, me};
    algorithm.worker(me);
    LogEntry entry;
    entry.kind = LogEntry::Kind::left;
    entry.time_s = post.now();
    context.note(entry);
    ByteWriter nothing;
    post.send_to_others(PacketKind::left, nothing);
    referee.body_ended();
    post.wait(forever, [] { return false; });
  } else if (algorithm.needs_server() && rank - context.workers() < context.shards().size()) {
    LiveServer me(context, rank - context.workers());
    algorithm.server(me);
    referee.body_ended();
    post.wait(forever, [] { return false; });
  } else {
    referee.body_ended();
    post.wait(forever, [] { return false; });
  }
}

std::string name_of(const SimulationSetup& setup, std::size_t rank) {
  const std::size_t workers = setup.cluster.workers.size();
  const std::string number = " (rank " + std::to_string(rank) + ")";
  if (rank < workers) return setup.cluster.workers[rank].name + number;
  return rank - workers < setup.cluster.servers.size()
             ? setup.cluster.servers[rank - workers].name + number
             : "rank " + std::to_string(rank);
}

std::filesystem::path file_of(const std::filesystem::path& notes, std::size_t rank) {
  return notes / ("rank-" + std::to_string(rank) + ".log");
}

}  // namespace

LiveOutcome run_live(LiveRanks& ranks, const SimulationSetup& setup, const Algorithm& algorithm,
                     bool emulate, const std::filesystem::path& notes, const LiveEvents& events) {
  Post post(ranks.transport(), ranks.clock(), ranks.next_run(), ranks.share_machine());
  std::optional<LiveContext> context;
  std::optional<Referee> referee;
  std::optional<LogFile> kept;
  try {
    context.emplace(setup, algorithm, post, emulate);
    start_together(post, !ranks.is_with_first());
    if (setup.scenario.stop.time_s) post.end_at(*setup.scenario.stop.time_s);
    if (!notes.empty()) kept.emplace(file_of(notes, post.rank()));
    events.has_begun();
    referee.emplace(*context);
    post.while_waiting([&] {
      referee->look();
      if (kept) kept->keep_up(post.log(), post.now());
    });
    take_part(*context, *referee);
  } catch (const RunOver&) {
  } catch (const std::exception& e) {
    post.end({Ending::How::failed, name_of(setup, post.rank()) + " failed: " + e.what()});
  }
  const double end_s = std::min(post.now(), setup.scenario.stop.time_s.value_or(forever));
  if (!post.ending().is_normal()) events.ends_badly(post.ending());
  if (context) context->keep_last_model();
  Gathered gathered = gather_logs(post);
  Ending ending = post.ending();
  if (!gathered.lost.empty()) {
    const std::string lost = name_of(setup, gathered.lost.front()) + " does not answer";
    if (ending.is_normal()) {
      ending = {Ending::How::failed, lost};
      events.ends_badly(ending);
    } else {
      ending.reason += "; " + lost;
    }
  }
  if (gathered.logs && !notes.empty()) {
    for (const std::size_t rank : gathered.lost) {
      (*gathered.logs)[rank] = LogFile::read(file_of(notes, rank));
    }
  }
  return {ending, end_s, std::move(gathered.logs), std::move(gathered.lost)};
}

Ending wait_for_all(LiveRanks& ranks, const std::string& trouble) {
  Post post(ranks.transport(), ranks.clock(), ranks.next_run(), ranks.share_machine());
  try {
    if (!trouble.empty()) post.end({Ending::How::failed, trouble});
    start_together(post, false);
    return {Ending::How::finished, ""};
  } catch (const RunOver&) {
  }
  constexpr double patience_s = 2;  // where somebody is gone, what was sent to it never leaves
  post.wait_anyway(post.now() + patience_s, [&] { return post.transport().has_sent_all(); });
  return post.ending();
}

}  // namespace motley
