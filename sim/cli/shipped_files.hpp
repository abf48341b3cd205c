#pragma once

#include <filesystem>
#include <string>

namespace motley {

/// A file that comes with the program, such as "analysis/report.py": in the repository whose build folder the
/// program is in, or in <prefix>/share/motley where it is installed. Empty when it is in neither.
std::filesystem::path shipped_file(const std::string& name);

/// The scenario that is meant: the file itself, or else the shipped one of that name, given as "quickstart" or
/// "scenarios/quickstart.json". What is given when there is neither.
std::string scenario_meant(const std::string& given);

}  // namespace motley
