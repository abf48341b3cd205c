#include "sim/study/shared_platforms.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/base/digest.hpp"
#include "sim/base/regular_file.hpp"
#include "sim/base/text.hpp"
#include "sim/engine/platform/platform.hpp"
#include "sim/engine/platform/platform_profiles.hpp"

namespace motley {
namespace {

std::string contents_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

const SharedPlatforms::Entry& SharedPlatforms::get(const std::string& file, const Place& place) {
  const auto known = known_.find(file);
  if (known != known_.end()) return known->second;
  std::error_code ignored;
  constexpr std::size_t longest = 500;
  if (!std::filesystem::exists(file, ignored)) {
    throw InputError(place, "no such file: " + shortened(file, longest));
  }
  const std::string why_not = why_not_regular(file);
  if (!why_not.empty()) throw InputError(place, file + ": " + why_not);
  const ClusterPlan plan = inspect_platform(file, place);
  // What it is in all, profiles included: runs are named by it.
  std::string whole = contents_of(file);
  for (const std::filesystem::path& part : files_named_in(file)) {
    whole += '\0' + contents_of(part.string());
  }
  return known_[file] = {plan, digest(whole)};
}

const SpeedTrace& SharedPlatforms::trace(const std::string& file, const Place& place) {
  const auto known = traces_.find(file);
  if (known != traces_.end()) return known->second;
  return traces_[file] = SpeedTrace::load(file, place);
}

}  // namespace motley
