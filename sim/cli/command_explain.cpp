#include <algorithm>
#include <filesystem>
#include <iostream>

#include "sim/base/json_file.hpp"
#include "sim/base/place.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/explanation.hpp"
#include "sim/cli/whatif_lines.hpp"
#include "sim/results/whatif_files.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

std::size_t reached(const std::vector<RunToTarget>& runs) {
  std::size_t count = 0;
  for (const RunToTarget& run : runs) count += run.time_s ? 1 : 0;
  return count;
}

/// Whether its initial model was good enough.
bool starts_there(const RunToTarget& run) {
  return run.time_s && *run.time_s == 0;
}

/// Who of the two comes first in the table, where that is not what the pairs below say: these are of
/// runs that both reached the target.
void tell_order(const std::string& folder, const Explanation& e, const std::string& point) {
  const std::optional<double> place = stored_place(folder, e.first.algorithm, point);
  const std::optional<double> other = stored_place(folder, e.second.algorithm, point);
  if (!place || !other || *place < *other) return;
  std::cout << "In the table " << e.second.algorithm << " comes before " << e.first.algorithm
            << ": that goes by the share of runs that reached the target, then by their mean "
               "time.\n";
}

/// Of both algorithms, where the runs were timed again on changed clusters.
void tell_what_decides_of(const std::vector<std::string>& words, const std::string& point) {
  if (const std::string damage = why_whatif_not_as_written(words[0]); !damage.empty()) {
    std::cout << "\n" << damage << ": what decides is left out; motley run makes it anew\n";
    return;
  }
  std::string decides;
  for (const std::string& algorithm : {words[1], words[2]}) {
    const std::string line = whatif_line(words[0], algorithm, point);
    if (!line.empty()) decides += "  " + line + "\n";
  }
  if (!decides.empty()) std::cout << "\n" << whatif_heading << "\n" << decides;
}

int explain_results(const po::variables_map& options, const std::vector<std::string>&) {
  const std::vector<std::string> words = options.count("arguments") > 0
                                             ? options["arguments"].as<std::vector<std::string>>()
                                             : std::vector<std::string>{};
  if (words.size() != 3) {
    throw InputError(
        "explain: needs a results folder and two algorithms, such as: motley explain "
        "results/quickstart async sync");
  }
  if (words[1] == words[2]) throw InputError("explain: needs two different algorithms");
  std::string at;
  if (options.count("at") > 0) {
    for (const std::string& part : options["at"].as<std::vector<std::string>>())
      at += (at.empty() ? "" : " ") + part;
  }
  const std::string point = point_meant(words[0], at);
  const std::vector<RunToTarget> a = runs_to_target(words[0], words[1], point);
  const std::vector<RunToTarget> b = runs_to_target(words[0], words[2], point);
  const std::optional<Explanation> explanation = explain(words[1], a, words[2], b);
  if (!explanation) {
    const std::string scenario = (std::filesystem::path(words[0]) / "scenario.json").string();
    std::error_code ignored;
    if (std::filesystem::exists(scenario, ignored) &&
        !parse_json_file(scenario).contains("target")) {
      std::cout << "There is nothing to explain: the scenario has no target, such as "
                   "\"target\": {\"accuracy\": 0.8}.\n";
      return 1;
    }
    const auto verdict = stored_verdict(words[0], words[1], words[2], point);
    if (verdict) std::cout << to_text(*verdict);
    if (std::ranges::any_of(a, starts_there) && std::ranges::any_of(b, starts_there)) {
      std::cout
          << "There is nothing to explain: the initial model is at the target already, for both "
             "with the same seed. Set a harder target.\n";
      return verdict ? 0 : 1;
    }
    std::cout << "There is no ratio to take apart: " << words[1] << " reached the target in "
              << reached(a) << " of " << a.size() << " runs, " << words[2] << " in " << reached(b)
              << " of " << b.size() << ", never both with the same seed.\n";
    tell_what_decides_of(words, point);
    return verdict ? 0 : 1;
  }
  const auto asked = stored_verdict(words[0], words[1], words[2], point);
  if (asked && asked->verdict == Verdict::slower) {
    std::cout << "It is the other way round: " << words[2] << " takes less time.\n";
  }
  tell_order(words[0], *explanation, point);
  std::cout << to_text(*explanation, stored_verdict(words[0], explanation->first.algorithm,
                                                    explanation->second.algorithm, point));
  tell_what_decides_of(words, point);
  return 0;
}

}  // namespace

Command explain_command() {
  Command command;
  command.name = "explain";
  command.topic = topic_understand;
  command.summary = "why one algorithm reached the target before another";
  command.usage = "motley explain RESULTS A B [options]";
  command.example = "motley explain results/quickstart async sync";
  command.positional = "arguments";
  command.most_positional = 3;
  po::options_description which("Which runs");
  which.add_options()("at", po::value<std::vector<std::string>>()->composing()->value_name("POINT"),
                      "of a sweep: the point, such as 'model_size=10MB ratio=8', or once for each "
                      "of its values; any part of a name "
                      "that tells it");
  command.groups.push_back(which);
  command.execute = explain_results;
  return command;
}

}  // namespace motley
