#include "sim/study/shared_platforms.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/base/digest.hpp"
#include "sim/base/regular_file.hpp"
#include "sim/engine/platform.hpp"

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
  if (!std::filesystem::exists(file)) throw InputError(place, "no such file: " + file);
  const std::string why_not = why_not_regular(file);
  if (!why_not.empty()) throw InputError(place, file + ": " + why_not);
  return known_[file] = {inspect_platform(file, place), digest(contents_of(file))};
}

const SpeedTrace& SharedPlatforms::trace(const std::string& file, const Place& place) {
  const auto known = traces_.find(file);
  if (known != traces_.end()) return known->second;
  return traces_[file] = SpeedTrace::load(file, place);
}

}  // namespace motley
