/// Ringleader ASGD: asynchronous SGD for workers whose data differ. Every update is made of everybody's
/// gradients, and nobody ever waits.
///   A. Maranjyan, P. Richtarik: Ringleader ASGD: The First Asynchronous SGD with Optimal Time Complexity
///   under Data Heterogeneity, arXiv 2509.22860, 2025 [code].
///
///   server:  loop: phase 1: receive gradients into the table (G_i, b_i) until all b_i >= 1
///                  phase 2: x <- x - eta (1/n) sum_j G_j/b_j, send x to the worker that closed phase 1;
///                           until everybody has been served: receive g from i
///                             i not served:  add it to (G_i, b_i);  x <- x - eta (1/n) sum_j G_j/b_j;
///                                            send x to i
///                             i served:      add it to (G+_i, b+_i)
///                  (G, b) <- (G+, b+)
///   worker:  loop: send grad f(x; B samples), x the newest model that has come;  go on at once
///
/// A round makes exactly n updates. What is in (G_i, b_i) was computed at one model, the one of i's last
/// service, so no gradient is used that is more than 2n-2 updates old, and n updates take at most twice
/// the time of the slowest gradient where messages are free. The staleness that is counted is that of
/// every worker's entry, in every update.
///
/// Where messages are not free, a worker computes on at its old model until the new one comes, which
/// stops the work under way. What it made of the old one meanwhile joins (G_i, b_i), which is of the same
/// model, while that is in use, and is dropped otherwise [inferred: the paper's messages are free].
///
/// When a worker is gone: its entries are dropped, nobody waits for it, and n is the number of entries
/// (drop); or the round waits for its return. One that returns is sent the present model and has new
/// entries.
#include <algorithm>
#include <set>
#include <utility>

#include "algorithms/support/attendance.hpp"
#include "algorithms/support/gradients_at_newest.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Ringleader : public Algorithm {
 public:
  struct Options : SgdSpec {
    CompressSpec compress;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add(ExchangeSpec::compress_field(), &Options::compress);
      return f;
    }
  };

  static void check(const Options&, const RunFacts& facts, const Place& place) {
    if (facts.servers > 1) {
      throw InputError(place,
                       "ringleader needs a single server: several could serve the workers in "
                       "different orders");
    }
  }

  Ringleader(const Options& options, const RunFacts& facts)
      : options_(options),
        updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum(), facts.workers)) {}

  ExchangeSpec exchange() const override { return {.compress = options_.compress}; }
  double gradients_per_update(std::size_t) const override { return 1; }

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    Table table(me.workers());
    Table next(me.workers());  // G+, b+
    bool is_used = false;      // the table, in this round
    std::set<std::size_t> unserved;
    std::vector<std::uint64_t> sent(me.workers(), x.version);
    const auto send = [&](std::size_t i) {
      sent[i] = x.version;
      me.send_model(i, x);
    };
    Attendance attendance(me);
    me.on_join(send);
    me.broadcast_model(x);
    // Nothing when somebody has left or joined, who begins anew.
    const auto next_gradient = [&]() -> std::optional<Push> {
      Event event = *me.next_event();
      attendance.note(event);
      if (event.kind == Event::Kind::message) return std::move(event.message);
      if (event.kind == Event::Kind::left) unserved.erase(event.worker);
      if (!is_used) table.discard(me, event.worker);
      next.discard(me, event.worker);
      table.clear(event.worker);
      next.clear(event.worker);
      return std::nullopt;
    };
    for (;;) {
      std::optional<Push> g;  // phase 1
      while (!table.is_full(attendance)) {
        g = next_gradient();
        if (!g) continue;
        if (g->version < sent[g->sender])
          me.discard(*g);
        else
          table.add(*g);
      }
      is_used = true;  // phase 2
      for (std::size_t i = 0; i < me.workers(); ++i) {
        if (attendance.has(i)) unserved.insert(i);
      }
      for (bool is_first = g.has_value(); !unserved.empty(); is_first = false) {
        if (!is_first) {
          g = next_gradient();
          if (!g) continue;
          const bool is_late = g->version < sent[g->sender];
          if (is_late && !table.is_of_same_model(*g)) {
            me.discard(*g);
            continue;
          }
          const bool is_for_next = !is_late && !unserved.contains(g->sender);
          (is_for_next ? next : table).add(*g);
          if (is_late || is_for_next) continue;
        }
        table.step(me, rule, x);
        unserved.erase(g->sender);
        send(g->sender);
      }
      table = std::exchange(next, Table(me.workers()));
      is_used = false;
    }
  }

  void worker(Worker& me) const override {
    push_gradients_at_newest(me, options_.batch_size[me.rank()], LateWork::cancel);
  }

 private:
  /// Of every worker, the sum G_i of its gradients at one model and their number b_i.
  class Table {
   public:
    explicit Table(std::size_t workers) : sums_(workers), counts_(workers, 0) {}

    void add(const Push& g) {
      Push& sum = sums_[g.sender];
      if (counts_[g.sender]++ == 0) {
        sum = g;
        ++entries_;
        return;
      }
      sum.vector += g.vector;
      sum.compute_s += g.compute_s;
      sum.traced = g.traced;
    }
    bool is_of_same_model(const Push& g) const {
      return counts_[g.sender] > 0 && sums_[g.sender].version == g.version;
    }
    /// Whether everybody who is there has an entry.
    bool is_full(const Attendance& attendance) const {
      return entries_ > 0 && attendance.all([&](std::size_t i) { return counts_[i] > 0; });
    }
    /// x <- x - eta (1/n) sum_j G_j/b_j.
    void step(Server& me, UpdateRule& rule, Model& x) const {
      std::vector<Push> used;
      std::vector<float> weights;
      for (std::size_t j = 0; j < sums_.size(); ++j) {
        if (counts_[j] == 0) continue;
        used.push_back(sums_[j]);
        weights.push_back(static_cast<float>(1.0 / static_cast<double>(entries_ * counts_[j])));
      }
      me.step(rule, x, me.weighted_sum(used, weights));
      me.finish_update(x, used);
    }
    void discard(Server& me, std::size_t i) const {
      if (counts_[i] > 0) me.discard(sums_[i]);
    }
    void clear(std::size_t i) {
      if (counts_[i] > 0) --entries_;
      counts_[i] = 0;
      sums_[i] = {};
    }

   private:
    std::vector<Push> sums_;  // the newest push, with the sum of all for its gradient
    std::vector<std::size_t> counts_;
    std::size_t entries_ = 0;
  };

  Options options_;
  double updates_per_epoch_;
};

}  // namespace

AlgorithmInfo ringleader() {
  return describe<Ringleader>(
      "ringleader",
      "asynchronous for data that differ: every update is made of all workers' gradients",
      "Maranjyan and Richtarik 2025, arXiv 2509.22860", Listed{143},
      "no worker waits for it, its gradients are dropped; one that returns is sent the present "
      "model",
      {.family = Family::asynchronous,
       .needs = "a server",
       .different_data = true,
       .cost = "1, and every gradient since the last update"});
}

}  // namespace motley
