#include "algorithms/support/gradients_at_newest.hpp"

namespace motley {

void push_gradients_at_newest(Worker& me, std::size_t batch, LateWork late) {
  Model x = me.pull_newest();
  for (;;) {
    std::optional<Gradient> g = me.gradient(x, batch, {.newer_model = late == LateWork::cancel});
    if (g) {
      me.wait_for_pushes();
      me.push(std::move(*g));
    }
    if (std::optional<Model> newer = me.newer_model()) x = std::move(*newer);
  }
}

}  // namespace motley
