#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "sim/base/json.hpp"
#include "sim/base/json_file.hpp"
#include "sim/base/place.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/json_output.hpp"
#include "sim/cli/tables/explanation.hpp"
#include "sim/cli/tables/whatif_lines.hpp"
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
void tell_order(std::ostream& out, const std::string& folder, const Explanation& e,
                const std::string& point) {
  const std::optional<double> place = stored_place(folder, e.first.algorithm, point);
  const std::optional<double> other = stored_place(folder, e.second.algorithm, point);
  if (!place || !other || *place < *other) return;
  out << "In the table " << e.second.algorithm << " comes before " << e.first.algorithm
      << ": that goes by the share of runs that reached the target, then by their mean time.\n";
}

/// Of both algorithms, where the runs were timed again on changed clusters.
void tell_what_decides_of(std::ostream& out, const std::vector<std::string>& words,
                          const std::string& point) {
  if (const std::string damage = why_whatif_not_as_written(words[0]); !damage.empty()) {
    out << "\n" << damage << ": its lines are left out; motley run makes it again\n";
    return;
  }
  std::string decides;
  for (const std::string& algorithm : {words[1], words[2]}) {
    const std::string line = whatif_line(words[0], algorithm, point);
    if (!line.empty()) decides += "  " + line + "\n";
  }
  if (!decides.empty()) out << "\n" << whatif_heading << "\n" << decides;
}

/// For programs.
Json to_json(const WayToTarget& way) {
  Json parts = Json::object();
  for (std::size_t i = 0; i < time_parts.size(); ++i) parts[time_parts[i]] = way.parts_s[i];
  return {{"algorithm", way.algorithm},
          {"time_to_target_s", way.time_s},
          {"updates", way.updates},
          {"samples", way.samples},
          {"time_per_sample_s", way.per_sample_s()},
          {"parts_of_time_per_sample_s", parts},
          {"mean_staleness", way.mean_staleness}};
}

Json to_json(const std::optional<StoredVerdict>& v) {
  if (!v) return Json();
  const auto number = [](const std::optional<double>& n) { return n ? Json(*n) : Json(); };
  return {
      {"algorithm", v->algorithm},  {"against", v->against},       {"verdict", to_text(v->verdict)},
      {"ratio", v->ratio},          {"ratio_low", number(v->low)}, {"ratio_high", number(v->high)},
      {"bound", to_text(v->bound)}, {"pairs", v->pairs},           {"p_holm", number(v->p_holm)}};
}

Json to_json(const Explanation& e) {
  return {{"first", to_json(e.first)},
          {"second", to_json(e.second)},
          {"ratio", e.ratio()},
          {"speed_factor", e.speed_factor()},
          {"samples_factor", e.samples_factor()},
          {"pairs", e.pairs},
          {"pairs_left_out", e.left_out}};
}

/// What is asked: a folder, two algorithms, and a point of its sweep.
struct Question {
  std::vector<std::string> words;
  std::string point;
};

Question question_of(const po::variables_map& options) {
  Question asked;
  if (options.count("arguments") > 0) {
    asked.words = options["arguments"].as<std::vector<std::string>>();
  }
  if (asked.words.size() != 3) {
    throw InputError(
        "explain: needs a results folder and two algorithms, such as: motley explain "
        "results/quickstart async sync");
  }
  if (asked.words[1] == asked.words[2]) {
    throw InputError("explain: needs two different algorithms");
  }
  std::string at;
  if (options.count("at") > 0) {
    for (const std::string& part : options["at"].as<std::vector<std::string>>())
      at += (at.empty() ? "" : " ") + part;
  }
  asked.point = point_meant(asked.words[0], at);
  return asked;
}

/// Where there is no pair of runs whose times could be taken apart.
int tell_why_not(std::ostream& out, const Question& asked, const std::vector<RunToTarget>& a,
                 const std::vector<RunToTarget>& b) {
  const std::vector<std::string>& words = asked.words;
  const std::string scenario = (std::filesystem::path(words[0]) / "scenario.json").string();
  std::error_code ignored;
  if (std::filesystem::exists(scenario, ignored) && !parse_json_file(scenario).contains("target")) {
    out << "There is nothing to explain: the scenario has no target, such as "
           "\"target\": {\"accuracy\": 0.8}.\n";
    return 1;
  }
  const auto verdict = stored_verdict(words[0], words[1], words[2], asked.point);
  if (verdict) out << to_text(*verdict);
  if (std::ranges::any_of(a, starts_there) && std::ranges::any_of(b, starts_there)) {
    out << "There is nothing to explain: the initial model is at the target already, for both "
           "with the same seed. Set a harder target.\n";
    return verdict ? 0 : 1;
  }
  out << "There is no ratio to take apart: " << words[1] << " reached the target in " << reached(a)
      << " of " << a.size() << " runs, " << words[2] << " in " << reached(b) << " of " << b.size()
      << ", never both with the same seed.\n";
  tell_what_decides_of(out, words, asked.point);
  return verdict ? 0 : 1;
}

void tell(std::ostream& out, const Question& asked, const Explanation& explanation) {
  const std::vector<std::string>& words = asked.words;
  const auto verdict = stored_verdict(words[0], words[1], words[2], asked.point);
  if (verdict && verdict->verdict == Verdict::slower) {
    out << "In fact " << words[2] << " is faster.\n";
  }
  tell_order(out, words[0], explanation, asked.point);
  out << to_text(explanation, stored_verdict(words[0], explanation.first.algorithm,
                                             explanation.second.algorithm, asked.point));
  tell_what_decides_of(out, words, asked.point);
}

int explain_results(const po::variables_map& options, const std::vector<std::string>&) {
  const Question asked = question_of(options);
  const std::vector<std::string>& words = asked.words;
  const std::vector<RunToTarget> a = runs_to_target(words[0], words[1], asked.point);
  const std::vector<RunToTarget> b = runs_to_target(words[0], words[2], asked.point);
  const std::optional<Explanation> explanation = explain(words[1], a, words[2], b);
  std::ostringstream text;
  int code = 0;
  if (explanation)
    tell(text, asked, *explanation);
  else
    code = tell_why_not(text, asked, a, b);
  if (wants_json(options)) {
    print_json({{"explanation", explanation ? to_json(*explanation) : Json()},
                {"verdict", to_json(stored_verdict(words[0], words[1], words[2], asked.point))},
                {"text", text.str()}});
  } else {
    std::cout << text.str();
  }
  return code;
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
  command.groups.push_back(json_option());
  command.execute = explain_results;
  return command;
}

}  // namespace motley
