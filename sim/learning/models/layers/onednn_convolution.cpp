#ifdef MOTLEY_HAVE_DNNL

#include <algorithm>
#include <array>
#include <deque>
#include <dlfcn.h>
#include <utility>

#include <oneapi/dnnl/dnnl.hpp>

#include "sim/learning/models/layers/convolution_kernel.hpp"

namespace motley {
namespace {

using dnnl::memory;

/// Once per process, before anything of oneDNN is used.
const dnnl::engine& onednn_engine() {
  static const dnnl::engine engine = [] {
#ifdef MOTLEY_PORTABLE
    dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx2);  // the same bits on every such machine
#endif
    return dnnl::engine(dnnl::engine::kind::cpu, 0);
  }();
  return engine;
}

// Generation 3 of oneDNN has no descriptions of operations apart from those of primitives.
#if DNNL_VERSION_MAJOR >= 3
template <class Primitive, class... Arguments>
auto described(const dnnl::primitive_attr& attributes, const Arguments&... arguments) {
  return typename Primitive::primitive_desc(onednn_engine(), arguments..., attributes);
}
template <class Primitive, class... Arguments>
auto described_after(const dnnl::convolution_forward::primitive_desc& forward,
                     const dnnl::primitive_attr& attributes, const Arguments&... arguments) {
  return typename Primitive::primitive_desc(onednn_engine(), arguments..., forward, attributes);
}
#else
template <class Primitive, class... Arguments>
auto described(const dnnl::primitive_attr& attributes, const Arguments&... arguments) {
  return typename Primitive::primitive_desc(typename Primitive::desc(arguments...), attributes,
                                            onednn_engine());
}
template <class Primitive, class... Arguments>
auto described_after(const dnnl::convolution_forward::primitive_desc& forward,
                     const dnnl::primitive_attr& attributes, const Arguments&... arguments) {
  return typename Primitive::primitive_desc(typename Primitive::desc(arguments...), attributes,
                                            onednn_engine(), forward);
}
#endif

memory::dim dim(std::size_t size) {
  return static_cast<memory::dim>(size);
}

memory::desc images(const Planes& planes, std::size_t count) {
  const memory::format_tag tag = planes.block == 1    ? memory::format_tag::nchw
                                 : planes.block == 16 ? memory::format_tag::nChw16c
                                                      : memory::format_tag::nChw8c;
  return {
      {dim(count), dim(planes.shape.channels), dim(planes.shape.height), dim(planes.shape.width)},
      memory::data_type::f32,
      tag};
}

/// Whether the library has nothing but its reference code, a hundred times slower than the rest: for
/// images of one channel, for fewer channels than a block, for large kernels.
template <class Description>
bool is_reference(const Description& description) {
  return std::string(description.impl_info_str()).find("ref") != std::string::npos;
}

/// A primitive with the memory that it works on; pointers to what is not its own are set before
/// each call. The list of arguments is made once: the library's own way of calling from C++ would
/// make it anew each time.
class Call {
 public:
  Call() = default;
  template <class Description>
  Call(const dnnl::primitive& primitive, const Description& description) : primitive_(primitive) {
    const memory::desc scratch = description.scratchpad_desc();
    if (scratch.get_size() > 0) own(DNNL_ARG_SCRATCHPAD, scratch);
  }

  /// Memory of its own for an argument.
  const memory& own(int argument, const memory::desc& description) {
    buffers_.emplace_back(description.get_size() / sizeof(float) + 1);
    share(argument, memory(description, onednn_engine(), buffers_.back().data()));
    return memory_.back();
  }
  /// Memory of somebody else's.
  void share(int argument, const memory& other) {
    memory_.push_back(other);
    arguments_.push_back({argument, memory_.back().get()});
  }
  /// Memory that every call names.
  void leave_open(int argument, const memory::desc& description) {
    share(argument, memory(description, onednn_engine(), nullptr));
  }
  /// Nothing is written through it where the primitive only reads.
  void point(int argument, const float* values) {
    const auto is_it = [&](const dnnl_exec_arg_t& a) { return a.arg == argument; };
    const auto found = std::find_if(arguments_.begin(), arguments_.end(), is_it);
    memory_[static_cast<std::size_t>(found - arguments_.begin())].set_data_handle(
        const_cast<float*>(values));
  }
  void run(const dnnl::stream& stream) const {
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive_.get(), stream.get(), static_cast<int>(arguments_.size()),
                               arguments_.data()),
        "oneDNN cannot compute a convolution");
  }

 private:
  dnnl::primitive primitive_;
  std::deque<memory> memory_;  // argument by argument
  std::vector<dnnl_exec_arg_t> arguments_;
  std::vector<Buffer<float>> buffers_;
};

