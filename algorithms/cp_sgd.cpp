/// CP-SGD: CD-SGD's successor; here the same algorithm, under the name and citation of its own.
///   E. Yu, D. Dong, Y. Xu, S. Ouyang, X. Liao: CP-SGD: Distributed stochastic gradient descent with
///   compression and periodic compensation, J. Parallel Distrib. Comput. 169, 2022 [abstract; steps
///   recalled].
///
///   server, worker:  as od_sgd, but a worker sends Q(g_t + e), e <- g_t + e - Q(g_t + e)
///                    and every k-th iteration (`correct_every`) g_t + e itself, e <- 0
///
/// Q is by default 2 bits per entry, rounded at random; `compress` takes any other. That the full push
/// brings what was left out before is the plain reading [inferred]. Without compression it is od_sgd.
/// The steps are cd_sgd's: nothing that was read tells the journal's version apart from it. A result of one is
/// a result of the other, and no comparison needs both.
///
/// When a worker is gone: as od_sgd. What its compression had left out is lost with it.
#include "algorithms/support/compressed_one_step_delay.hpp"

namespace motley {

AlgorithmInfo cp_sgd() {
  return describe_compressed_one_step_delay(
      "cp_sgd", "cd_sgd's successor, whose steps are cd_sgd's as far as they are known",
      "Yu et al., JPDC 169, 2022", Listed{102});
}

}  // namespace motley
