#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>

#include "sim/base/place.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/results/csv_row.hpp"
#include "sim/results/csv_table.hpp"
#include "sim/results/run_status.hpp"
#include "sim/results/statistics/paired_ratio.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

/// What is compared at one point of the sweep.
struct PointValues {
  std::vector<std::string> axes;  ///< values of the swept parameters, as the file has them
  std::vector<std::string> algorithms;
  /// Of each algorithm, by replica: as times to target that all runs reached and that are known exactly.
  std::vector<std::map<std::uint64_t, TargetArrival>> values;
};

std::vector<std::string> swept_columns(const CsvTable& runs) {
  std::vector<std::string> axes;
  for (const std::string& column : runs.columns()) {
    if (column.starts_with("/")) axes.push_back(column);
  }
  return axes;
}

/// Empty for an empty cell.
std::optional<double> value_in(const CsvTable& runs, std::size_t row, const std::string& column) {
  const std::string& text = runs.text(row, column);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size()) {
    throw InputError("--of: " + column + " must be a column of numbers, got '" + text + "'");
  }
  return text.empty() ? std::nullopt : std::optional(value);
}

PointValues& point_at(std::vector<PointValues>& points, const std::vector<std::string>& axes) {
  const auto found = std::ranges::find(points, axes, &PointValues::axes);
  if (found != points.end()) return *found;
  points.push_back({axes, {}, {}});
  return points.back();
}

std::map<std::uint64_t, TargetArrival>& values_of(PointValues& point,
                                                  const std::string& algorithm) {
  const auto found = std::ranges::find(point.algorithms, algorithm);
  if (found != point.algorithms.end()) {
    return point.values[static_cast<std::size_t>(found - point.algorithms.begin())];
  }
  point.algorithms.push_back(algorithm);
  return point.values.emplace_back();
}

/// How many runs are in no pair, and why.
struct LeftOut {
  std::size_t unusable = 0;  ///< failed or diverged
  std::size_t empty = 0;
  std::size_t without_ratio = 0;  ///< not above 0, or not finite
};

std::vector<PointValues> values_by_point(const CsvTable& runs, const std::string& column,
                                         bool more_is_better, LeftOut& left_out) {
  std::vector<PointValues> points;
  const std::vector<std::string> axes = swept_columns(runs);
  for (std::size_t i = 0; i < runs.rows(); ++i) {
    std::vector<std::string> here;
    for (const std::string& axis : axes) here.push_back(runs.text(i, axis));
    const std::string& algorithm = runs.text(i, "algorithm");
    std::map<std::uint64_t, TargetArrival>& mine = values_of(point_at(points, here), algorithm);
    const std::optional<double> value = value_in(runs, i, column);
    if (runs.has("status") && run_status_of(runs.text(i, "status")) != RunStatus::ok) {
      ++left_out.unusable;
      continue;
    }
    if (!value) {
      ++left_out.empty;
      continue;
    }
    const auto replica = static_cast<std::uint64_t>(runs.number(i, "replica").value_or(0));
    // A value that is not above 0 has no ratio: its pair is left out, as that of a time of 0.
    const bool has_ratio = *value > 0 && std::isfinite(*value);
    if (!has_ratio) ++left_out.without_ratio;
    const double less = !has_ratio ? 0 : more_is_better ? 1 / *value : *value;
    if (!mine.try_emplace(replica, TargetArrival{less, true, 0}).second) {
      throw InputError("verdicts: two runs of " + algorithm + " have the replica " +
                       std::to_string(replica) + " at the same point");
    }
  }
  return points;
}

std::string word_of(Verdict verdict) {
  return verdict == Verdict::faster   ? "better"
         : verdict == Verdict::slower ? "worse"
                                      : to_text(verdict);
}

std::string line_of(const PointValues& point, const std::string& algorithm,
                    const std::string& against, const PairedRatio& result) {
  std::string line = cell(algorithm) + "," + cell(against) + ",";
  for (const std::string& value : point.axes) line += cell(value) + ",";
  std::optional<double> ratio;
  std::optional<double> low;
  std::optional<double> high;
  if (result.ratio) ratio = result.ratio->value;
  if (result.ratio && result.ratio->interval) {
    low = result.ratio->interval->low;
    high = result.ratio->interval->high;
  }
  return line + row(std::uint64_t{result.pairs}, ratio, low, high, result.p_value, result.p_holm,
                    word_of(result.verdict));
}

/// All ordered pairs at one point, decided together.
std::string lines_of(const PointValues& point) {
  const std::vector<PairedRatio> results = compare_all(point.values);
  const std::size_t n = point.algorithms.size();
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      text += line_of(point, point.algorithms[i], point.algorithms[j], results[i * n + j]);
    }
  }
  return text;
}

int verdicts(const po::variables_map& options, const std::vector<std::string>&) {
  if (options.count("results") == 0 || options.count("of") == 0) {
    throw InputError(
        "verdicts: needs a results folder and --of; usage: motley verdicts RESULTS "
        "--of COLUMN [options]");
  }
  std::filesystem::path file = options["results"].as<std::vector<std::string>>().front();
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) file /= "runs.csv";
  const CsvTable runs(file);
  const std::string column = options["of"].as<std::string>();
  if (column == "time_to_target_s") {
    throw InputError(
        "--of: times to target are compared in comparisons.csv, with the runs that never arrive "
        "and "
        "the resolution of the times");
  }
  if (!runs.has(column)) {
    throw InputError("--of: no column '" + column + "' in " + file.string() +
                     did_you_mean(column, runs.columns()));
  }
  LeftOut left_out;
  const std::vector<PointValues> points =
      values_by_point(runs, column, options.count("more-is-better") > 0, left_out);
  const std::size_t of_no_use = left_out.unusable + left_out.empty + left_out.without_ratio;
  if (of_no_use == runs.rows()) {
    throw InputError("--of: " + file.string() + " has no run with a value of " + column +
                     " above 0 to compare");
  }
  if (of_no_use > 0) {
    std::cerr << "motley: left out of the pairs, of " << runs.rows()
              << " runs: " << left_out.unusable << " failed or diverged, " << left_out.empty
              << " without a value, " << left_out.without_ratio << " not above 0\n";
  }
  std::string text = "algorithm,against,";
  for (const std::string& axis : swept_columns(runs)) text += cell(axis) + ",";
  text += "pairs,ratio,ratio_low,ratio_high,p_value,p_holm,verdict\n";
  for (const PointValues& point : points) text += lines_of(point);
  std::cout << text;
  return 0;
}

}  // namespace

Command verdicts_command() {
  Command command;
  command.name = "verdicts";
  command.topic = topic_understand;
  command.summary =
      "which algorithm is better by another column of runs.csv than the time to target";
  command.usage = "motley verdicts RESULTS --of COLUMN [options]";
  command.example = "motley verdicts results/quickstart --of final_test_accuracy --more-is-better";
  command.positional = "results";
  po::options_description quantity("Quantity");
  quantity.add_options()("of", po::value<std::string>()->value_name("COLUMN"),
                         "what is compared: a column of runs.csv; less is better")(
      "more-is-better", "higher is better, as for accuracies");
  command.groups.push_back(quantity);
  command.execute = verdicts;
  return command;
}

}  // namespace motley
