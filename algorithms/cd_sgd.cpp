/// CD-SGD: OD-SGD whose gradients are sent in two bits, and now and then in full.
///   E. Yu, D. Dong, Y. Xu, S. Ouyang, X. Liao: CD-SGD: Distributed Stochastic Gradient Descent with
///   Compression and Delay Compensation, ICPP 2021, arXiv 2106.10796 [abstract; steps recalled].
///
///   server, worker:  as od_sgd, but a worker sends Q(g_t + e), e <- g_t + e - Q(g_t + e)
///                    and every k-th iteration (`correct_every`) g_t + e itself, e <- 0
///
/// Q is by default 2 bits per entry, rounded at random; `compress` takes any other. That the full push
/// brings what was left out before is the plain reading [inferred]. Without compression it is od_sgd.
///
/// When a worker is gone: as od_sgd. What its compression had left out is lost with it.
#include "algorithms/support/compressed_one_step_delay.hpp"

namespace motley {

AlgorithmInfo cd_sgd() {
  return describe_compressed_one_step_delay(
      "cd_sgd", "od_sgd with quantised gradients, every k-th in full precision",
      "Yu et al., ICPP 2021, arXiv 2106.10796", Listed{101});
}

}  // namespace motley
