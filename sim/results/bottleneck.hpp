#pragma once

#include <optional>
#include <string>
#include <vector>

/// Which of the changes that were tried on a cluster decides. The rule is here and nowhere else:
/// whatif.csv says what comes out of it.
namespace motley {

/// How much faster one algorithm makes its updates at one point when one thing is changed.
struct Gain {
  std::string change;                  ///< as in whatif.csv
  double updates = 1;                  ///< how many times as many per second
  std::optional<double> samples = {};  ///< the same of samples
  std::string why_not = {};            ///< when it is not known
};

/// Whether a change improves what is there. To leave a class out improves nothing, it is another
/// cluster.
bool improves_something(const std::string& change);

/// The changes that bring 2 % or more: the largest first, smaller clusters last. A whole is left out
/// when a part of it alone brings nearly as much: all classes beside one, all links beside the
/// server's.
std::vector<Gain> worth_naming(const std::vector<Gain>& gains);

}  // namespace motley
