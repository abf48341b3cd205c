#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace motley {

using TextRow = std::vector<std::string>;

/// Columns as wide as their widest cell; the first is aligned to the left, the others to the right.
void print_table(std::ostream& out, const std::vector<TextRow>& rows);

}  // namespace motley
