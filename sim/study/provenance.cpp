#include "sim/study/provenance.hpp"

#include <fstream>

#include <Eigen/Core>
#include <boost/version.hpp>
#include <build_facts.hpp>

#include "sim/base/json.hpp"
#include "sim/base/text.hpp"
#include "sim/engine/platform/simgrid_version.hpp"
#include "sim/learning/models/layers/convolution_kernel.hpp"
#include "sim/learning/models/matrix_product.hpp"
#include "sim/study/plugins.hpp"
#include "sim/study/program_digests.hpp"

namespace motley {
namespace {

std::string host_cpu() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string dotted(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string boost_version() {
  return dotted(BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100);
}

/// What may decide a result's last bits besides the sources.
std::string this_build() {
  return "g++ " __VERSION__ " " MOTLEY_FLAGS ", " + std::to_string(product::lanes) +
         " floats per vector, simgrid " + simgrid_version() + ", eigen " +
         dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION) + ", boost " +
         boost_version() + ", convolutions " + convolution_code();
}

/// Of its own files; of one that a plug-in brings, of that library.
std::string digest_of_algorithm(const std::string& name) {
  const LoadedPlugin* plugin = plugin_of_algorithm(name);
  return plugin != nullptr ? plugin->digest : algorithm_digest(name);
}

/// The plug-ins that are loaded, as provenance.json lists them.
Json plugins_json() {
  Json list = Json::array();
  for (const LoadedPlugin& plugin : loaded_plugins()) {
    list.push_back({{"file", valid_utf8(plugin.file.string())}, {"digest", plugin.digest}});
  }
  return list;
}

/// "?" when there is none, as in a file that somebody has edited.
std::string text_of(const Json& program, const char* key) {
  const bool given = program.is_object() && program.contains(key) && program[key].is_string();
  return given ? program[key].get<std::string>() : "?";
}

}  // namespace

std::string version_line() {
  return "motley " MOTLEY_VERSION " (" + program_commit() + ")";
}

Json this_program(const std::string& algorithm) {
  return {{"version", MOTLEY_VERSION},
          {"commit", program_commit()},
          {"sources", results_digest()},
          {"algorithm", digest_of_algorithm(algorithm)},
          {"build", this_build()}};
}

Json what_decides_results(const std::string& algorithm) {
  return {{"sources", results_digest()},
          {"algorithm", digest_of_algorithm(algorithm)},
          {"build", this_build()}};
}

Maker maker_of(const Json& program, const std::string& algorithm) {
  if (text_of(program, "sources") != results_digest() ||
      text_of(program, "build") != this_build()) {
    return Maker::other_program;
  }
  return text_of(program, "algorithm") == digest_of_algorithm(algorithm) ? Maker::same
                                                                         : Maker::other_algorithm;
}

std::string shown_program(const Json& program) {
  return text_of(program, "version") + " (" + text_of(program, "commit") + ", " +
         text_of(program, "build") + ")";
}

Json provenance(const std::vector<std::string>& command) {
  Json words = Json::array();
  for (const std::string& word : command) words.push_back(valid_utf8(word));
  Json facts = {{"program", "motley"},
                {"version", MOTLEY_VERSION},
                {"commit", program_commit()},
                {"sources", results_digest()},
                {"compiler", std::string("g++ ") + __VERSION__},
                {"build_type", MOTLEY_BUILD_TYPE},
                {"flags", MOTLEY_FLAGS},
                {"simgrid", simgrid_version()},
                {"eigen", dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
                {"boost", boost_version()},
                {"convolutions", convolution_code()},
                {"json", dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                NLOHMANN_JSON_VERSION_PATCH)},
                {"command", words},
                {"host_cpu", host_cpu()}};
  if (!loaded_plugins().empty()) facts["plugins"] = plugins_json();
  return facts;
}

}  // namespace motley
