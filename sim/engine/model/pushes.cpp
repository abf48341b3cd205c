#include "sim/engine/model/pushes.hpp"

#include <algorithm>

#include "sim/engine/network/wire_bytes.hpp"

namespace motley {

Push push_of_gradient(Gradient g, std::size_t data_samples, bool wants_model) {
  Push push;
  push.kind = "gradient";
  push.data_samples = data_samples;
  push.version = g.version;
  push.samples = g.samples;
  push.compute_s = g.compute_s;
  push.wants_model = wants_model;
  push.vector = std::move(g);
  return push;
}

Push push_of_trained(const char* kind, Parameters vector, const Trained& y,
                     std::vector<Parameters> more, std::size_t data_samples, bool wants_model) {
  Push push;
  push.kind = kind;
  push.data_samples = data_samples;
  push.vector = std::move(vector);
  push.more = std::move(more);
  push.version = y.version;
  push.samples = y.samples;
  push.compute_s = y.compute_s;
  push.wants_model = wants_model;
  return push;
}

Push push_of_request() {
  Push push;
  push.kind = "request";
  return push;
}

Push push_of_number(double number) {
  Push push;
  push.kind = "number";
  push.numbers = {number};
  push.wants_model = false;
  return push;
}

std::uint64_t push_bytes(const Push& push, const Shard& to, const CostSpec& cost) {
  std::optional<std::uint64_t> modelled;
  if (cost.profile) modelled = std::max<std::uint64_t>(1, to.bytes / sizeof(float));
  return wire_bytes(push, to.bytes, to.size, modelled);
}

std::optional<std::uint64_t> version_of(const Push& push) {
  const bool is_computed = push.kind == "gradient" || push.kind == "model" || push.kind == "update";
  return is_computed ? std::optional(push.version) : std::nullopt;
}

}  // namespace motley
