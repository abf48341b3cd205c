#pragma once

#include <filesystem>

namespace motley {

/// Where data sets that were fetched are kept, one folder each: what MOTLEY_DATA names, or motley/ in
/// XDG_DATA_HOME, or ~/.local/share/motley.
std::filesystem::path data_folder();

}  // namespace motley
