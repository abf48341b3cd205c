#include "sim/live/calibration.hpp"

#include <algorithm>
#include <chrono>

#include "sim/base/format.hpp"
#include "sim/base/machine_memory.hpp"
#include "sim/engine/computing/worker_samples.hpp"
#include "sim/live/farewell.hpp"
#include "sim/live/signs_of_life.hpp"
#include "sim/live/start_together.hpp"
#include "sim/results/statistics/estimate.hpp"

namespace motley {

const char* Timing::name(What what) {
  switch (what) {
    case What::up:
      return "up";
    case What::down:
      return "down";
    case What::incast:
      return "incast";
    case What::outcast:
      return "outcast";
    case What::ring:
      return "ring";
  }
  return "";
}

namespace {

class Calibrating {
 public:
  Calibrating(LiveRanks& ranks, const CalibrationSetup& setup)
      : ranks_(ranks),
        setup_(setup),
        post_(ranks.transport(), ranks.clock(), ranks.next_run(), ranks.share_machine()),
        workers_(setup.setup.cluster.workers.size()),
        hub_(setup.setup.cluster.servers.empty() ? workers_ - 1 : workers_),
        measured_by_(ranks.size()) {
    post_.on(PacketKind::message, [this](Packet& packet) {
      ++come_from_[packet.from];
      last_took_s_ = post_.now() - packet.head.departed_s;
    });
    post_.on(PacketKind::left, [this](Packet&) { ++met_; });
    post_.on(PacketKind::log, [this](Packet& packet) {
      ByteReader content = packet.content();
      measured_by_.at(packet.from) = measured_from(content);
      ++have_told_;
    });
  }

  Post& post() { return post_; }

  Measured measure() {
    const SignsOfLife signs(post_);
    start_together(post_, !ranks_.is_with_first());
    const double begin = LiveClock::machine_s();
    for (std::size_t round = 0; round < setup_.rounds; ++round) {
      next_ = 0;
      if (round > 0) {
        const double left_s = (LiveClock::machine_s() - begin) / static_cast<double>(round) *
                              static_cast<double>(setup_.rounds - round);
        setup_.tell("all of it again, round " + std::to_string(round + 1) + " of " +
                    std::to_string(setup_.rounds) + "; about " + fixed(left_s, 0) +
                    " s of messages left");
      }
      time_everything(round == 0);
    }
    for (Repeated& each : timed_here_) {
      each.timing.seconds = *median_of(each.seconds);
      measured_.network.push_back(each.timing);
    }
    if (setup_.computes) time_gradients();
    return gathered();
  }

 private:
  /// One round.
  void time_everything(bool tells) {
    const auto tell = [&](const std::string& next) {
      if (tells) setup_.tell(next);
    };
    const std::size_t others = std::min(workers_, hub_);  // workers that are not the hub
    for (const std::uint64_t bytes : setup_.sizes) {
      tell("messages of " + shown_bytes(static_cast<double>(bytes)) +
           " between each worker and the server");
      for (std::size_t worker = 0; worker < others; ++worker) {
        time_pair(Timing::What::up, worker, bytes);
        time_pair(Timing::What::down, worker, bytes);
      }
    }
    for (std::size_t senders = 1; senders <= others; senders = more(senders, others)) {
      tell(counted(senders, "worker") + " and the server, " +
           shown_bytes(static_cast<double>(setup_.sizes.back())) + " each at once");
      time_many(Timing::What::incast, senders, setup_.sizes.back());
      time_many(Timing::What::outcast, senders, setup_.sizes.back());
    }
    if (workers_ > 1) {
      tell("all workers in a ring");
      for (const std::uint64_t bytes : setup_.sizes) time_ring(bytes);
    }
  }

  static std::size_t more(std::size_t senders, std::size_t all) {
    return senders < all ? std::min(2 * senders, all) : all + 1;
  }
  std::size_t me() const { return post_.rank(); }

  void send(std::size_t to, std::uint64_t bytes) {
    ByteWriter nothing;
    post_.send(to, PacketKind::message, nothing, bytes);
  }
  void await(std::size_t from) {
    post_.wait(forever, [&] { return come_from_[from] > 0; });
    --come_from_[from];
  }

  /// Nobody goes on before all are here. By messages, not by MPI, whose own waiting takes a core.
  void meet() {
    ++meetings_;
    ByteWriter nothing;
    if (me() == 0) {
      post_.wait(forever, [&] { return met_ == meetings_ * (post_.ranks() - 1); });
      post_.send_to_others(PacketKind::left, nothing);
    } else {
      post_.send(0, PacketKind::left, nothing, 0);
      post_.wait(forever, [&] { return met_ == meetings_; });
    }
  }

  /// Calls `act`, all ranks together, and notes the seconds that it returns on the rank that times. Every message is
  /// timed once per round, in the same order: what disturbs the machines for a while spoils few of many, not all of
  /// one.
  template <class Act>
  void time(const Timing& timing, bool is_timed_here, const Act& act) {
    meet();
    const double seconds = act();
    if (!is_timed_here) return;
    if (next_ == timed_here_.size()) timed_here_.push_back({timing, {}});
    timed_here_[next_++].seconds.push_back(seconds);
  }

  void time_pair(Timing::What what, std::size_t worker, std::uint64_t bytes) {
    const std::size_t from = what == Timing::What::up ? worker : hub_;
    const std::size_t to = what == Timing::What::up ? hub_ : worker;
    time({what, worker, 1, bytes}, me() == from, [&] {
      const double begin = LiveClock::machine_s();
      if (me() == from) {
        send(to, bytes);
        await(to);
      } else if (me() == to) {
        await(from);
        send(from, 0);
      }
      return LiveClock::machine_s() - begin;
    });
  }

