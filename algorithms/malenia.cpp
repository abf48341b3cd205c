/// Malenia SGD: Rennala SGD for workers whose data differ. A round needs something of everybody, and
/// everybody weighs the same, however many gradients it made.
///   A. Tyurin, P. Richtarik: Optimal Time Complexities of Parallel Stochastic Optimization Methods Under
///   a Fixed Computation Model, NeurIPS 2023, arXiv 2305.12387 [paper, code].
///
///   server:  loop: send x to all;  receive gradients, dropping those of an older x, into sums G_i and
///                  counts b_i, until all b_i >= 1 and (1/n sum_i 1/b_i)^-1 > S/n
///                  x <- x - eta (1/n) sum_i G_i/b_i
///   worker:  loop: send grad f(x; B samples), x the newest model that has come;  go on at once
///
/// A new model stops the work under way. S = 0, as in the authors' code, ends a round when everybody's
/// first gradient is there. Theory takes S = max(ceil(s2/eps), n). With S = 0, equal workers and free
/// messages it is sync. Unbiased when data differ, for every G_i/b_i is one of f_i's gradient. Messages
/// that are not free: as rennala. An S that makes a round longer than 1000 passes over the data is refused.
///
/// When a worker is gone: the round needs nothing of it (drop), and what it sent in this round counts;
/// n is how many sent something. Or the round waits for its return. One that returns is sent the present
/// model.
#include <algorithm>
#include <numeric>

#include "algorithms/support/attendance.hpp"
#include "algorithms/support/gradients_at_newest.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Malenia : public Algorithm {
 public:
  struct Options : SgdSpec {
    double target = 0;
    CompressSpec compress;

    static Fields<Options> fields() {
      Fields<Options> f;
      f.include(SgdSpec::fields());
      f.add({.name = "S",
             .doc = "a round ends when the harmonic mean of the workers' numbers of gradients "
                    "exceeds S/n, n workers",
             .fallback = 0.0,
             .minimum = 0},
            &Options::target);
      f.add(ExchangeSpec::compress_field(), &Options::compress);
      return f;
    }
  };

  static void check(const Options& options, const RunFacts& facts, const Place& place) {
    if (facts.servers > 1) {
      throw InputError(place,
                       "malenia needs a single server: several could end a round with different "
                       "gradients");
    }
    check_round_can_end(gradients_of_round(options, facts), options.batch_size, facts, place / "S");
  }

  Malenia(const Options& options, const RunFacts& facts)
      : options_(options),
        updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())),
        gradients_(gradients_of_round(options, facts)) {}

  ExchangeSpec exchange() const override { return {.compress = options_.compress}; }
  double gradients_per_update(std::size_t) const override { return gradients_; }

  void server(Server& me) const override {
    UpdateRule rule(options_, updates_per_epoch_);
    Model x = me.initial_model();
    Attendance attendance(me);
    for (;;) {
      me.broadcast_model(x);
      std::vector<Push> round;
      std::vector<std::size_t> b(me.workers(), 0);
      std::size_t n = 0;  // how many b_i >= 1
      while (n == 0 || n < me.count_present() || !is_over(attendance, b, n)) {
        Event event = *me.next_event();
        attendance.note(event);
        if (event.kind != Event::Kind::message) continue;
        if (me.staleness(event.message) > 0) {
          me.discard(event.message);
          continue;
        }
        if (++b[event.worker] == 1) ++n;
        round.push_back(std::move(event.message));
      }
      std::ranges::stable_sort(round, {}, &Push::sender);
      std::vector<float> weights;
      for (const Push& push : round) {
        weights.push_back(static_cast<float>(1.0 / static_cast<double>(n * b[push.sender])));
      }
      me.step(rule, x, me.weighted_sum(round, weights));
      me.finish_update(x, round);
    }
  }

  void worker(Worker& me) const override {
    push_gradients_at_newest(me, options_.batch_size[me.rank()], LateWork::cancel);
  }

 private:
  /// About, at the speeds described. After a time t worker i has made t r_i, so that the harmonic mean is
  /// t n / sum(1/r_i), and S/n at t = S sum(1/r_i) / n^2; or everybody's first are waited for.
  static double gradients_of_round(const Options& options, const RunFacts& facts) {
    const std::vector<double> rates = options.batch_size.step_rates(facts.speeds);
    const auto n = static_cast<double>(rates.size());
    double inverse = 0;
    for (const double rate : rates) inverse += 1 / rate;
    const double t = std::max(options.target * inverse / (n * n),
                              1 / *std::min_element(rates.begin(), rates.end()));
    return t * std::accumulate(rates.begin(), rates.end(), 0.0);
  }

  /// Of those who are there, and of others who have sent something.
  bool is_over(const Attendance& attendance, const std::vector<std::size_t>& b,
               std::size_t n) const {
    if (!attendance.all([&](std::size_t i) { return b[i] > 0; })) return false;
    double inverse = 0;
    for (const std::size_t count : b) {
      if (count > 0) inverse += 1.0 / static_cast<double>(count);
    }
    return static_cast<double>(n) / inverse > options_.target / static_cast<double>(n);
  }

  Options options_;
  double updates_per_epoch_;
  double gradients_;  // of a round, about
};

}  // namespace

AlgorithmInfo malenia() {
  return describe<Malenia>(
      "malenia",
      "as rennala for data that differ: something from every worker, all weighted equally",
      "Tyurin and Richtarik, NeurIPS 2023, arXiv 2305.12387", Listed{142},
      "a round needs nothing of it, what it sent counts; one that returns is sent the present "
      "model",
      {.family = Family::asynchronous,
       .needs = "a server",
       .different_data = true,
       .cost = "W, and every gradient of the round"});
}

}  // namespace motley
