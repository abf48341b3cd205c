#pragma once

#include "sim/scenario/fields.hpp"
#include "sim/vocabulary/model.hpp"

namespace motley {

/// How a server moves its model x by d, the mean of what its clients' models moved. With eta_g the
/// step size of the server:
///
///   sgd       x <- x + eta_g d
///   momentum  m <- b m + d;   x <- x + eta_g m                                           (FedAvgM)
///   adam      m <- b m + (1-b) d;   v <- b2 v + (1-b2) d*d;   x <- x + eta_g m / (sqrt(v) + tau)
///   yogi      the same with v <- v - (1-b2) d*d sign(v - d*d)
///
///   T. H. Hsu, H. Qi, M. Brown, arXiv 1909.06335, 2019; S. Reddi et al.: Adaptive Federated
///   Optimization, ICLR 2021, arXiv 2003.00295. v begins at tau^2 and nothing is corrected for its
///   beginning [paper, recalled].
struct ServerRuleSpec {
  enum class Kind { sgd, momentum, adam, yogi };
  Kind server_rule = Kind::sgd;
  double server_step_size = 1;
  double server_momentum = 0.9;
  double server_beta2 = 0.99;
  double server_epsilon = 0.001;

  /// InputError at `place` for options that the rule does not use.
  void check(const Place& place) const;
  static Fields<ServerRuleSpec> fields();
};

/// A value: m and v belong to it.
class ServerRule {
 public:
  explicit ServerRule(const ServerRuleSpec& spec) : spec_(spec) {}
  /// d = share * sum.
  void step(Model& x, const Parameters& sum, double share);

 private:
  ServerRuleSpec spec_;
  Parameters m_;
  Parameters v_;
};

}  // namespace motley