  void time_many(Timing::What what, std::size_t senders, std::uint64_t bytes) {
    const bool in = what == Timing::What::incast;
    time({what, 0, senders, bytes}, me() == hub_, [&] {
      const double begin = LiveClock::machine_s();
      if (me() == hub_) {
        for (std::size_t worker = 0; worker < senders; ++worker) send(worker, in ? 0 : bytes);
        for (std::size_t worker = 0; worker < senders; ++worker) await(worker);
      } else if (me() < senders) {
        await(hub_);
        send(hub_, in ? bytes : 0);
      }
      return LiveClock::machine_s() - begin;
    });
  }

  /// From where the left neighbour sends it, by the clock of all ranks: this one may be released later.
  void time_ring(std::uint64_t bytes) {
    time({Timing::What::ring, me(), workers_, bytes}, me() < workers_, [&] {
      if (me() >= workers_) return 0.0;
      send((me() + 1) % workers_, bytes);
      await((me() + workers_ - 1) % workers_);
      return last_took_s_;
    });
  }

  void time_gradients() {
    // Those that share a machine one after another, or each would measure the others.
    for (std::size_t rank = 0; rank < workers_; ++rank) {
      if (ranks_.share_machine()) {
        setup_.tell("gradients of rank " + std::to_string(rank));
      } else if (rank == 0) {
        setup_.tell("gradients of all ranks");
      }
      if (me() == rank) time_own_gradients();
      if (ranks_.share_machine()) meet();
    }
    meet();
  }

  void time_own_gradients() {
    const SimulationSetup& setup = setup_.setup;
    const Problem& problem = setup.problem;
    if (!problem.is_real()) return;
    WorkerSamples samples(setup.partition, setup.order, setup.scenario.seed, me(), setup.augment);
    const std::unique_ptr<Workspace> workspace = problem.make_workspace();
    std::vector<float> x(problem.dimension());
    std::vector<float> g(problem.dimension());
    problem.initial_model(setup.scenario.seed, x);
    constexpr std::size_t most = 256;
    constexpr double least_s = 0.05;  // of all repetitions together
    // The others wait, and not for ever: where gradients are slow there are fewer of them, and fewer batches.
    constexpr double enough_s = 10;
    double longest_s = 0;
    for (std::size_t batch = 1;
         batch <= std::min(most, problem.train_size()) && 2 * longest_s < enough_s; batch *= 2) {
      std::vector<double> seconds;
      double all = 0;
      while (all < enough_s && (seconds.size() < setup_.rounds || all < least_s)) {
        samples.draw(batch);
        workspace->variations = samples.variations();
        const double begin = LiveClock::machine_s();
        problem.gradient(x, samples.drawn(), g, *workspace);
        seconds.push_back(LiveClock::machine_s() - begin);
        all += seconds.back();
        post_.wait(post_.now(), [] { return false; });  // the others hear that this one is alive
      }
      measured_.computing.push_back({me(), batch, *median_of(seconds)});
      longest_s = std::max(longest_s, measured_.computing.back().seconds);
    }
  }

  static Measured measured_from(ByteReader& content) {
    Measured measured;
    measured.network = content.take_list<Timing>();
    measured.computing = content.take_list<SpeedTiming>();
    return measured;
  }

  /// What all have measured, on the first rank. By messages: MPI would wait for ever for one that has stopped.
  Measured gathered() {
    Measured all;
    if (me() == 0) {
      post_.wait(forever, [&] { return have_told_ + 1 == post_.ranks(); });
      measured_by_[0] = measured_;
      for (const Measured& of : measured_by_) {
        all.network.insert(all.network.end(), of.network.begin(), of.network.end());
        all.computing.insert(all.computing.end(), of.computing.begin(), of.computing.end());
      }
    } else {
      ByteWriter mine;
      mine.put_list(measured_.network);
      mine.put_list(measured_.computing);
      post_.send(0, PacketKind::log, mine, 0);
    }
    meet();
    // The first rank has much to do before it looks at messages again.
    post_.wait(forever, [&] { return post_.transport().has_sent_all(); });
    return all;
  }

  LiveRanks& ranks_;
  const CalibrationSetup& setup_;
  Post post_;
  std::size_t workers_;
  std::size_t hub_;
  std::map<std::size_t, std::size_t> come_from_;  // messages that nobody has waited for yet
  double last_took_s_ = 0;                        // the message that came last
  std::size_t meetings_ = 0;
  std::size_t met_ = 0;
  struct Repeated {
    Timing timing;
    std::vector<double> seconds;  // by round
  };
  std::vector<Repeated> timed_here_;
  std::size_t next_ = 0;  // of them, in this round
  Measured measured_;
  // On the first rank: what others have measured, by rank.
  std::vector<Measured> measured_by_;
  std::size_t have_told_ = 0;
};

}  // namespace

Measured calibrate(LiveRanks& ranks, const CalibrationSetup& setup) {
  Calibrating calibrating(ranks, setup);
  Post& post = calibrating.post();
  try {
    return calibrating.measure();
  } catch (const RunOver&) {
  } catch (const std::exception& e) {
    post.end({Ending::How::failed, "rank " + std::to_string(post.rank()) + " failed: " + e.what()});
  }
  setup.ends_badly(post.ending());
  take_leave(post);
  return {};
}

}  // namespace motley
