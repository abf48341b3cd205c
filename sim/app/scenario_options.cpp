#include "sim/app/scenario_options.hpp"

namespace po = boost::program_options;

namespace motley {

po::options_description scenario_options() {
  po::options_description group("Scenario");
  group.add_options()("set", po::value<std::vector<std::string>>()->value_name("/pointer=JSON"),
                      "override one value of the scenario, such as /stop/time=10s; repeatable");
  return group;
}

Experiment load_experiment(const po::variables_map& options, const std::string& command) {
  if (options.count("scenario") == 0) {
    throw InputError(command + ": needs a scenario file, such as scenarios/quickstart.json");
  }
  std::vector<Override> overrides;
  if (options.count("set") > 0) {
    for (const std::string& text : options["set"].as<std::vector<std::string>>()) {
      overrides.push_back(parse_override(text));
    }
  }
  return Experiment(options["scenario"].as<std::vector<std::string>>().front(), overrides);
}

}  // namespace motley
