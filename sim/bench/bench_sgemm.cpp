#define EIGEN_DONT_PARALLELIZE
#include "sim/bench/bench_sgemm.hpp"

#include <algorithm>
#include <dlfcn.h>

#include <Eigen/Core>

#ifdef MOTLEY_HAVE_DNNL
#include <dnnl.h>
#endif

#include "sim/base/cpu_clock.hpp"

namespace motley {
namespace {

constexpr int n = 768;  // large enough for full speed, small enough for a few milliseconds

template <class Product>
double best_rate(Product product) {
  double best = 0;
  for (int i = 0; i < 12; ++i) {
    const double start = cpu_seconds();
    product();
    best = std::max(best, 2.0 * n * n * n / (cpu_seconds() - start));
  }
  return best;
}

}  // namespace

SgemmRate best_large_sgemm() {
  const Eigen::MatrixXf a = Eigen::MatrixXf::Random(n, n);
  const Eigen::MatrixXf b = Eigen::MatrixXf::Random(n, n);
  Eigen::MatrixXf c(n, n);
  SgemmRate rate{best_rate([&] { c.noalias() = a * b; }), "Eigen"};
#ifdef MOTLEY_HAVE_DNNL
  // Debian's oneDNN brings OpenMP, which reads its environment before main.
  if (void* set_threads = dlsym(RTLD_DEFAULT, "omp_set_num_threads")) {
    reinterpret_cast<void (*)(int)>(set_threads)(1);
  }
  const double onednn = best_rate(
      [&] { dnnl_sgemm('N', 'N', n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n); });
  if (onednn > rate.flops_per_s) rate = {onednn, "oneDNN"};
#endif
  return rate;
}

}  // namespace motley
