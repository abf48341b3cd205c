#include "sim/vocabulary/worker.hpp"

#include <utility>

namespace motley {

Gradient Worker::gradient_ahead(std::size_t n, Ahead& how, const TakenAt& at) {
  std::optional<Model> global;
  if (how.pulls) global = how.next ? std::exchange(how.next, std::nullopt) : pull();
  Gradient g = gradient(at(global ? &*global : nullptr, 0), n);
  if (how.waits) how.next = pull();
  if (how.exactly)
    push_exactly(g);
  else
    push(g);
  return g;
}

}  // namespace motley
