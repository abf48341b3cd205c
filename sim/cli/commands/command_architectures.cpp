#include <iostream>

#include "sim/base/format.hpp"
#include "sim/base/place.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/tables/text_table.hpp"
#include "sim/scenario/architectures/known_architecture.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// "4.089" of 4.089e9.
std::string giga(double number) {
  return significant(number / 1e9, 4);
}

Rows overview() {
  Rows rows = {{"architecture", "layers", "parameters", "bytes", "forward Gf", "backward Gf"}};
  for (const KnownArchitecture& architecture : known_architectures()) {
    std::uint64_t parameters = 0;
    double forward = 0;
    double backward = 0;
    for (const KnownLayer& layer : architecture.layers) {
      parameters += layer.parameters;
      forward += layer.forward_flops();
      backward += layer.backward_flops();
    }
    rows.push_back({architecture.name, std::to_string(architecture.layers.size()),
                    std::to_string(parameters), data_size(static_cast<double>(4 * parameters)),
                    giga(forward), giga(backward)});
  }
  return rows;
}

Rows layers_of(const KnownArchitecture& architecture) {
  Rows rows = {{"layer", "parameters", "bytes", "forward flops", "backward flops"}};
  for (const KnownLayer& layer : architecture.layers) {
    rows.push_back({layer.name, std::to_string(layer.parameters), std::to_string(layer.bytes()),
                    fixed(layer.forward_flops(), 0), fixed(layer.backward_flops(), 0)});
  }
  return rows;
}

std::string about(const KnownArchitecture& architecture) {
  return architecture.source + ". A sample is " + architecture.sample +
         ". Variant: " + architecture.choice + ".";
}

void print_markdown(const Rows& rows) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const std::string& cell : rows[r]) std::cout << "| " << cell << " ";
    std::cout << "|\n";
    if (r > 0) continue;
    for (std::size_t c = 0; c < rows[r].size(); ++c) std::cout << (c == 0 ? "|---" : "|---:");
    std::cout << "|\n";
  }
}

void print_all_markdown() {
  std::cout << "\n";
  print_markdown(overview());
  for (const KnownArchitecture& architecture : known_architectures()) {
    std::cout << "\n### " << architecture.name << "\n\n" << about(architecture) << "\n\n";
    print_markdown(layers_of(architecture));
  }
  std::cout << "\n";
}

const KnownArchitecture& find_architecture(const std::string& name) {
  std::vector<std::string> names;
  for (const KnownArchitecture& architecture : known_architectures()) {
    if (architecture.name == name) return architecture;
    names.push_back(architecture.name);
  }
  throw InputError("architectures: no architecture '" + name + "'" + did_you_mean(name, names) +
                   "; there are: " + listed(names));
}

int print_architectures(const po::variables_map& options, const std::vector<std::string>&) {
  if (options.count("markdown") > 0) {
    print_all_markdown();
  } else if (options.count("architecture") == 0) {
    print_table(std::cout, overview());
  } else {
    const KnownArchitecture& architecture =
        find_architecture(options["architecture"].as<std::vector<std::string>>().front());
    std::cout << about(architecture) << "\n";
    print_table(std::cout, layers_of(architecture));
  }
  return 0;
}

}  // namespace

Command architectures_command() {
  Command command;
  command.name = "architectures";
  command.topic = topic_reference;
  command.summary = "list the architectures whose costs can be modelled, or the layers of one";
  command.usage = "motley architectures [ARCHITECTURE] [options]";
  command.example = "motley architectures resnet50";
  command.positional = "architecture";
  po::options_description format("Format");
  format.add_options()("markdown", "all of them with their layers, for documents");
  command.groups.push_back(format);
  command.execute = print_architectures;
  return command;
}

}  // namespace motley
