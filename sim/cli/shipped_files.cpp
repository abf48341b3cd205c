#include "sim/cli/shipped_files.hpp"

namespace motley {
namespace {

bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

}  // namespace

std::filesystem::path shipped_file(const std::string& name) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path above = program.parent_path().parent_path();
  for (const std::filesystem::path& folder : {above, above / "share" / "motley"}) {
    if (is_there(folder / name)) return folder / name;
  }
  return {};
}

std::string scenario_meant(const std::string& given) {
  if (given.empty() || is_there(given)) return given;
  const std::filesystem::path path = given;
  if (path.is_absolute()) return given;
  for (const std::string& name : {given, "scenarios/" + given, "scenarios/" + given + ".json"}) {
    const std::filesystem::path file = shipped_file(name);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored) && file.extension() == ".json") {
      return file.string();
    }
  }
  return given;
}

}  // namespace motley
