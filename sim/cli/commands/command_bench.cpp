#include <iomanip>
#include <iostream>

#include "sim/base/json.hpp"
#include "sim/bench/bench_figures.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/study/provenance.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

void print(const Figure& figure) {
  std::cout << std::left << std::setw(28) << figure.name << std::right << std::setw(9) << std::fixed
            << std::setprecision(3) << figure.value << " " << std::left << std::setw(3)
            << figure.unit << std::setw(9) << figure.reach << figure.how << std::endl;
}

int bench(const po::variables_map& options, const std::vector<std::string>& command_line) {
  const bool as_json = options.count("json") > 0;
  const BenchEffort effort = options.count("short") > 0 ? BenchEffort{1, 0.02} : BenchEffort{};
  Json figures = Json::array();
  using Measure = std::vector<Figure> (*)(const BenchEffort&);
  std::vector<Measure> all = {step_overhead_figures, thread_figures, kernel_figures,
                              scale_figures,         memory_figures, evaluation_figures,
                              startup_figures};
  if (options.count("kernels") > 0) all = {kernel_figures};
  for (const Measure measure : all) {
    for (const Figure& figure : measure(effort)) {
      if (!as_json) print(figure);
      figures.push_back({{"name", figure.name},
                         {"value", figure.value},
                         {"unit", figure.unit},
                         {"reach", figure.reach},
                         {"how", figure.how}});
    }
  }
  if (as_json) {
    std::cout << Json{{"provenance", provenance(command_line)}, {"figures", figures}}.dump(2)
              << "\n";
  }
  return 0;
}

}  // namespace

Command bench_command() {
  Command command;
  command.name = "bench";
  command.summary = "measure the simulator's own speed on this machine";
  command.usage = "motley bench [options]";
  command.example = "motley bench --json > bench.json";
  po::options_description output("Output");
  output.add_options()("json", "print JSON with provenance at the end");
  po::options_description execution("Execution");
  execution.add_options()("short", "only check that everything works; the figures mean little")(
      "kernels", "only the gradients, with nothing simulated");
  command.groups.push_back(output);
  command.groups.push_back(execution);
  command.execute = bench;
  return command;
}

}  // namespace motley
