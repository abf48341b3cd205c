#include <iostream>

#include "sim/cli/command_line.hpp"
#include "sim/cli/scenario_schema.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

int schema(const po::variables_map&, const std::vector<std::string>&) {
  std::cout << scenario_schema().dump(2) << "\n";
  return 0;
}

}  // namespace

Command schema_command() {
  Command command;
  command.name = "schema";
  command.summary = "print the JSON Schema of scenario files, for editors";
  command.usage = "motley schema";
  command.example = "motley schema > scenarios/schema.json";
  command.execute = schema;
  return command;
}

}  // namespace motley
