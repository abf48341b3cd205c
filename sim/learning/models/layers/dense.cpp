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

void dense_forward(const DenseShape& shape, const double* x, Row<const double> input,
                   std::size_t count, bool rectified, Row<double> output) {
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t o = 0; o < shape.outputs; ++o) {
      double sum = x[shape.weights() + o];
      for (std::size_t i = 0; i < shape.inputs; ++i) sum += x[o * shape.inputs + i] * input[s][i];
      output[s][o] = sum;
    }
    if (rectified) rectify(output[s], shape.outputs);
  }
}

void dense_backward_parameters(const DenseShape& shape, Row<const double> input,
                               Row<const double> delta, std::size_t count,
                               const GradientSum<double>& sum) {
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
  DenseRun(const Planes& input, const DenseShape& shape, bool rectified, const RunOptions& options)
      : input_(input),
        shape_(shape),
        rectified_(rectified),
        options_(options),
        in_order_(input.block == 1 || input.pixels() == 1),
        rows_(in_order_ ? 0 : options.count * shape.inputs),
        output_(options.count * shape.outputs) {}

  void load(const S* x) override { x_ = x; }

  const S* forward(const S* input) override {
    if (!in_order_) {
      S* to = rows_.data();
      for_numbers([&](std::size_t i) { *to++ = input[i]; });
    }
    dense_forward(shape_, x_, rows(input), options_.count, rectified_,
                  {output_.data(), shape_.outputs});
    return output_.data();
  }

  S* backward(const S* input, S* delta, S* spare, const GradientSum<S>& sum) override {
    if (rectified_) rectify_gradient(delta, output_.data(), output_.size());
    const Rows deltas{delta, shape_.outputs};
    dense_backward_parameters(shape_, rows(input), deltas, options_.count, sum);
    if (!options_.input_gradient) return nullptr;
    if (in_order_) {
      // What is filled up beside the last channels has no gradient.
      if (input_.size() > shape_.inputs) std::fill_n(spare, options_.count * input_.size(), S{0});
      dense_backward_input(shape_, x_, deltas, options_.count, {spare, input_.size()});
    } else {
      dense_backward_input(shape_, x_, deltas, options_.count, {rows_.data(), shape_.inputs});
      if (input_.shape.channels % input_.block != 0) {
        std::fill_n(spare, options_.count * input_.size(), S{0});
      }
      const S* from = rows_.data();
      for_numbers([&](std::size_t i) { spare[i] = *from++; });
    }
    return spare;
  }

 private:
  using Rows = std::conditional_t<std::is_same_v<S, float>, EvenRows, Row<const double>>;

  /// One row per image, the channels one after the other.
  Rows rows(const S* input) const {
    if (in_order_) return {input, input_.size()};
    return {rows_.data(), shape_.inputs};
  }

  /// f(where it is in the blocks), channel by channel.
  template <class F>
  void for_numbers(const F& f) const {
    for (std::size_t image = 0; image < options_.count; ++image)
      for (std::size_t c = 0; c < input_.shape.channels; ++c)
        for (std::size_t p = 0; p < input_.pixels(); ++p)
          f(image * input_.size() + input_.at(c, 0, p));
  }

  Planes input_;
  DenseShape shape_;
  bool rectified_;
  RunOptions options_;
  bool in_order_;
  Buffer<S> rows_;
  Buffer<S> output_;
  const S* x_ = nullptr;
};

}  // namespace

std::unique_ptr<LayerRun<float>> Dense::in_float(const RunOptions& options) const {
  return std::make_unique<DenseRun<float>>(input_, shape_, rectified_, options);
}

std::unique_ptr<LayerRun<double>> Dense::in_double(const RunOptions& options) const {
  return std::make_unique<DenseRun<double>>(input_, shape_, rectified_, options);
}

}  // namespace motley
