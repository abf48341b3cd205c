#include "sim/engine/computing/worker_samples.hpp"

#include <algorithm>
#include <stdexcept>

namespace motley {

void WorkerSamples::draw_next(std::vector<Sample> samples) {
  told_ = std::move(samples);
  told_drawn_ = 0;
}

void WorkerSamples::draw(std::size_t count) {
  drawn_.resize(count);
  if (!augment_.empty()) {
    variations_.resize(count);
    for (Variation& variation : variations_) {
      variation = variation_of(augment_, seed_, rank_, varied_++);
    }
  }
  if (!told_) {
    sampler_.draw(drawn_);
    return;
  }
  if (told_drawn_ + count > told_->size()) {
    throw std::logic_error("a worker was told to draw fewer samples than it needs");
  }
  std::copy_n(told_->begin() + static_cast<std::ptrdiff_t>(told_drawn_), count, drawn_.begin());
  told_drawn_ += count;
}

void WorkerSamples::put_back() {
  if (told_)
    told_drawn_ -= drawn_.size();
  else
    sampler_.put_back(drawn_.size());
  varied_ -= variations_.size();
  drawn_.clear();
  variations_.clear();
}

}  // namespace motley
