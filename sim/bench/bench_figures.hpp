#pragma once

#include <string>
#include <vector>

namespace motley {

/// One line of `motley bench`.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;  ///< empty: a ratio
  /// What it should reach on the two-core reference machine; empty: for reference.
  std::string reach;
  std::string how;  ///< how it was measured
};

/// How long to measure. Short only shows that everything works; its figures mean little.
struct BenchEffort {
  int repeats = 5;
  double work = 1;  ///< factor on steps per measurement
};

/// Each measures some figures. Ratios are medians over interleaved measurements, each in a process
/// of its own.
std::vector<Figure> step_overhead_figures(const BenchEffort& effort);
std::vector<Figure> thread_figures(const BenchEffort& effort);
std::vector<Figure> kernel_figures(const BenchEffort& effort);
std::vector<Figure> scale_figures(const BenchEffort& effort);
std::vector<Figure> memory_figures(const BenchEffort& effort);
std::vector<Figure> evaluation_figures(const BenchEffort& effort);
std::vector<Figure> startup_figures(const BenchEffort& effort);

}  // namespace motley
