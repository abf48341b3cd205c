#include "algorithms/support/server_rule.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/support/unused_option.hpp"
#include "sim/base/json_value.hpp"

namespace motley {

Fields<ServerRuleSpec> ServerRuleSpec::fields() {
  const ServerRuleSpec usual;
  Fields<ServerRuleSpec> f;
  f.add(
      {.name = "server_rule",
       .doc = "how the server steps along the mean of what the workers moved: sgd, momentum, adam "
              "or yogi",
       .fallback = "sgd",
       .choices = {"sgd", "momentum", "adam", "yogi"}},
      &ServerRuleSpec::server_rule);
  f.add({.name = "server_step_size",
         .doc = "eta_g of the server's step; adam and yogi need a small one",
         .fallback = usual.server_step_size,
         .minimum = 0,
         .above_minimum = true},
        &ServerRuleSpec::server_step_size);
  f.add({.name = "server_momentum",
         .doc = "b of momentum, adam and yogi",
         .fallback = usual.server_momentum,
         .minimum = 0,
         .maximum = 1,
         .below_maximum = true},
        &ServerRuleSpec::server_momentum);
  f.add({.name = "server_beta2",
         .doc = "b2 of adam and yogi",
         .fallback = usual.server_beta2,
         .minimum = 0,
         .maximum = 1,
         .below_maximum = true},
        &ServerRuleSpec::server_beta2);
  f.add({.name = "server_epsilon",
         .doc = "tau of adam and yogi",
         .fallback = usual.server_epsilon,
         .minimum = 0,
         .above_minimum = true},
        &ServerRuleSpec::server_epsilon);
  return f;
}

void ServerRuleSpec::check(const Place& place) const {
  const ServerRuleSpec usual;
  const bool adaptive = server_rule == Kind::adam || server_rule == Kind::yogi;
  refuse_unused(server_rule == Kind::sgd && server_momentum != usual.server_momentum,
                place / "server_momentum", "server_rule = momentum, adam or yogi");
  refuse_unused(!adaptive && server_beta2 != usual.server_beta2, place / "server_beta2",
                "server_rule = adam or yogi");
  refuse_unused(!adaptive && server_epsilon != usual.server_epsilon, place / "server_epsilon",
                "server_rule = adam or yogi");
}

void ServerRule::step(Model& x, const Parameters& sum, double share) {
  using Kind = ServerRuleSpec::Kind;
  if (spec_.server_rule == Kind::sgd) {
    x += static_cast<float>(spec_.server_step_size * share) * sum;
    return;
  }
  const auto eta = static_cast<float>(spec_.server_step_size);
  const auto part = static_cast<float>(share);
  const auto beta1 = static_cast<float>(spec_.server_momentum);
  const auto beta2 = static_cast<float>(spec_.server_beta2);
  const auto tau = static_cast<float>(spec_.server_epsilon);
  if (m_.empty()) {
    m_ = Parameters::zeros(x.size());
    v_ = Parameters(x.size());
    std::ranges::fill(v_.overwritable(), tau * tau);
  }
  const std::span<const float> d = sum.values();
  const std::span<float> to = x.writable();
  const std::span<float> m = m_.writable();
  const std::span<float> v = v_.writable();
  for (std::size_t i = 0; i < to.size(); ++i) {
    const float moved = part * d[i];
    if (spec_.server_rule == Kind::momentum) {
      m[i] = beta1 * m[i] + moved;
      to[i] += eta * m[i];
      continue;
    }
    const float square = moved * moved;
    m[i] = beta1 * m[i] + (1 - beta1) * moved;
    if (spec_.server_rule == Kind::adam)
      v[i] = beta2 * v[i] + (1 - beta2) * square;
    else if (v[i] != square)
      v[i] -= (1 - beta2) * square * (v[i] > square ? 1.0F : -1.0F);
    to[i] += eta * m[i] / (std::sqrt(v[i]) + tau);
  }
}

}  // namespace motley
