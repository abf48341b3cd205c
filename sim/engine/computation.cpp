#include "sim/engine/computation.hpp"

namespace motley {

void LookAhead::hand_out(Computation& computation) {
  waiting_.erase(waiting_.iterator_to(computation));
  computation.prepare();
  computation.handed_out_ = true;
  ++handed_out_;
  pool_.submit(computation.task_);
}

void LookAhead::top_up() {
  while (handed_out_ < most_ahead_ && !waiting_.empty()) hand_out(*waiting_.begin());
}

void LookAhead::start(Computation& computation, double needed_at) {
  computation.needed_at_ = needed_at;
  waiting_.insert(computation);
  top_up();
}

void LookAhead::finish(Computation& computation) {
  if (!computation.handed_out_) hand_out(computation);
  computation.handed_out_ = false;
  --handed_out_;
  top_up();  // before this thread gets busy, so that the others have something to do
  pool_.finish(computation.task_);
}

void LookAhead::withdraw(Computation& computation) noexcept {
  if (computation.handed_out_) {
    computation.handed_out_ = false;
    --handed_out_;
    pool_.withdraw(computation.task_);
  } else if (computation.is_linked()) {
    waiting_.erase(waiting_.iterator_to(computation));
  }
}

}  // namespace motley
