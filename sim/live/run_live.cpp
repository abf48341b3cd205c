#include "sim/live/run_live.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <sys/prctl.h>
#include <thread>

#include "sim/live/farewell.hpp"
#include "sim/live/live_server.hpp"
#include "sim/live/live_worker.hpp"
#include "sim/live/rank_names.hpp"
#include "sim/live/referee.hpp"
#include "sim/live/signs_of_life.hpp"
#include "sim/live/start_together.hpp"
#include "sim/live/time_average.hpp"

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
    return "/cluster/failures: a live run does not make machines fail; leave it out, or simulate";
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
    context.log().data_samples = me.data_samples();  // should it be killed
    post.hand_over();
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
  } else if (const std::optional<std::size_t> shard = context.shard_of(rank)) {
    LiveServer me(context, *shard);
    post.hand_over();
    algorithm.server(me);
    referee.body_ended();
    post.wait(forever, [] { return false; });
  } else {
    post.hand_over();
    referee.body_ended();
    post.wait(forever, [] { return false; });
  }
}

std::filesystem::path file_of(const std::filesystem::path& notes, std::size_t rank) {
  return notes / ("rank-" + std::to_string(rank) + ".log");
}

}  // namespace

LiveOutcome run_live(LiveRanks& ranks, const SimulationSetup& setup, const Algorithm& algorithm,
                     bool emulate, const std::filesystem::path& notes, const LiveEvents& events) {
  // Workers without a server may never merge their models; then the mean that reaches a target exists only when they
  // have averaged them.
  double averaging_s = 0;
  if (setup.scenario.target && !algorithm.needs_server()) {
    averaging_s =
        time_average(ranks, setup.cluster.workers.size(), setup.message_bytes).value_or(0);
  }
  Post post(ranks.transport(), ranks.clock(), ranks.next_run(), ranks.share_machine());
  post.log().averaging_s = averaging_s;
  std::optional<LiveContext> context;
  std::optional<Referee> referee;
  std::unique_ptr<LogFile> kept;
  bool has_begun = false;
  try {
    // In use before anybody can be missed: whoever is to write the results of a killed job waits for that.
    if (!notes.empty()) kept = std::make_unique<LogFile>(file_of(notes, post.rank()));
    post.hold_back();
    context.emplace(setup, algorithm, post, emulate);
    {
      const SignsOfLife signs(post);
      start_together(post, !ranks.is_with_first());
    }
    if (setup.scenario.stop.time_s) post.end_at(*setup.scenario.stop.time_s);
    has_begun = true;
    events.has_begun();
    referee.emplace(*context);
    post.while_waiting([&] {
      referee->look();
      if (kept) kept->keep_up(post.log(), post.now());
    });
    take_part(*context, *referee);
  } catch (const RunOver&) {
  } catch (const std::exception& e) {
    post.end(
        {Ending::How::failed, name_of_rank(setup.cluster, post.rank()) + " failed: " + e.what()});
  }
  const double end_s =
      has_begun ? std::min(post.now(), setup.scenario.stop.time_s.value_or(forever)) : 0;
  if (!post.ending().is_normal()) {
    post.log().ending = post.ending().reason;
    if (kept) kept->keep(post.log());  // there may be no time for more
    events.ends_badly(post.ending());
  }
  if (context) context->keep_last_model();
  Gathered gathered = gather_logs(post);
  Ending ending = post.ending();
  if (!gathered.lost.empty()) {
    const std::string lost =
        name_of_rank(setup.cluster, gathered.lost.front()) + " does not answer";
    if (ending.is_normal()) {
      ending = {Ending::How::failed, lost};
      events.ends_badly(ending);
    } else {
      ending.reason += "; " + lost;
      events.misses(lost);
    }
    post.log().ending = ending.reason;
    if (kept) kept->keep(post.log());
  }
  if (gathered.logs && !notes.empty()) {
    for (const std::size_t rank : gathered.lost) {
      (*gathered.logs)[rank] = LogFile::read(file_of(notes, rank));
    }
  }
  return {ending, end_s, std::move(gathered.logs), std::move(gathered.lost), std::move(kept)};
}

LiveOutcome outcome_of_notes(const std::filesystem::path& notes, std::size_t ranks) {
  const auto is_in_use = [&] {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (LogFile::is_in_use(file_of(notes, rank))) return true;
    }
    return false;
  };
  constexpr auto nap = std::chrono::milliseconds(50);
  while (is_in_use()) std::this_thread::sleep_for(nap);
  LiveOutcome outcome;
  outcome.ending = {Ending::How::failed, "the job was killed"};
  outcome.logs.emplace();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    RunLog log = LogFile::read(file_of(notes, rank));
    if (!log.ending.empty()) outcome.ending.reason = "the job was killed: " + log.ending;
    for (const LogEntry& entry : log.entries) outcome.end_s = std::max(outcome.end_s, entry.time_s);
    outcome.logs->push_back(std::move(log));
    outcome.lost.push_back(rank);
  }
  return outcome;
}

Ending wait_for_all(LiveRanks& ranks, const std::function<std::optional<std::string>()>& ready,
                    const std::function<void(const Ending&)>& ends_badly) {
  Post post(ranks.transport(), ranks.clock(), ranks.next_run(), true);
  post.be_patient();
  try {
    const SignsOfLife signs(post);
    start_together(post, false, [&] {
      const std::optional<std::string> trouble = ready();
      if (trouble && !trouble->empty()) post.end({Ending::How::failed, *trouble});
      return trouble.has_value();
    });
    return {Ending::How::finished, ""};
  } catch (const RunOver&) {
  }
  ends_badly(post.ending());
  take_leave(post);
  return post.ending();
}

}  // namespace motley
