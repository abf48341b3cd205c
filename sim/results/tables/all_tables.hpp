#pragma once

#include <string>
#include <vector>

#include "sim/results/tables/column_table.hpp"

namespace motley {

/// Every CSV file, in the order in which they are explained.
std::vector<TableInfo> all_tables();

/// The same as a JSON object, by file: what a row is, and the columns.
Json to_json(const std::vector<TableInfo>& tables);
/// One section per file, with a table of its columns.
std::string to_markdown(const std::vector<TableInfo>& tables);

}  // namespace motley
