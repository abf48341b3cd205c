#include "sim/cli/command_options.hpp"

#include "sim/cli/checking_display.hpp"
#include "sim/cli/shipped_files.hpp"
#include "sim/study/plugins.hpp"

namespace po = boost::program_options;

namespace motley {

po::options_description scenario_options() {
  po::options_description group("Scenario");
  group.add_options()("set", po::value<std::vector<std::string>>()->value_name("/pointer=JSON"),
                      "override one value of the scenario, such as /stop/time=10s; "
                      "/pointer=null removes it; may be repeated");
  group.add(plugin_option());
  return group;
}

po::options_description plugin_option() {
  po::options_description group;
  group.add_options()(
      "plugin", po::value<std::vector<std::string>>()->value_name("LIBRARY"),
      "load a plug-in with algorithms, models or kinds of data, in addition to those that a "
      "scenario lists, or instead of one of the same file name; may be repeated");
  return group;
}

std::vector<std::string> plugins_given(const po::variables_map& options) {
  return options.count("plugin") > 0 ? options["plugin"].as<std::vector<std::string>>()
                                     : std::vector<std::string>{};
}

void load_given_plugins(const po::variables_map& options) {
  for (const std::string& plugin : plugins_given(options)) load_plugin(plugin, {"", "--plugin"});
}

Study load_study(const po::variables_map& options, const std::string& command) {
  if (options.count("scenario") == 0) {
    throw InputError(command + ": needs a scenario file, such as scenarios/quickstart.json");
  }
  std::vector<Override> overrides;
  if (options.count("set") > 0) {
    for (const std::string& text : options["set"].as<std::vector<std::string>>()) {
      overrides.push_back(parse_override(text));
    }
  }
  CheckingDisplay display;
  const std::string given = options["scenario"].as<std::vector<std::string>>().front();
  return Study(
      scenario_meant(given), overrides,
      [&](std::size_t checked, std::size_t points) { display.checked(checked, points); },
      plugins_given(options));
}

po::options_description folder_options() {
  po::options_description group("Results");
  group.add_options()("out", po::value<std::string>()->value_name("DIR"),
                      "folder of the results (default: results/<name>)");
  return group;
}

std::filesystem::path folder_of(const po::variables_map& options, const Study& study) {
  if (options.count("out") == 0) return std::filesystem::path("results") / study.name();
  const std::string folder = options["out"].as<std::string>();
  if (folder.empty()) throw InputError("--out: must name a folder, got ''");
  return folder;
}

std::filesystem::path live_folder(const po::variables_map& options, const Study& study) {
  if (options.count("out") > 0) return folder_of(options, study);
  return std::filesystem::path("results") / (study.name() + "_live");
}

po::options_description shard_options() {
  po::options_description group("Parts");
  group.add_options()("shard", po::value<std::string>()->value_name("K/N"),
                      "do only the K-th of N parts of about equal expected cost");
  return group;
}

StudyShard shard_of(const po::variables_map& options) {
  return options.count("shard") > 0 ? parse_shard(options["shard"].as<std::string>())
                                    : StudyShard();
}

unsigned positive_option(const po::variables_map& options, const char* name, unsigned fallback) {
  if (options.count(name) == 0) return fallback;
  constexpr int most = 1024;  // a slip of the keyboard must not start a million threads
  const int value = options[name].as<int>();
  if (value < 1 || value > most) {
    throw InputError(std::string("--") + name + ": must be from 1 to " + std::to_string(most) +
                     ", got " + std::to_string(value));
  }
  return static_cast<unsigned>(value);
}

}  // namespace motley
