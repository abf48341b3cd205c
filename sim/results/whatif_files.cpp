#include "sim/results/whatif_files.hpp"

#include <fstream>
#include <iterator>

#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"
#include "sim/base/json_file.hpp"
#include "sim/base/place.hpp"
#include "sim/base/regular_file.hpp"

namespace motley {
namespace {

/// Of the table; empty when it is not known.
std::string digest_written(const std::filesystem::path& folder) {
  try {
    const Json origin = parse_json_file((folder / whatif_origin_name).string());
    return origin.is_object() ? origin.value(whatif_table_key, Json("")).dump() : "";
  } catch (const InputError&) {
    return "";
  }
}

}  // namespace

std::string why_whatif_not_as_written(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / whatif_csv_name;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return "";
  const std::string why_not = why_not_regular(file);
  if (!why_not.empty()) return file.string() + ": " + why_not;
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (Json(digest(text)).dump() == digest_written(folder)) return "";
  return file.string() + ": is not as motley wrote it";
}

}  // namespace motley
