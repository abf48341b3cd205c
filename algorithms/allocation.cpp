/// Task allocation on a ring: uneven batches that take everybody equally long, with the same sum.
///   Y. Chao, M. Liao, J. Gao: Task allocation for decentralized training in heterogeneous
///   environment, arXiv 2111.08272, 2021.
///
///   worker i:  loop: g <- grad f(x; b_i samples);   g <- sum_j b_j g_j / C;   x <- x - eta g
///   C = sum_j b_j is fixed (W B, or the sum of what batch_size gives the classes), so the path is
///   that of synchronous SGD with batch C.
///
///   equal:     b_i = B, or that of its class
///   static:    b_i ~ ratios, by default the speeds of the cluster's description, at batches b_i
///   adaptive:  as equal at first; each period v_i <- b_i / t_i, t_i the time of the gradients alone,
///              b_i <- C v_i / sum_j v_j; no more when no b_i moves by more than 1; again when
///              max t / min t exceeds restart_above
///
/// The abstract gives the idea; the formulas are the plain reading of it. Batches are rounded to
/// whole samples by largest remainders, with at least one for everybody and no more than its class's
/// max_batch: what is above it goes to the others in the same proportion. The measured times are
/// taken to travel with the gradients at no cost.
///
/// When a worker is gone: the ring is formed anew of those present (drop), or waits for its return; the
/// samples of its batch are missing from the step. One that returns gets the state of another; it and
/// those who are gone keep their batches when the others adjust theirs.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/support/apportioned_to_all.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Allocation : public Algorithm {
 public:
  enum class Mode { equal, fixed, adaptive };

  struct Options : SgdSpec, GradientAllReduceSpec {
    Mode mode = Mode::adaptive;
    std::vector<double> ratios;
    std::optional<std::size_t> period;
    double restart_above = 0;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "mode",
             .doc = "equal, static (by ratios) or adaptive (by measured times)",
             .fallback = "adaptive",
             .choices = {"equal", "static", "adaptive"}},
            &Options::mode);
      f.add({.name = "ratios",
             .doc = "static: one number per worker; empty: the known speeds",
             .fallback = JsonValue::parse("[]"),
             .minimum = 0,
             .above_minimum = true},
            &Options::ratios);
      f.add({.name = "period",
             .doc = "adaptive: steps between two adjustments, or epoch",
             .fallback = "epoch",
             .minimum = 1,
             .word = "epoch"},
            &Options::period);
      f.add({.name = "restart_above",
             .doc = "adaptive: after it has settled, adjust again when max t / min t is above this",
             .fallback = 1.5,
             .minimum = 1},
            &Options::restart_above);
      f.include(GradientAllReduceSpec::fields());
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    if (!options.ratios.empty() && options.mode != Mode::fixed) {
      throw InputError(place / "ratios", "are only for mode = static: remove them");
    }
    if (!options.ratios.empty() && options.ratios.size() != facts.workers) {
      throw InputError(place / "ratios", "must be one number for each of the " +
                                             std::to_string(facts.workers) + " workers, got " +
                                             std::to_string(options.ratios.size()));
    }
  }

  Allocation(const Options& options, const RunFacts& facts)
      : options_(options),
        total_(options.batch_size.sum()),
        updates_per_epoch_(facts.updates_per_epoch(total_)),
        period_(options.period.value_or(
            std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(updates_per_epoch_))))),
        max_batches_(facts.max_batches),
        first_(options.batch_size.by_rank()) {
    if (options.mode != Mode::fixed) return;
    first_ = options.ratios.empty() ? by_known_speeds(facts)
                                    : apportioned_to_all(total_, options.ratios, max_batches_);
  }

  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return options_; }
  ActingBound bound() const override {
    return options_.mode == Mode::adaptive ? ActingBound{"period", "batch_size"} : ActingBound{};
  }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    std::vector<std::size_t> batches = first_;
    me.record_decision("batch_size", static_cast<double>(batches[me.rank()]));
    bool settled = false;
    double spent_s = 0;   // on gradients in this period
    bool is_new = false;  // in this period
    for (std::size_t step = 1;; ++step) {
      const std::size_t before = step;
      me.share(x, rule, step, batches, settled);
      is_new = is_new || step != before;
      const std::size_t mine = batches[me.rank()];
      const Gradient g = me.averaged_gradient(x, mine, static_cast<double>(mine));
      spent_s += g.compute_s;
      me.step(rule, x, g);
      if (me.leads()) me.finish_update(x);
      if (options_.mode == Mode::adaptive && step % period_ == 0) {
        adjust(*me.gather(is_new ? 0 : spent_s), batches, settled);
        spent_s = 0;
        is_new = false;
        if (batches[me.rank()] != mine) {
          me.record_decision("batch_size", static_cast<double>(batches[me.rank()]));
        }
      }
    }
  }

 private:
  /// Where speeds depend on the batch, those at the batches they lead to.
  std::vector<std::size_t> by_known_speeds(const RunFacts& facts) const {
    constexpr int most = 100;  // it may go to and fro between neighbours
    std::vector<std::size_t> batches = apportioned_to_all(total_, facts.speeds, max_batches_);
    for (int i = 0; i < most; ++i) {
      std::vector<std::size_t> next =
          apportioned_to_all(total_, facts.speeds_at(batches), max_batches_);
      if (next == batches) break;
      batches = std::move(next);
    }
    return batches;
  }

  /// Everybody works out the same from the same times. Who has none is not there, or new.
  void adjust(const std::vector<double>& times, std::vector<std::size_t>& batches,
              bool& settled) const {
    std::vector<std::size_t> who;
    std::vector<double> speeds;
    std::vector<std::optional<std::size_t>> max_batches;
    std::size_t total = 0;
    double least = forever;
    double most = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] <= 0) continue;
      who.push_back(i);
      speeds.push_back(static_cast<double>(batches[i]) / times[i]);
      if (!max_batches_.empty()) max_batches.push_back(max_batches_[i]);
      total += batches[i];
      least = std::min(least, times[i]);
      most = std::max(most, times[i]);
    }
    if (who.empty() || (settled && most <= options_.restart_above * least)) return;
    const std::vector<std::size_t> next = apportioned_to_all(total, speeds, max_batches);
    settled = true;
    for (std::size_t k = 0; k < who.size(); ++k) {
      std::size_t& batch = batches[who[k]];
      if (std::max(next[k], batch) - std::min(next[k], batch) > 1) settled = false;
      batch = next[k];
    }
  }

  Options options_;
  std::size_t total_;  // samples of a step, C
  double updates_per_epoch_;
  std::size_t period_;
  std::vector<std::optional<std::size_t>> max_batches_;
  std::vector<std::size_t> first_;  // batch of each worker at the start
};

}  // namespace

AlgorithmInfo allocation() {
  return describe<Allocation>(
      "allocation", "all-reduce with batches in proportion to speed, same total",
      "Task allocation on a ring 2021, arXiv 2111.08272", Listed{110},
      "the mean is over those present, its batch is missing; one that returns "
      "gets the state of another",
      {.family = Family::synchronous, .cost = "2 (W - 1)"});
}

}  // namespace motley
