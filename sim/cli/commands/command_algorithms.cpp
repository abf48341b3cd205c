#include <algorithm>
#include <cctype>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "algorithms/catalog.hpp"
#include "sim/base/json.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/cli/field_markdown.hpp"
#include "sim/cli/json_output.hpp"
#include "sim/scenario/field_schema.hpp"
#include "sim/study/plugins.hpp"

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
  std::cout << indent << std::left << std::setw(20) << field.name
            << (field.name.size() < 20 ? "" : "  ") << field.doc << "\n"
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
    all.back().children = {};
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

/// "needs a server; tolerates different data; costs 2 W models per update".
std::string traits_text(const Traits& traits) {
  return "needs " + (traits.needs.empty() ? "no more than workers" : traits.needs) +
         "; tolerates " + traits.tolerates() + "; models sent per update: " + traits.cost;
}

/// The algorithms of each family that has any, in the order in which they are listed.
using Families = std::vector<std::pair<std::string, std::vector<const AlgorithmInfo*>>>;

template <class Wanted>
Families by_family(const Wanted& wanted) {
  Families found;
  for (const auto& [family, word] : families()) {
    std::vector<const AlgorithmInfo*> members;
    for (const AlgorithmInfo& info : algorithm_catalog()) {
      if (info.traits.family == family && wanted(info)) members.push_back(&info);
    }
    if (!members.empty()) found.emplace_back(word, std::move(members));
  }
  return found;
}

Families by_family() {
  return by_family([](const AlgorithmInfo&) { return true; });
}

std::string in_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// What it tolerates, in words; nothing if nothing.
std::string tolerated(const Traits& traits) {
  return traits.failures || traits.different_data ? traits.tolerates() : "";
}

/// Those that have the word in their name, line, paper, needs or what they tolerate.
Families with_word(const std::string& word) {
  Families found = by_family([&](const AlgorithmInfo& info) {
    const std::string text = info.name + "\n" + info.summary + "\n" + info.paper + "\n" +
                             info.traits.needs + "\n" + tolerated(info.traits);
    return in_lower_case(text).find(in_lower_case(word)) != std::string::npos;
  });
  for (const auto& [family, members] : by_family()) {
    if (family != in_lower_case(word)) continue;
    std::erase_if(found, [&name = family](const auto& other) { return other.first == name; });
    found.insert(found.begin(), {family, members});
  }
  return found;
}

std::string in_capital(std::string word) {
  word.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(word.front())));
  return word;
}

/// docs/algorithms.md's tables of all algorithms, and a section for each with its parameters.
void print_algorithms_markdown() {
  const std::vector<FieldInfo> shared = DefaultsSpec::fields().infos();
  for (const auto& [family, members] : by_family()) {
    std::cout << "**" << in_capital(family) << "**\n\n"
              << "| name | in one line | needs | tolerates | models per update | paper |\n"
              << "|---|---|---|---|---|---|\n";
    for (const AlgorithmInfo* info : members) {
      const Traits& traits = info->traits;
      std::cout << "| [`" << info->name << "`](#" << info->name << ") | "
                << table_cell(info->summary) << " | " << table_cell(traits.needs) << " | "
                << (traits.failures || traits.different_data ? traits.tolerates() : "") << " | "
                << table_cell(traits.cost) << " | " << table_cell(info->paper) << " |\n";
    }
    std::cout << "\n";
  }
  std::cout << "## Shared parameters\n\n";
  print_field_table(std::cout, shared);
  print_object_sections(std::cout, shared);
  std::cout << "\n## Parameters of each algorithm\n";
  for (const AlgorithmInfo& info : algorithm_catalog()) print_section(info, shared);
}

void print_list(const Families& all) {
  std::size_t longest = 0;
  for (const AlgorithmInfo& info : algorithm_catalog()) {
    longest = std::max(longest, info.name.size());
  }
  const auto column = std::setw(static_cast<int>(longest) + 2);
  for (const auto& [family, members] : all) {
    std::cout << in_capital(family) << "\n\n";
    for (const AlgorithmInfo* info : members) {
      std::cout << std::left << column << info->name << info->summary << "\n"
                << column << "" << info->paper << "\n"
                << column << "" << traits_text(info->traits) << "\n"
                << column << ""
                << "when a worker is gone: " << info->when_gone << "\n"
                << column << "" << short_parameters(*info) << "\n";
      if (const LoadedPlugin* plugin = plugin_of_algorithm(info->name)) {
        std::cout << column << ""
                  << "from " << plugin->file.string() << "\n";
      }
      std::cout << "\n";
    }
  }
  std::cout << "'motley algorithms NAME' explains one and its parameters, 'motley algorithms WORD' "
               "lists those of a\nfamily or with a word.\n";
}

