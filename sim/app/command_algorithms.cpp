#include <iomanip>
#include <iostream>
#include <sstream>

#include "algorithms/catalog.hpp"
#include "sim/app/command_line.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

std::string default_text(const FieldInfo& field) {
  if (!field.fallback) return field.may_be_absent ? "none" : "must be given";
  if (field.fallback->is_object() && field.fallback->empty()) {
    return field.children.empty() ? "{}" : "kind " + field.children.front().fallback->dump();
  }
  return field.fallback->dump();
}

void print_field(const FieldInfo& field, const std::string& indent) {
  std::cout << indent << std::left << std::setw(20) << field.name << field.doc << "\n"
            << indent << std::setw(20) << "" << field.must_be()
            << "; default: " << default_text(field);
  if (!field.kinds.empty()) {
    std::cout << "; only with kind";
    for (const std::string& kind : field.kinds) std::cout << " " << kind;
  }
  std::cout << "\n";
  for (const FieldInfo& child : field.children) print_field(child, indent + "  ");
}

std::string short_parameters(const AlgorithmInfo& info) {
  std::ostringstream text;
  for (const FieldInfo& field : info.parameters) {
    text << (text.tellp() > 0 ? ", " : "") << field.name;
    if (field.fallback) text << " = " << default_text(field);
  }
  return text.str();
}

int algorithms(const po::variables_map& options, const std::vector<std::string>&) {
  if (options.count("name") == 0) {
    for (const AlgorithmInfo& info : algorithm_catalog()) {
      std::cout << std::left << std::setw(12) << info.name << info.summary << "\n"
                << std::setw(12) << "" << info.paper << "\n"
                << std::setw(12) << "" << short_parameters(info) << "\n\n";
    }
    std::cout << "'motley algorithms NAME' explains one and its parameters.\n";
    return 0;
  }
  const std::string name = options["name"].as<std::vector<std::string>>().front();
  const AlgorithmInfo& info = find_algorithm(name, {"", "algorithms"});
  std::cout << info.name << ": " << info.summary << "\n" << info.paper << "\n\nParameters:\n";
  for (const FieldInfo& field : info.parameters) print_field(field, "  ");
  return 0;
}

}  // namespace

Command algorithms_command() {
  Command command;
  command.name = "algorithms";
  command.summary = "list the algorithms, or explain one";
  command.usage = "motley algorithms [NAME]";
  command.example = "motley algorithms async";
  command.positional = "name";
  command.execute = algorithms;
  return command;
}

}  // namespace motley
