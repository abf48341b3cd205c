#include "sim/learning/models/layers/dense.hpp"

#include <algorithm>

namespace motley {
namespace {

/// Rows of numbers, for the loops in double.
template <class S>
struct Row {
  S* first;
  std::size_t stride;
  S* operator[](std::size_t i) const { return first + i * stride; }
};

struct PickedRow {
  Row<const double> all;
  const Sample* index;
  const double* operator[](std::size_t i) const { return all[index[i]]; }
};

template <class Rows>
void dense_forward(const DenseShape& shape, const double* x, const Rows& input, std::size_t count,
                   bool rectified, Row<double> output) {
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t o = 0; o < shape.outputs; ++o) {
      double sum = x[shape.weights() + o];
      for (std::size_t i = 0; i < shape.inputs; ++i) sum += x[o * shape.inputs + i] * input[s][i];
      output[s][o] = sum;
    }
    if (rectified) rectify(output[s], shape.outputs);
  }
}

template <class Rows>
void dense_backward_parameters(const DenseShape& shape, const Rows& input, Row<const double> delta,
                               std::size_t count, const GradientSum<double>& sum) {
  for (std::size_t i = 0; i < shape.parameters(); ++i) sum.g[i] = sum.start(i);
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t o = 0; o < shape.outputs; ++o) {
      for (std::size_t i = 0; i < shape.inputs; ++i) {
        sum.g[o * shape.inputs + i] += delta[s][o] * input[s][i];
      }
      sum.g[shape.weights() + o] += delta[s][o];
    }
  }
}

void dense_backward_input(const DenseShape& shape, const double* x, Row<const double> delta,
                          std::size_t count, Row<double> input_delta) {
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t i = 0; i < shape.inputs; ++i) {
      input_delta[s][i] = 0;
      for (std::size_t o = 0; o < shape.outputs; ++o) {
        input_delta[s][i] += x[o * shape.inputs + i] * delta[s][o];
      }
    }
  }
}

template <class S>
class DenseRun final : public LayerRun<S> {
 public:
  DenseRun(const Planes& input, const Planes& output, const DenseShape& shape, bool rectified,
           const RunOptions& options)
      : input_(input),
        stride_(output.size()),
        shape_(shape),
        rectified_(rectified),
        input_gradient_(options.input_gradient),
        count_(options.count),
        in_order_(input.block == 1 || input.pixels() == 1),
        rows_(in_order_ ? 0 : count_ * shape.inputs),
        output_(count_ * stride_) {}

  void load(const S* x) override { x_ = x; }
  void take(std::size_t count) override { count_ = count; }

  const S* forward(const S* input) override {
    picked_.index = nullptr;
    if (!in_order_) {
      S* to = rows_.data();
      for_numbers([&](std::size_t i) { *to++ = input[i]; });
    }
    return forward_rows(rows(input));
  }

  const S* forward_picked(const S* all, const Sample* index) override {
    if (!in_order_) return LayerRun<S>::forward_picked(all, index);
    picked_ = {rows(all), index};
    return forward_rows(picked_);
  }

  S* backward(const S* input, S* delta, S* spare, const GradientSum<S>& sum) override {
    if (rectified_) rectify_gradient(delta, output_.data(), count_ * stride_);
    const Rows deltas{delta, stride_};
    if (picked_.index != nullptr) {
      dense_backward_parameters(shape_, picked_, deltas, count_, sum);
    } else {
      dense_backward_parameters(shape_, rows(input), deltas, count_, sum);
    }
    if (!input_gradient_) return nullptr;
    if (in_order_) {
      // What is filled up beside the last channels has no gradient.
      if (input_.size() > shape_.inputs) std::fill_n(spare, count_ * input_.size(), S{0});
      dense_backward_input(shape_, x_, deltas, count_, {spare, input_.size()});
    } else {
      dense_backward_input(shape_, x_, deltas, count_, {rows_.data(), shape_.inputs});
      if (input_.shape.channels % input_.block != 0) {
        std::fill_n(spare, count_ * input_.size(), S{0});
      }
      const S* from = rows_.data();
      for_numbers([&](std::size_t i) { spare[i] = *from++; });
    }
    return spare;
  }

 private:
  static constexpr bool in_float = std::is_same_v<S, float>;
  using Rows = std::conditional_t<in_float, EvenRows, Row<const double>>;
  using Picked = std::conditional_t<in_float, PickedRows, PickedRow>;

  template <class AnyRows>
  const S* forward_rows(const AnyRows& input) {
    dense_forward(shape_, x_, input, count_, rectified_, {output_.data(), stride_});
    return output_.data();
  }

  /// One row per image, the channels one after the other.
  Rows rows(const S* input) const {
    if (in_order_) return {input, input_.size()};
    return {rows_.data(), shape_.inputs};
  }

  /// f(where it is in the blocks), channel by channel.
  template <class F>
  void for_numbers(const F& f) const {
    for (std::size_t image = 0; image < count_; ++image)
      for (std::size_t c = 0; c < input_.shape.channels; ++c)
        for (std::size_t p = 0; p < input_.pixels(); ++p)
          f(image * input_.size() + input_.at(c, 0, p));
  }

  Planes input_;
  std::size_t stride_;  // from one image's output to the next
  DenseShape shape_;
  bool rectified_;
  bool input_gradient_;
  std::size_t count_;
  bool in_order_;
  Picked picked_{};  // what the last forward pass was about; without index: its input
  Buffer<S> rows_;
  Buffer<S> output_;
  const S* x_ = nullptr;
};

}  // namespace

std::unique_ptr<LayerRun<float>> Dense::in_float(const RunOptions& options) const {
  return std::make_unique<DenseRun<float>>(input_, output(), shape_, rectified_, options);
}

std::unique_ptr<LayerRun<double>> Dense::in_double(const RunOptions& options) const {
  return std::make_unique<DenseRun<double>>(input_, output(), shape_, rectified_, options);
}

}  // namespace motley
