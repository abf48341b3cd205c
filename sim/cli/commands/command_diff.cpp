#include <iostream>

#include "sim/base/format.hpp"
#include "sim/base/text.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/json_output.hpp"
#include "sim/cli/tables/results_diff.hpp"
#include "sim/cli/tables/summary_row.hpp"
#include "sim/cli/tables/text_table.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

std::string as_json(const Json& value) {
  constexpr std::size_t longest = 60;
  if (value.is_null()) return "(not there)";
  return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace), longest);
}

void print_changes(const char* heading, const std::vector<ChangedValue>& changes) {
  std::cout << heading << (changes.empty() ? ": the same\n" : "\n");
  for (const ChangedValue& change : changes) {
    std::cout << "  " << change.pointer << ": " << as_json(change.a) << " -> " << as_json(change.b)
              << "\n";
  }
}

/// "~1.02x [0.95, 1.10]"; of a bound, which has no interval, the bound alone.
std::string ratio_with_interval(const ComparedResult& result) {
  const PairedRatio& ratio = result.b_against_a;
  if (!ratio.ratio) return "-";
  std::string text = marked_ratio(ratio, result.pairs);
  if (ratio.bound == Bound::none && ratio.ratio->interval) {
    text += " [" + fixed(ratio.ratio->interval->low, 2) + ", " +
            fixed(ratio.ratio->interval->high, 2) + "]";
  }
  return text;
}

/// A sweep may have thousands.
void print_only(const std::string& where, const std::vector<std::string>& runs) {
  if (runs.empty()) return;
  constexpr std::size_t most = 10;
  const std::vector<std::string> first(
      runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(std::min(most, runs.size())));
  std::cout << "  only in " << where << ": " << listed(first);
  if (runs.size() > most) std::cout << " and " << runs.size() - most << " more";
  std::cout << "\n";
}

void print_text(const ResultsDiff& diff, const ComparedFolder& a, const ComparedFolder& b) {
  std::cout << "a: " << a.name << "\nb: " << b.name << "\n\n";
  print_changes("Scenario", diff.scenario);
  print_changes("\nProgram", diff.program);
  std::size_t pairs = 0;
  std::size_t same = 0;
  std::vector<TextRow> table = {{"algorithm", "point", "time to target in a", "in b", "b against a",
                                 "final accuracy in a", "in b"}};
  const bool has_points = std::ranges::any_of(
      diff.results, [](const ComparedResult& result) { return !result.point.empty(); });
  bool undecided = false;
  for (const ComparedResult& result : diff.results) {
    pairs += result.pairs;
    same += result.same_runs;
    const SummaryRow left(result.rows.front());
    const SummaryRow right(result.rows.back());
    undecided = undecided || (result.b_against_a.ratio && result.pairs > 1 &&
                              result.b_against_a.verdict == Verdict::undecided);
    table.push_back({result.algorithm, result.point, left.time_to_target(), right.time_to_target(),
                     ratio_with_interval(result), left.final_accuracy(), right.final_accuracy()});
  }
  if (!has_points) {
    for (TextRow& row : table) row.erase(row.begin() + 1);
  }
  std::cout << "\nResults: " << same << " of " << counted(pairs, "pair")
            << " of runs are the same to the last bit\n";
  if (pairs > same) {
    std::cout << "\n";
    print_table(std::cout, table);
    std::cout << "\n  b against a: how many times sooner b reaches the target, with its 95 % "
                 "interval\n";
    if (undecided) std::cout << "  ~ undecided, after correction for the number of comparisons\n";
    if (!diff.same_seeds) std::cout << "  the seeds differ, so that nothing cancels in pairs\n";
  }
  print_only("a", diff.only_in_a);
  print_only("b", diff.only_in_b);
}

Json changes_json(const std::vector<ChangedValue>& changes) {
  Json list = Json::array();
  for (const ChangedValue& change : changes) {
    list.push_back({{"pointer", change.pointer}, {"a", change.a}, {"b", change.b}});
  }
  return list;
}

Json estimate_json(const std::optional<Estimate>& estimate) {
  if (!estimate) return Json();
  const bool has_interval = estimate->interval.has_value();
  return {{"mean", estimate->value},
          {"low", has_interval ? Json(estimate->interval->low) : Json()},
          {"high", has_interval ? Json(estimate->interval->high) : Json()}};
}

Json diff_json(const ResultsDiff& diff, const ComparedFolder& a, const ComparedFolder& b) {
  Json results = Json::array();
  for (const ComparedResult& result : diff.results) {
    const auto side = [](const ComparisonRow& row) -> Json {
      return {{"runs", row.runs.size()},
              {"reached", row.reached},
              {"time_to_target_s", estimate_json(row.time_to_target_s)},
              {"final_accuracy", estimate_json(row.final_accuracy)},
              {"final_loss", estimate_json(row.final_loss)}};
    };
    const PairedRatio& ratio = result.b_against_a;
    results.push_back({{"algorithm", result.algorithm},
                       {"point", result.point},
                       {"pairs", result.pairs},
                       {"same_runs", result.same_runs},
                       {"a", side(result.rows.front())},
                       {"b", side(result.rows.back())},
                       {"b_against_a", estimate_json(ratio.ratio)},
                       {"bound", to_text(ratio.bound)},
                       {"verdict", to_text(ratio.verdict)},
                       {"p_holm", ratio.p_holm ? Json(*ratio.p_holm) : Json()}});
  }
  return {{"a", a.name},
          {"b", b.name},
          {"same_results", diff.same_results()},
          {"scenario", changes_json(diff.scenario)},
          {"program", changes_json(diff.program)},
          {"results", results},
          {"only_in_a", diff.only_in_a},
          {"only_in_b", diff.only_in_b},
          {"same_seeds", diff.same_seeds}};
}

int diff_results(const po::variables_map& options, const std::vector<std::string>&) {
  const std::vector<std::string> folders = options.count("results") > 0
                                               ? options["results"].as<std::vector<std::string>>()
                                               : std::vector<std::string>{};
  if (folders.size() != 2) {
    throw InputError("diff: needs two results folders; usage: motley diff A B [options]");
  }
  const ComparedFolder a = read_compared(folders[0]);
  const ComparedFolder b = read_compared(folders[1]);
  const ResultsDiff diff = diff_of(a, b);
  if (wants_json(options))
    print_json(diff_json(diff, a, b));
  else
    print_text(diff, a, b);
  return options.count("exit-code") > 0 && !diff.same_results() ? 1 : 0;
}

}  // namespace

Command diff_command() {
  Command command;
  command.name = "diff";
  command.topic = topic_understand;
  command.summary = "what changed between two results folders: scenario, program, results";
  command.usage = "motley diff A B [options]";
  command.example = "motley diff results/before results/after";
  command.positional = "results";
  command.most_positional = 2;
  po::options_description output("Output");
  output.add_options()("json", "print one JSON document on stdout instead, for programs")(
      "exit-code", "exit with 1 unless the results are the same to the last bit");
  command.groups.push_back(output);
  command.execute = diff_results;
  return command;
}

}  // namespace motley
