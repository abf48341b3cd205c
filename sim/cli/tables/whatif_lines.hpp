#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "sim/results/bottleneck.hpp"

namespace motley {

/// What the change that brings most improves: "speed of cpu", "latency"; empty when nothing that was
/// tried brings 2 %. A part is named rather than the whole when it alone brings nearly as much: one
/// class rather than all, the server's links rather than all. To leave a class out improves nothing,
/// it is another cluster.
std::string bottleneck_of(const std::vector<Gain>& gains);

/// "bottleneck: speed of cpu (twice the speed of cpu: 1.41x updates/s; no latency: 1.05x)": the
/// changes that bring 2 % or more, the largest first; a whole is not told beside such a part.
std::string what_decides(const std::vector<Gain>& gains);

/// What whatif.csv says, a line per algorithm; for a sweep which bottleneck it has at how many
/// points. Nothing when there is no such file.
void print_what_decides(std::ostream& out, const std::filesystem::path& folder);

/// The same of one algorithm at one point, given as in runs.csv: "/cost/model_size=10MB"; empty
/// without a sweep. Empty when it was not asked.
std::string whatif_line(const std::filesystem::path& folder, const std::string& algorithm,
                        const std::string& point);

/// What updates/s are and what they are not.
extern const char* const whatif_heading;

}  // namespace motley