class OneDnnConvolution final : public ConvolutionKernel<float> {
 public:
  OneDnnConvolution(const ConvolutionShape& shape, std::size_t count)
      : shape_(shape), stream_(onednn_engine()) {
    // The library's own scratch memory would belong to the thread that makes the primitive.
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const auto algorithm = dnnl::algorithm::convolution_direct;
    const memory::dims kernel{dim(shape.output.shape.channels), dim(shape.input.shape.channels),
                              dim(shape.kernel), dim(shape.kernel)};
    const memory::desc input = images(shape.input, count);
    const memory::desc output = images(shape.output, count);
    const memory::desc any(kernel, memory::data_type::f32, memory::format_tag::any);
    const memory::desc bias({kernel[0]}, memory::data_type::f32, memory::format_tag::x);
    const memory::dims strides(2, dim(shape.stride));
    const memory::dims before{dim(shape.above), dim(shape.left)};
    const memory::dims after{dim(shape.below), dim(shape.right)};
    const memory::desc ours(kernel, memory::data_type::f32, memory::format_tag::oihw);

    using Forward = dnnl::convolution_forward;
    const auto forward =
        shape.biased ? described<Forward>(attributes, dnnl::prop_kind::forward_training, algorithm,
                                          input, any, bias, output, strides, before, after)
                     : described<Forward>(attributes, dnnl::prop_kind::forward_training, algorithm,
                                          input, any, output, strides, before, after);
    plain_forward_ = is_reference(forward);
    if (!plain_forward_) {
      forward_ = Call(Forward(forward), forward);
      forward_.leave_open(DNNL_ARG_SRC, input);
      forward_.leave_open(DNNL_ARG_DST, output);
      if (shape.biased) forward_.leave_open(DNNL_ARG_BIAS, bias);
      load_forward_ =
          reordered(ours, forward_.own(DNNL_ARG_WEIGHTS, forward.weights_desc()), attributes);
    }

    using Weights = dnnl::convolution_backward_weights;
    const auto weights = shape.biased
                             ? described_after<Weights>(forward, attributes, algorithm, input, any,
                                                        bias, output, strides, before, after)
                             : described_after<Weights>(forward, attributes, algorithm, input, any,
                                                        output, strides, before, after);
    plain_weights_ = is_reference(weights);
    if (!plain_weights_) {
      weights_ = Call(Weights(weights), weights);
      weights_.leave_open(DNNL_ARG_SRC, input);
      weights_.leave_open(DNNL_ARG_DIFF_DST, output);
      if (shape.biased) weights_.leave_open(DNNL_ARG_DIFF_BIAS, bias);
      const memory& sums = weights_.own(DNNL_ARG_DIFF_WEIGHTS, weights.diff_weights_desc());
      const auto reorder = dnnl::reorder::primitive_desc(onednn_engine(), sums.get_desc(),
                                                         onednn_engine(), ours, attributes);
      hand_out_ = Call(dnnl::reorder(reorder), reorder);
      hand_out_.share(DNNL_ARG_FROM, sums);
      hand_out_.leave_open(DNNL_ARG_TO, ours);
    }

    if (shape.input_gradient) {
      using Input = dnnl::convolution_backward_data;
      const auto below = described_after<Input>(forward, attributes, algorithm, input, any, output,
                                                strides, before, after);
      plain_input_ = is_reference(below);
      if (!plain_input_) {
        input_ = Call(Input(below), below);
        input_.leave_open(DNNL_ARG_DIFF_DST, output);
        input_.leave_open(DNNL_ARG_DIFF_SRC, input);
        load_backward_ =
            reordered(ours, input_.own(DNNL_ARG_WEIGHTS, below.weights_desc()), attributes);
      }
    }
    if (plain_forward_ || plain_weights_ || plain_input_) {
      plain_ = plain_convolution<float>(shape, count);
    }
  }

