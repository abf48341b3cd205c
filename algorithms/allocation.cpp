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
///   dbs:       each epoch p_i <- (p_i/t_i) / sum_j (p_j/t_j);  b_i = C p_i, gradients weigh p_i, and i draws
///              from its own part of the data, as large as p_i
///              Q. Ye et al.: DBS: Dynamic Batch Size For Distributed Deep Neural Network Training,
///              arXiv 2007.11831 [code]
///   omnilearn: each period b_i' = b_i mean(t)/t_i, taken only if some b_i moves by 20 % or more; each
///              within [least_batch, most_batch], what is left over spread over the others
///              S. Tyagi, P. Sharma: OmniLearn: A Framework for Distributed Deep Learning over Heterogeneous
///              Clusters, arXiv 2503.17469 [code; what the 20 % are of and how the rest is spread: inferred]
///   lb_bsp:    each period `move` samples go from the slowest to the fastest; half as many on oscillation, which is
///              taken to be that these two have changed places [inferred]
///              C. Chen et al.: Fast Distributed Deep Learning via Worker-adaptive Batch Sizing, SoCC 2020,
///              arXiv 1806.02508 [second hand]
///
/// All have the same fixed point, b ~ speed, where time is proportional to the batch. `data_shares`: every
/// worker draws from a part of the data of its own, in proportion to its batch, dealt anew when batches
/// change, at no cost. The first paper allocates the data with the batches, so static and adaptive do where
/// they can: where workers have the same data and there is a sample for each. dbs always does.
///
/// Where workers' data differ, batches by speed change what is minimised: the sum of everybody's samples weighs a
/// worker's data by its batch. That is warned of.
///
/// Of the first paper the abstract gives the idea; the formulas are the plain reading of it [inferred]. Batches are rounded to
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
#include "algorithms/support/batch_allotment.hpp"
#include "algorithms/support/data_shares.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Allocation : public Algorithm {
 public:
  using Mode = BatchAllotment::Mode;

  static constexpr double usual_restart_above = 1.5;

  struct Options : SgdSpec, GradientAllReduceSpec {
    Mode mode = Mode::adaptive;
    std::vector<double> ratios;
    std::optional<std::size_t> period;
    double restart_above = 0;
    std::optional<std::size_t> least_batch;
    std::optional<std::size_t> most_batch;
    std::optional<std::size_t> move;
    std::optional<bool> data_shares;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "mode",
             .doc = "equal, static (by ratios), or by measured times: adaptive, dbs, omnilearn or "
                    "lb_bsp",
             .fallback = "adaptive",
             .choices = {"equal", "static", "adaptive", "dbs", "omnilearn", "lb_bsp"}},
            &Options::mode);
      f.add({.name = "ratios",
             .doc = "static: one number per worker; empty: the known speeds",
             .fallback = JsonValue::parse("[]"),
             .minimum = 0,
             .above_minimum = true},
            &Options::ratios);
      f.add({.name = "period",
             .doc = "steps between two adjustments, or epoch",
             .fallback = "epoch",
             .minimum = 1,
             .word = "epoch"},
            &Options::period);
      f.add({.name = "restart_above",
             .doc = "adaptive: after it has settled, adjust again when max t / min t is above this",
             .fallback = usual_restart_above,
             .minimum = 1},
            &Options::restart_above);
      f.add({.name = "least_batch",
             .doc = "omnilearn: the smallest batch; 16 when absent",
             .minimum = 1},
            &Options::least_batch);
      f.add({.name = "most_batch",
             .doc = "omnilearn: the largest batch; 96 when absent",
             .minimum = 1},
            &Options::most_batch);
      f.add(
          {.name = "move",
           .doc = "lb_bsp: samples that go from the slowest to the fastest at first; 5 when absent",
           .minimum = 1},
          &Options::move);
      f.add(
          {.name = "data_shares",
           .doc =
               "give each worker a part of the data in proportion to its batch; when absent static "
               "and adaptive do where workers have the same data; dbs always does"},
          &Options::data_shares);
      f.include(GradientAllReduceSpec::fields());
      return f;
    }
    bool deals(const RunFacts& facts) const {
      if (mode == Mode::dbs) return true;
      const bool can = facts.everybody_has_all_data && facts.samples_per_epoch >= facts.workers;
      return data_shares.value_or(can && (mode == Mode::fixed || mode == Mode::adaptive));
    }
    BatchAllotment allotment(const RunFacts& facts) const {
      return {mode,
              restart_above,
              least_batch.value_or(16),
              most_batch.value_or(96),
              move.value_or(5),
              facts.max_batches};
    }
    bool measures() const { return mode != Mode::equal && mode != Mode::fixed; }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    refuse_of_other_modes(options, place);
    if (!options.ratios.empty() && options.ratios.size() != facts.workers) {
      throw InputError(place / "ratios", "must be one number for each of the " +
                                             std::to_string(facts.workers) + " workers, got " +
                                             std::to_string(options.ratios.size()));
    }
    if (options.deals(facts)) {
      check_data_can_be_dealt(facts, place / (options.mode != Mode::dbs ? "data_shares" : "mode"));
    }
    if (options.mode == Mode::omnilearn &&
        !options.allotment(facts).has_room_for(options.batch_size.sum(), facts.workers)) {
      throw InputError(place / "mode",
                       "omnilearn keeps every batch from least_batch (" +
                           std::to_string(options.allotment(facts).least) + ") to most_batch (" +
                           std::to_string(options.allotment(facts).most) +
                           ") and max_batch, which must leave room for the sum of batch_size, " +
                           std::to_string(options.batch_size.sum()));
    }
  }

  Allocation(const Options& options, const RunFacts& facts)
      : options_(options),
        total_(options.batch_size.sum()),
        updates_per_epoch_(facts.updates_per_epoch(total_)),
        period_(options.period.value_or(
            std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(updates_per_epoch_))))),
        max_batches_(facts.max_batches),
        deals_(options.deals(facts)),
        data_differ_(!facts.everybody_has_all_data),
        first_(options.batch_size.by_rank()),
        allotment_(options.allotment(facts)) {
    if (options.mode != Mode::fixed) return;
    first_ = options.ratios.empty() ? by_known_speeds(facts)
                                    : apportioned_to_all(total_, options.ratios, max_batches_);
  }

  bool needs_server() const override { return false; }
  ExchangeSpec exchange() const override { return options_; }
  ActingBound bound() const override {
    return options_.measures() ? ActingBound{"period", "batch_size"} : ActingBound{};
  }

  std::string caution() const override {
    const bool uneven =
        options_.measures() || std::ranges::count(first_, first_.front()) < std::ssize(first_);
    if (!data_differ_ || !uneven) return {};
    return "gives workers batches by speed though their data differ: what it minimises weighs a "
           "worker's data by its batch, and not all data alike";
  }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    BatchAllotment::State allotted = allotment_.first(first_);
    const std::vector<std::size_t>& batches = allotted.batches;
    me.record_decision("batch_size", static_cast<double>(batches[me.rank()]));
    std::vector<std::size_t> dealt;  // for which batches the data were dealt
    double spent_s = 0;              // on gradients in this period
    bool is_new = false;             // in this period
    for (std::size_t step = 1;; ++step) {
      const std::size_t before = step;
      me.share(x, rule, step, allotted);
      is_new = is_new || step != before;
      if (deals_ && dealt != batches) {
        me.draw_from_share(allotted.shares());
        dealt = batches;
      }
      const std::size_t mine = batches[me.rank()];
      const Gradient g = me.averaged_gradient(x, mine, allotted.weight(me.rank()));
      spent_s += g.compute_s;
      me.step(rule, x, g);
      if (me.leads()) me.finish_update(x);
      if (options_.measures() && step % period_ == 0) {
        allotment_.adjust(*me.gather(is_new ? 0 : spent_s), allotted);
        spent_s = 0;
        is_new = false;
        if (batches[me.rank()] != mine) {
          me.record_decision("batch_size", static_cast<double>(batches[me.rank()]));
        }
      }
    }
  }

 private:
  /// What is given and would do nothing.
  static void refuse_of_other_modes(const Options& options, const Place& place) {
    const auto refuse = [&](bool is_given, const char* name, Mode mode, const char* mode_name) {
      if (!is_given || options.mode == mode) return;
      throw InputError(place / name,
                       std::string("is only for mode = ") + mode_name + ": remove it");
    };
    refuse(!options.ratios.empty(), "ratios", Mode::fixed, "static");
    refuse(options.restart_above != usual_restart_above, "restart_above", Mode::adaptive,
           "adaptive");
    refuse(options.least_batch.has_value(), "least_batch", Mode::omnilearn, "omnilearn");
    refuse(options.most_batch.has_value(), "most_batch", Mode::omnilearn, "omnilearn");
    refuse(options.move.has_value(), "move", Mode::lb_bsp, "lb_bsp");
  }

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

  Options options_;
  std::size_t total_;  // samples of a step, C
  double updates_per_epoch_;
  std::size_t period_;
  std::vector<std::optional<std::size_t>> max_batches_;
  bool deals_;                      // parts of the data, too
  bool data_differ_;                // between workers
  std::vector<std::size_t> first_;  // batch of each worker at the start
  BatchAllotment allotment_;
};

}  // namespace

AlgorithmInfo allocation() {
  return describe<Allocation>(
      "allocation", "all-reduce with batches in proportion to speed, same total",
      "Task allocation on a ring 2021, arXiv 2111.08272; modes: DBS, arXiv 2007.11831; OmniLearn, "
      "arXiv 2503.17469; LB-BSP, arXiv 1806.02508",
      Listed{110},
      "the mean is over those present, its batch is missing; one that returns "
      "gets the state of another",
      {.family = Family::synchronous, .cost = "2 (W - 1)"});
}

}  // namespace motley
