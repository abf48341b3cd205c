#pragma once

#include <filesystem>
#include <string>

namespace motley {

/// The table of what decides, and the file that says what it was made from.
inline constexpr const char* whatif_csv_name = "whatif.csv";
inline constexpr const char* whatif_origin_name = "whatif.json";
/// The member of the latter that holds the digest of the former.
inline constexpr const char* whatif_table_key = "table";

/// "FOLDER/whatif.csv: ..." when the table is there and is not what was written with the other file;
/// empty when it is, and when there is none.
std::string why_whatif_not_as_written(const std::filesystem::path& folder);

}  // namespace motley
