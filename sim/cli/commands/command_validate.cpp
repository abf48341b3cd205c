#include <iostream>

#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/cli/json_output.hpp"
#include "sim/study/described_data.hpp"
#include "sim/study/trained_and_modelled.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

int validate(const po::variables_map& options, const std::vector<std::string>&) {
  const Study study = load_study(options, "validate");
  const std::string modelled = trained_and_modelled(study.experiment(0));
  const std::string data = described_data(study.experiment(0));
  std::string warning;
  try {
    check_fits_memory(study.memory_need());
  } catch (const InputError& e) {
    warning = e.what();  // it may be meant for another machine
  }
  if (wants_json(options)) {
    std::size_t tuning_runs = 0;
    for (const TuningUnit& unit : study.units()) tuning_runs += unit.budgeted_runs();
    print_json({{"valid", true},
                {"name", study.name()},
                {"runs", study.size()},
                {"tuning_runs", tuning_runs},
                {"description", study.describe()},
                {"trained_and_modelled", modelled},
                {"data", data},
                {"warnings", warning.empty() ? Json::array() : Json::array({warning})},
                {"scenario", study.full()}});
    return 0;
  }
  std::cout << "valid\n" << study.describe() << "\n";
  if (!modelled.empty()) std::cout << modelled << "\n";
  if (!data.empty()) std::cout << data << "\n";
  if (!warning.empty()) std::cout << "warning: " << warning << "\n";
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
  command.groups.push_back(json_option());
  command.execute = validate;
  return command;
}

}  // namespace motley
