#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/cli/other_program.hpp"

namespace motley {

/// Draws the report of a results folder with the Python of analysis/. Returns its exit code;
/// InputError when analysis/ or a Python that has matplotlib and pandas cannot be found.
int make_report(const std::filesystem::path& results, const std::vector<std::string>& options = {},
                ChildOutput output = ChildOutput::shown);

/// InputError unless it is the name of a figure that can be drawn; to be called before anything is measured.
void check_figure_name(const std::string& figure);

/// Draws what `motley compare` has written, in the same way.
int draw_prediction(const std::filesystem::path& csv, const std::string& figure);

/// What make_report would complain about, now rather than after hours of simulation.
void check_report_possible();

}  // namespace motley