  void load(const float* parameters) override {
    if (plain_) plain_->load(parameters);
    if (!plain_forward_) {
      run(load_forward_, {{DNNL_ARG_FROM, parameters}});
      if (shape_.biased) forward_.point(DNNL_ARG_BIAS, parameters + shape_.weights());
    }
    if (shape_.input_gradient && !plain_input_) run(load_backward_, {{DNNL_ARG_FROM, parameters}});
  }

  void forward(const float* input, float* output) override {
    if (plain_forward_) {
      plain_->forward(input, output);
    } else {
      run(forward_, {{DNNL_ARG_SRC, input}, {DNNL_ARG_DST, output}});
    }
  }

  void backward_parameters(const float* input, const float* delta, float* gradient) override {
    if (plain_weights_) {
      plain_->backward_parameters(input, delta, gradient);
      return;
    }
    if (shape_.biased) weights_.point(DNNL_ARG_DIFF_BIAS, gradient + shape_.weights());
    run(weights_, {{DNNL_ARG_SRC, input}, {DNNL_ARG_DIFF_DST, delta}});
    run(hand_out_, {{DNNL_ARG_TO, gradient}});
  }

  void backward_input(const float* delta, float* input_delta) override {
    if (plain_input_) {
      plain_->backward_input(delta, input_delta);
    } else {
      run(input_, {{DNNL_ARG_DIFF_DST, delta}, {DNNL_ARG_DIFF_SRC, input_delta}});
    }
  }

 private:
  /// From our order into that of `to`.
  static Call reordered(const memory::desc& ours, const memory& to,
                        const dnnl::primitive_attr& attributes) {
    const auto reorder = dnnl::reorder::primitive_desc(onednn_engine(), ours, onednn_engine(),
                                                       to.get_desc(), attributes);
    Call call(dnnl::reorder(reorder), reorder);
    call.leave_open(DNNL_ARG_FROM, ours);
    call.share(DNNL_ARG_TO, to);
    return call;
  }

  void run(Call& call, std::initializer_list<std::pair<int, const float*>> pointers) {
    for (const auto& [argument, values] : pointers) call.point(argument, values);
    call.run(stream_);
  }

  ConvolutionShape shape_;
  dnnl::stream stream_;
  // Where the library has only its reference code, loops of our own.
  std::unique_ptr<ConvolutionKernel<float>> plain_;
  bool plain_forward_ = false, plain_weights_ = false, plain_input_ = false;
  Call forward_, weights_, input_;
  Call load_forward_, load_backward_, hand_out_;
};

}  // namespace

std::unique_ptr<ConvolutionKernel<float>> fast_convolution(const ConvolutionShape& shape,
                                                           std::size_t count) {
  return std::make_unique<OneDnnConvolution>(shape, count);
}

void convolve_in_this_thread() {
  thread_local bool done = false;
  if (done) return;
  // Debian's oneDNN brings OpenMP, whose number of threads is a matter of each thread that calls.
  if (void* set_threads = dlsym(RTLD_DEFAULT, "omp_set_num_threads")) {
    reinterpret_cast<void (*)(int)>(set_threads)(1);
  }
  done = true;
}

std::string convolution_code() {
  onednn_engine();
  const dnnl_version_t& version = *dnnl::version();
  const auto isa = static_cast<dnnl_cpu_isa_t>(dnnl::get_effective_cpu_isa());
  const std::array<std::pair<dnnl_cpu_isa_t, const char*>, 7> names{
      {{dnnl_cpu_isa_sse41, "SSE4.1"},
       {dnnl_cpu_isa_avx, "AVX"},
       {dnnl_cpu_isa_avx2, "AVX2"},
       {dnnl_cpu_isa_avx512_core, "AVX-512"},
       {dnnl_cpu_isa_avx512_core_vnni, "AVX-512 with VNNI"},
       {dnnl_cpu_isa_avx512_core_bf16, "AVX-512 with bfloat16"},
       {dnnl_cpu_isa_avx512_core_amx, "AVX-512 with AMX"}}};
  const auto known =
      std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.first == isa; });
  return "oneDNN " + std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch) + ", " +
         (known != names.end() ? known->second
                               : "instruction set " + std::to_string(static_cast<unsigned>(isa)));
}

bool convolutions_are_slow() {
  return false;
}

}  // namespace motley

#endif
