#include "sim/cli/tell_what_decides.hpp"

#include <iostream>

#include "sim/base/format.hpp"
#include "sim/cli/whatif_lines.hpp"
#include "sim/study/whatif.hpp"

namespace motley {

bool tell_what_decides(std::ostream& out, const Study& study, const ResultsFolder& folder,
                       unsigned jobs, bool quiet, const std::function<bool()>& should_interrupt) {
  const auto begins = [&](std::size_t runs) {
    if (!quiet && runs > 0) {
      out.flush();
      std::cerr << "timing " << counted(runs, "run") << " again on changed clusters\n";
    }
  };
  if (!update_whatif(study, folder, jobs, begins, should_interrupt)) return false;
  print_what_decides(out, folder.path());
  if (asks_first_point_only(study)) {
    out << "  asked at the first point only: algorithms times points are more than "
        << most_whatif_runs << "\n";
  }
  return true;
}

}  // namespace motley
