/// SGP, stochastic gradient push: no server; everybody pushes half of what it has to one worker per step.
///   M. Assran, N. Loizou, N. Ballas, M. Rabbat: Stochastic Gradient Push for Distributed Deep
///   Learning, ICML 2019, arXiv 1811.10792 [code].
///
///   worker i:  w <- 1;   in step k, with d = 2^(k mod ceil(log2 W)):
///                z <- z - eta grad f(z; B samples);   x <- w z
///                send (x/2, w/2) to i + d;   x, w <- x/2, w/2 + what comes from i - d
///                z <- x / w
///
/// Ranks are taken modulo W. w makes up for what is not got back: with everybody there it stays 1. Kept and sent is
/// z, with the weight that x has; x itself would vanish with w while nothing comes back. An update
/// is a step of any worker; the curve shows the mean of all z, an oracle, and beside it how far they
/// are apart.
///
/// When a worker is gone: what was sent to it is lost, with its weight. Nobody sends it anything once it
/// is noticed (drop), and nobody waits for it, whatever on_failure says. One that returns gets the state of
/// another.
#include "algorithms/support/round_messages.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {
namespace {

class Sgp : public Algorithm {
 public:
  using Options = SgdSpec;

  Sgp(const Options& options, const RunFacts& facts)
      : options_(options), steps_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {
    for (std::size_t d = 1; d < facts.workers; d *= 2) distances_.push_back(d);
  }

  bool needs_server() const override { return false; }
  bool merges_own_models() const override { return false; }
  double gradients_per_update(std::size_t) const override { return 1; }

  void worker(Worker& me) const override {
    UpdateRule rule(options_, steps_per_epoch_);
    Model z = me.initial_model();
    double w = 1;
    RoundMessages messages(me, "push");
    for (std::uint64_t step = 1;; ++step) {
      if (joins(me, z, w, rule, step)) messages.join(step);
      me.step(rule, z, me.gradient(z, options_.batch_size[me.rank()]));
      if (!distances_.empty()) exchange(me, messages, step, z, w);
      me.finish_own_update(z, step);
    }
  }

 private:
  void exchange(Worker& me, RoundMessages& messages, std::uint64_t step, Model& z,
                double& w) const {
    const std::size_t d = distances_[step % distances_.size()];
    const std::size_t to = (me.rank() + d) % me.workers();
    const std::size_t from = (me.rank() + me.workers() - d) % me.workers();
    if (me.is_present(to)) {
      w /= 2;
      messages.send(to, step, {.vector = z, .numbers = {w}});
    }
    for (const Message& message : messages.receive(from, step)) {
      const double other = message.numbers[1];
      if (other == 0) continue;
      z *= static_cast<float>(w / (w + other));
      z += static_cast<float>(other / (w + other)) * message.vector;
      w += other;
    }
  }

  Options options_;
  std::vector<std::size_t> distances_;
  double steps_per_epoch_;
};

}  // namespace

AlgorithmInfo sgp() {
  return describe<Sgp>(
      "sgp", "no server: half of the model pushed on to one worker per step",
      "Assran et al., ICML 2019, arXiv 1811.10792", Listed{192},
      "no worker waits for it once it is noticed; one that returns gets the state of another",
      {.family = Family::decentralised,
       .needs = "a graph, which is exponential",
       .different_data = true,
       .cost = "1"});
}

}  // namespace motley
