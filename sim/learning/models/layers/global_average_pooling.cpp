#include "sim/learning/models/layers/global_average_pooling.hpp"

namespace motley {
namespace {

template <class S>
class GlobalAveragePoolingRun final : public LayerRun<S> {
 public:
  GlobalAveragePoolingRun(const Planes& input, std::size_t count)
      : groups_(count * input.groups()),
        pixels_(input.pixels()),
        output_(groups_ * channel_block) {}

  const S* forward(const S* input) override {
    for (std::size_t group = 0; group < groups_; ++group) {
      Lanes<S> sum{};
      for (std::size_t p = 0; p < pixels_; ++p, input += channel_block) sum += load_lanes(input);
      store_lanes(output_.data() + group * channel_block, Lanes<S>(sum / static_cast<S>(pixels_)));
    }
    return output_.data();
  }

  S* backward(const S*, S* delta, S* spare, const GradientSum<S>&) override {
    S* to = spare;
    for (std::size_t group = 0; group < groups_; ++group) {
      const Lanes<S> share = load_lanes<S>(delta + group * channel_block) / static_cast<S>(pixels_);
      for (std::size_t p = 0; p < pixels_; ++p, to += channel_block) store_lanes(to, share);
    }
    return spare;
  }

 private:
  std::size_t groups_, pixels_;
  Buffer<S> output_;
};

}  // namespace

std::unique_ptr<LayerRun<float>> GlobalAveragePooling::in_float(const RunOptions& options) const {
  return std::make_unique<GlobalAveragePoolingRun<float>>(input_, options.count);
}

std::unique_ptr<LayerRun<double>> GlobalAveragePooling::in_double(const RunOptions& options) const {
  return std::make_unique<GlobalAveragePoolingRun<double>>(input_, options.count);
}

}  // namespace motley
