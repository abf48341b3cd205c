#include <iostream>

#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/study/described_data.hpp"
#include "sim/study/trained_and_modelled.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

int validate(const po::variables_map& options, const std::vector<std::string>&) {
  const Study study = load_study(options, "validate");
  std::cout << "valid\n" << study.describe() << "\n";
  if (const std::string line = trained_and_modelled(study.experiment(0)); !line.empty()) {
    std::cout << line << "\n";
  }
  if (const std::string data = described_data(study.experiment(0)); !data.empty()) {
    std::cout << data << "\n";
  }
  try {
    check_fits_memory(study.memory_need());
  } catch (const InputError& e) {
    std::cout << "warning: " << e.what() << "\n";  // it may be meant for another machine
  }
  return 0;
}

}  // namespace

Command validate_command() {
  Command command;
  command.name = "validate";
  command.topic = topic_run;
  command.summary = "check a scenario without running it";
  command.usage = "motley validate SCENARIO [options]";
  command.example = "motley validate scenarios/quickstart.json";
  command.positional = "scenario";
  command.groups.push_back(scenario_options());
  command.execute = validate;
  return command;
}

}  // namespace motley
