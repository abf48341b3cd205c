#include <iostream>

#include "sim/base/json.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/cli/field_markdown.hpp"
#include "sim/cli/scenario_schema.hpp"
#include "sim/learning/learning_spec.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

/// docs/scenario.md's list of all keys.
void print_fields_markdown() {
  const std::vector<FieldInfo> fields = scenario_keys();
  print_field_table(std::cout, fields);
  print_object_sections(std::cout, fields);
}

int schema(const po::variables_map& options, const std::vector<std::string>&) {
  load_given_plugins(options);
  if (options.count("markdown") > 0) {
    print_fields_markdown();
    return 0;
  }
  std::cout << scenario_schema().dump(2) << "\n";
  return 0;
}

}  // namespace

Command schema_command() {
  Command command;
  command.name = "schema";
  command.summary = "print the JSON Schema of scenario files, for editors";
  command.usage = "motley schema [options]";
  command.example = "motley schema > scenarios/schema.json";
  po::options_description output("Output");
  output.add_options()("markdown",
                       "print all keys as Markdown tables instead, as in docs/scenario.md");
  output.add(plugin_option());
  command.groups.push_back(output);
  command.execute = schema;
  return command;
}

}  // namespace motley
