#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "algorithms/catalog.hpp"
#include "sim/cli/command_line.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

std::string default_text(const FieldInfo& field) {
  if (!field.fallback) return "none";
  if (field.fallback->is_object() && field.fallback->empty()) {
    const bool has_kind = !field.children.empty() && field.children.front().decides_kind();
    return has_kind ? "kind " + field.children.front().fallback->dump() : "{}";
  }
  return field.fallback->dump();
}

void print_field(const FieldInfo& field, const std::string& indent) {
  const bool must_be_given = !field.fallback && !field.may_be_absent;
  std::cout << indent << std::left << std::setw(20) << field.name << field.doc << "\n"
            << indent << std::setw(20) << "" << (field.type == "any" ? "" : field.must_be() + "; ")
            << (must_be_given ? "must be given" : "default: " + default_text(field));
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
    std::size_t longest = 0;
    for (const AlgorithmInfo& info : algorithm_catalog()) {
      longest = std::max(longest, info.name.size());
    }
    const auto column = std::setw(static_cast<int>(longest) + 2);
    for (const AlgorithmInfo& info : algorithm_catalog()) {
      std::cout << std::left << column << info.name << info.summary << "\n"
                << column << "" << info.paper << "\n"
                << column << "" << short_parameters(info) << "\n\n";
    }
    std::cout << "'motley algorithms NAME' explains one and its parameters.\n";
    return 0;
  }
  const std::string name = options["name"].as<std::vector<std::string>>().front();
  const Place place{"", "algorithms"};
  const AlgorithmInfo& info = find_algorithm(name, place);
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
