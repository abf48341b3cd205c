#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "algorithms/catalog.hpp"
#include "sim/base/json.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/field_markdown.hpp"

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
    std::cout << "; only with kind ";
    for (std::size_t i = 0; i < field.kinds.size(); ++i) {
      std::cout << (i == 0 ? "" : " or ") << field.kinds[i];
    }
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

/// The fields, and after each object its own keys as "object.key".
std::vector<FieldInfo> with_keys_of_objects(const std::vector<FieldInfo>& fields) {
  std::vector<FieldInfo> all;
  for (const FieldInfo& field : fields) {
    all.push_back(field);
    all.back().children.clear();
    for (FieldInfo child : field.children) {
      child.name = field.name + "." + child.name;
      all.push_back(std::move(child));
    }
  }
  return all;
}

/// One algorithm: its file, which of the shared parameters it takes, a table of its own.
void print_section(const AlgorithmInfo& info, const std::vector<FieldInfo>& shared) {
  const auto same = [](const FieldInfo& a, const FieldInfo& b) {
    return a.name == b.name && a.doc == b.doc && default_text(a) == default_text(b);
  };
  const auto among = [&](const FieldInfo& field, const std::vector<FieldInfo>& fields) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const FieldInfo& other) { return same(field, other); });
  };
  std::string not_taken;
  for (const FieldInfo& field : shared) {
    if (among(field, info.parameters)) continue;
    not_taken += (not_taken.empty() ? ", except `" : ", `") + field.name + "`";
  }
  std::vector<FieldInfo> own;
  for (const FieldInfo& field : info.parameters) {
    if (!among(field, shared)) own.push_back(field);
  }
  std::cout << "\n### " << info.name << "\n\nIn [algorithms/" << info.name << ".cpp](../algorithms/"
            << info.name << ".cpp). When a worker is gone: " << info.when_gone
            << ". Takes the shared parameters" << not_taken << (own.empty() ? ".\n" : ", and:\n\n");
  if (!own.empty()) print_field_table(std::cout, with_keys_of_objects(own));
}

/// docs/algorithms.md's table of all algorithms, and a section for each with its parameters.
void print_algorithms_markdown() {
  const std::vector<FieldInfo> shared = DefaultsSpec::fields().infos();
  std::cout << "| name | in one line | paper |\n|---|---|---|\n";
  for (const AlgorithmInfo& info : algorithm_catalog()) {
    std::cout << "| [`" << info.name << "`](#" << info.name << ") | " << table_cell(info.summary)
              << " | " << table_cell(info.paper) << " |\n";
  }
  std::cout << "\n## Shared parameters\n\n";
  print_field_table(std::cout, shared);
  print_object_sections(std::cout, shared);
  std::cout << "\n## Parameters of each algorithm\n";
  for (const AlgorithmInfo& info : algorithm_catalog()) print_section(info, shared);
}

int algorithms(const po::variables_map& options, const std::vector<std::string>&) {
  if (options.count("markdown") > 0) {
    print_algorithms_markdown();
    return 0;
  }
  if (options.count("name") == 0) {
    std::size_t longest = 0;
    for (const AlgorithmInfo& info : algorithm_catalog()) {
      longest = std::max(longest, info.name.size());
    }
    const auto column = std::setw(static_cast<int>(longest) + 2);
    for (const AlgorithmInfo& info : algorithm_catalog()) {
      std::cout << std::left << column << info.name << info.summary << "\n"
                << column << "" << info.paper << "\n"
                << column << ""
                << "when a worker is gone: " << info.when_gone << "\n"
                << column << "" << short_parameters(info) << "\n\n";
    }
    std::cout << "'motley algorithms NAME' explains one and its parameters.\n";
    return 0;
  }
  const std::string name = options["name"].as<std::vector<std::string>>().front();
  const Place place{"", "algorithms"};
  const AlgorithmInfo& info = find_algorithm(name, place);
  std::cout << info.name << ": " << info.summary << "\n" << info.paper << "\n";
  if (!info.when_gone.empty()) std::cout << "When a worker is gone: " << info.when_gone << "\n";
  std::cout << "\nParameters:\n";
  for (const FieldInfo& field : info.parameters) print_field(field, "  ");
  return 0;
}

}  // namespace

Command algorithms_command() {
  Command command;
  command.name = "algorithms";
  command.summary = "list the algorithms, or explain one";
  command.usage = "motley algorithms [NAME] [options]";
  command.example = "motley algorithms async";
  command.positional = "name";
  po::options_description output("Output");
  output.add_options()("markdown", "print all of them as Markdown, as in docs/algorithms.md");
  command.groups.push_back(output);
  command.execute = algorithms;
  return command;
}

}  // namespace motley
