#pragma once

#include "sim/learning/models/layers/layer.hpp"
#include "sim/learning/models/layers/relu.hpp"
#include "sim/learning/models/matrix_product.hpp"

/// What a fully connected layer computes, for a few rows of inputs at a time. Its parameters are
/// its weights, one row of inputs per output, and then its biases.
namespace motley {

struct DenseShape {
  std::size_t inputs, outputs;

  std::size_t weights() const { return inputs * outputs; }
  std::size_t parameters() const { return weights() + outputs; }
  double flops() const { return 2 * static_cast<double>(inputs) * static_cast<double>(outputs); }
};

template <class Rows>
void dense_forward(const DenseShape& shape, const float* x, const Rows& input, std::size_t count,
                   bool rectified, ResultRows output) {
  multiply_transposed(input, count, EvenRows{x, shape.inputs}, shape.outputs, shape.inputs, output);
  const float* biases = x + shape.weights();
  for (std::size_t s = 0; s < count; ++s) {
    float* row = output[s];
    for (std::size_t i = 0; i < shape.outputs; ++i) row[i] += biases[i];
    if (rectified) rectify(row, shape.outputs);
  }
}

template <class Rows>
void dense_backward_parameters(const DenseShape& shape, const Rows& input, EvenRows delta,
                               std::size_t count, const GradientSum<float>& sum) {
  combine({.height = shape.outputs,
           .width = shape.inputs,
           .terms = count,
           .factors = delta.first,
           .row_step = 1,
           .term_step = delta.stride,
           .keep = sum.keep,
           .kept = {sum.kept, shape.inputs},
           .result = {sum.g, shape.inputs}},
          input);
  const std::size_t biases = shape.weights();
  for (std::size_t o = 0; o < shape.outputs; ++o) sum.g[biases + o] = sum.start(biases + o);
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t o = 0; o < shape.outputs; ++o) sum.g[biases + o] += delta[s][o];
  }
}

inline void dense_backward_input(const DenseShape& shape, const float* x, EvenRows delta,
                                 std::size_t count, ResultRows input_delta) {
  combine({.height = count,
           .width = shape.inputs,
           .terms = shape.outputs,
           .factors = delta.first,
           .row_step = delta.stride,
           .term_step = 1,
           .keep = 0,
           .kept = {},
           .result = input_delta},
          EvenRows{x, shape.inputs});
}

}  // namespace motley