void explain(const AlgorithmInfo& info) {
  std::cout << info.name << ": " << info.summary << "\n" << info.paper << "\n";
  const std::string about = traits_text(info.traits);
  for (const auto& [family, members] : by_family()) {
    if (std::ranges::find(members, &info) == members.end()) continue;
    std::cout << in_capital(family) << "; " << about << "\n";
    if (family != info.name) continue;
    std::cout << "Family " << family << ":";
    for (const AlgorithmInfo* member : members) std::cout << " " << member->name;
    std::cout << "\n";
  }
  if (!info.when_gone.empty()) std::cout << "When a worker is gone: " << info.when_gone << "\n";
  std::cout << "\nParameters:\n";
  for (const FieldInfo& field : info.parameters) print_field(field, "  ");
}

/// A parameter: what its description knows, and its JSON Schema.
Json to_json(const FieldInfo& field) {
  return {{"name", field.name},
          {"doc", field.doc},
          {"must_be", field.must_be()},
          {"must_be_given", !field.fallback && !field.may_be_absent},
          {"default", field.fallback ? *field.fallback : Json()},
          {"schema", value_schema(field)}};
}

Json to_json(const AlgorithmInfo& info, const std::string& family) {
  Json parameters = Json::array();
  for (const FieldInfo& field : info.parameters) parameters.push_back(to_json(field));
  const LoadedPlugin* plugin = plugin_of_algorithm(info.name);
  return {{"name", info.name},
          {"summary", info.summary},
          {"paper", info.paper},
          {"family", family},
          {"needs", info.traits.needs},
          {"tolerates_failures", info.traits.failures},
          {"tolerates_different_data", info.traits.different_data},
          {"models_per_update", info.traits.cost},
          {"when_gone", info.when_gone},
          {"plugin", plugin != nullptr ? Json(plugin->file.string()) : Json()},
          {"parameters", parameters}};
}

void print_algorithms_json(const Families& found) {
  Json all = Json::array();
  for (const auto& [family, members] : found) {
    for (const AlgorithmInfo* info : members) all.push_back(to_json(*info, family));
  }
  print_json({{"algorithms", all}});
}

int algorithms(const po::variables_map& options, const std::vector<std::string>&) {
  load_given_plugins(options);
  if (wants_json(options) && options.count("markdown") > 0) {
    throw InputError("algorithms: choose one of --json and --markdown");
  }
  if (options.count("markdown") > 0) {
    print_algorithms_markdown();
    return 0;
  }
  if (options.count("name") == 0) {
    if (wants_json(options))
      print_algorithms_json(by_family());
    else
      print_list(by_family());
    return 0;
  }
  const std::string word = options["name"].as<std::vector<std::string>>().front();
  const auto is_named = [&](const AlgorithmInfo& info) { return info.name == word; };
  const Families found =
      std::ranges::any_of(algorithm_catalog(), is_named) ? Families() : with_word(word);
  if (wants_json(options)) {
    if (found.empty()) find_algorithm(word, Place{"", "algorithms"});  // or it is a mistake
    print_algorithms_json(found.empty() ? by_family(is_named) : found);
  } else if (found.empty()) {
    explain(find_algorithm(word, Place{"", "algorithms"}));
  } else {
    print_list(found);
  }
  return 0;
}

}  // namespace

Command algorithms_command() {
  Command command;
  command.name = "algorithms";
  command.summary = "list the algorithms, find some by a word, or explain one";
  command.usage = "motley algorithms [NAME or WORD] [options]";
  command.example = "motley algorithms async";
  command.positional = "name";
  po::options_description output("Output");
  output.add_options()("markdown", "print all of them as Markdown, as in docs/algorithms.md")(
      "json", "print one JSON document on stdout instead, for programs");
  output.add(plugin_option());
  command.groups.push_back(output);
  command.execute = algorithms;
  return command;
}

}  // namespace motley
