#pragma once

#include "algorithms/support/one_step_delay.hpp"
#include "sim/vocabulary/algorithm.hpp"

namespace motley {

/// od_sgd whose pushes are compressed, and sent in full precision every `correct_every`-th iteration:
/// cd_sgd and cp_sgd.
class CompressedOneStepDelay : public Algorithm {
 public:
  struct Options : SgdSpec, OneStepDelay, ExchangeSpec {
    std::optional<std::size_t> correct_every;

    static Fields<Options> fields();
  };

  CompressedOneStepDelay(const Options& options, const RunFacts& facts)
      : options_(options), updates_per_epoch_(facts.updates_per_epoch(options.batch_size.sum())) {}

  ExchangeSpec exchange() const override { return options_; }
  void server(Server& me) const override {
    serve_with_one_step_delay(me, {options_, updates_per_epoch_});
  }
  void worker(Worker& me) const override {
    work_one_step_ahead(me, options_, options_, updates_per_epoch_, options_.correct_every);
  }

 private:
  Options options_;
  double updates_per_epoch_;
};

/// The catalogue's entry of one of them.
AlgorithmInfo describe_compressed_one_step_delay(std::string name, std::string summary,
                                                 std::string paper, Listed listed);

}  // namespace motley
