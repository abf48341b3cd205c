#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "sim/base/atomic_file.hpp"
#include "sim/base/format.hpp"
#include "sim/base/machine_memory.hpp"
#include "sim/base/place.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/reporting.hpp"
#include "sim/cli/tables/prediction.hpp"
#include "sim/cli/tables/text_table.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

std::string rounded_to(double value, int digits) {
  std::ostringstream text;
  text.precision(digits);
  text << value;
  return text.str();
}

std::string shown_seconds(const std::optional<double>& value) {
  return value ? rounded_to(*value, 4) + " s" : "not reached";
}

/// "+3.2 %", of what was measured; "-" where there is nothing to compare with.
std::string signed_percents(const std::optional<double>& error, const char* unit = " %") {
  if (!error) return "-";
  if (*error == 0) return std::string("0") + unit;
  std::ostringstream text;
  text.setf(std::ios::fixed | std::ios::showpos);
  text.precision(1);
  text << 100 * *error << unit;
  return text.str();
}

/// Percents of what is nearly nothing say nothing: the difference in percentage points then.
std::string wait_error(const Prediction& p) {
  return p.wait_error() ? signed_percents(p.wait_error())
                        : signed_percents(p.wait_difference(), " points");
}

std::string percents(double share) {
  return rounded_to(std::round(1000 * share) / 10, 3) + " %";
}

/// " (means of 20 runs)"; nothing of single runs.
std::string shown_runs(const std::vector<Prediction>& all, RunFigures Prediction::*side) {
  std::size_t least = (all.front().*side).runs;
  std::size_t most = least;
  for (const Prediction& p : all) {
    least = std::min(least, (p.*side).runs);
    most = std::max(most, (p.*side).runs);
  }
  if (most == 1) return "";
  return " (means of " + (least == most ? "" : std::to_string(least) + " to ") +
         std::to_string(most) + " runs)";
}

bool is_chance_known(const std::vector<Prediction>& all) {
  return std::ranges::any_of(all, [](const Prediction& p) { return p.update_chance.has_value(); });
}

void print_predictions(const std::vector<Prediction>& all, bool with_target) {
  std::vector<TextRow> times = {{"algorithm", "time per update", "measured", "error"}};
  const bool with_chance = is_chance_known(all);
  if (with_chance) times[0].push_back("by chance");
  if (with_target) times[0].insert(times[0].end(), {"time to target", "measured", "error"});
  std::vector<TextRow> staleness = {{"algorithm", "staleness", "measured", "error", "distance"}};
  std::vector<TextRow> rest = {
      {"algorithm", "waiting", "measured", "error", "bytes per update", "measured", "error"}};
  for (const Prediction& p : all) {
    times.push_back({p.algorithm, shown_seconds(p.predicted.update_s),
                     shown_seconds(p.measured.update_s), signed_percents(p.update_error())});
    if (with_chance) {
      times.back().push_back(p.update_chance ? "up to " + percents(*p.update_chance) : "-");
    }
    if (with_target) {
      times.back().insert(times.back().end(),
                          {shown_seconds(p.predicted.target_s), shown_seconds(p.measured.target_s),
                           signed_percents(p.target_error())});
    }
    staleness.push_back({p.algorithm, rounded_to(p.predicted.staleness, 3),
                         rounded_to(p.measured.staleness, 3), signed_percents(p.staleness_error()),
                         rounded_to(p.staleness_distance(), 2)});
    rest.push_back({p.algorithm, percents(p.predicted.wait_share), percents(p.measured.wait_share),
                    wait_error(p), shown_bytes(p.predicted.bytes_per_update),
                    shown_bytes(p.measured.bytes_per_update), signed_percents(p.bytes_error())});
  }
  std::cout << "Predicted" << shown_runs(all, &Prediction::predicted) << ", and measured"
            << shown_runs(all, &Prediction::measured) << "\n\n";
  print_table(std::cout, times);
  if (with_target && with_chance)
    std::cout << "Times to the target are means of the replicas that both folders have\n";
  std::cout << "\n";
  print_table(std::cout, staleness);
  std::cout << "\n";
  print_table(std::cout, rest);
}

void print_lines(const char* heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  constexpr std::size_t most = 10;
  std::cout << "\n" << heading << "\n";
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) {
    std::cout << "  " << lines[i] << "\n";
  }
  if (lines.size() > most) std::cout << "  and " << lines.size() - most << " more\n";
}

int compare(const po::variables_map& options, const std::vector<std::string>&) {
  const std::vector<std::string> folders = options.count("results") > 0
                                               ? options["results"].as<std::vector<std::string>>()
                                               : std::vector<std::string>();
  if (folders.size() != 2) {
    throw InputError(
        "compare: needs two results folders, of the simulation and of the live run, such as "
        "results/quickstart results/quickstart_live");
  }
  if (options.count("figure") > 0) check_figure_name(options["figure"].as<std::string>());
  check_sides(folders[0], folders[1]);
  const std::vector<Prediction> all = predictions(folders[0], folders[1]);
  const Ordering ordering = ordering_of(all);
  print_predictions(all, have_target(folders[0], folders[1]));
  print_lines("Left out", left_out_of(folders[0], folders[1]));
  print_lines("The simulated and live scenarios differ, so results may too",
              scenario_differences(folders[0], folders[1]));
  double sum = 0;
  double worst = 0;
  for (const Prediction& p : all) {
    sum += std::abs(p.update_error());
    worst = std::max(worst, std::abs(p.update_error()));
  }
  std::cout
      << "\nTime per update: " << percents(sum / static_cast<double>(all.size()))
      << " off on average, " << percents(worst) << " at most\n"
      << (is_chance_known(all)
              ? "By chance: where a prediction is right, its error is below this in 95 % of cases, "
                "as far as replicas tell; a single run is taken to vary as those of the other "
                "folder\n"
              : "How much of this is chance is not known; more replicas would tell "
                "(--set /replicas=4)\n");
  if (all.size() > 1) {
    std::cout << "Order by " << ordering.by << ": rank correlation "
              << (ordering.correlation ? rounded_to(*ordering.correlation, 3)
                                       : "undefined, since all have the same time")
              << "; "
              << (ordering.is_kept() ? "ordering kept"
                                     : "ordering not kept: " + listed(ordering.inverted) +
                                           " came the other way round")
              << "\n";
  }
  const std::filesystem::path file = std::filesystem::path(folders[1]) / "compare.csv";
  replace_atomically(file, to_csv(all));
  std::cout << "Written to " << file.string() << "\n";
  if (options.count("figure") > 0)
    return draw_prediction(file, options["figure"].as<std::string>());
  return 0;
}

}  // namespace

Command compare_command() {
  Command command;
  command.name = "compare";
  command.topic = topic_real;
  command.summary = "compare a simulation with a live run of the same scenario";
  command.usage = "motley compare SIMULATED LIVE [options]";
  command.example = "motley compare results/quickstart results/quickstart_live";
  command.positional = "results";
  command.most_positional = 2;
  po::options_description output("Output");
  output.add_options()("figure", po::value<std::string>()->value_name("FILE"),
                       "draw predicted against measured (a .png, .svg or .pdf)");
  command.groups.push_back(output);
  command.execute = compare;
  return command;
}

}  // namespace motley
