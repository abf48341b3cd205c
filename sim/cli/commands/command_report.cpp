#include <filesystem>

#include "sim/base/place.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/reporting.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

int report(const po::variables_map& options, const std::vector<std::string>&) {
  if (options.count("results") == 0) {
    throw InputError("report: needs a results folder, such as results/quickstart");
  }
  const std::string folder = options["results"].as<std::vector<std::string>>().front();
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw InputError("report: no such folder: " + folder);
  }
  std::vector<std::string> more;
  if (options.count("out") > 0) more = {"--out", options["out"].as<std::string>()};
  return make_report(folder, more);
}

}  // namespace

Command report_command() {
  Command command;
  command.name = "report";
  command.topic = topic_understand;
  command.summary = "draw the figures of a results folder and a page that explains them";
  command.usage = "motley report RESULTS [options]";
  command.example = "motley report results/quickstart";
  command.positional = "results";
  po::options_description output("Output");
  output.add_options()("out", po::value<std::string>()->value_name("FILE"),
                       "the page to write (default: RESULTS/report.html); figures/ goes beside it");
  command.groups.push_back(output);
  command.execute = report;
  return command;
}

}  // namespace motley
