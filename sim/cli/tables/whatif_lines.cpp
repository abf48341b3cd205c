#include "sim/cli/tables/whatif_lines.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>

#include "sim/base/format.hpp"
#include "sim/results/csv_table.hpp"
#include "sim/results/tables/whatif_table.hpp"
#include "sim/results/whatif_files.hpp"

namespace motley {

const char* const whatif_heading =
    "What decides (the same steps timed again with one thing changed; it compares updates/s, not "
    "times to the target)";

namespace {

struct Word {
  const char* change;
  const char* done;   ///< "twice the bandwidth"
  const char* thing;  ///< "bandwidth"; empty: it is no thing that limits
};

/// A colon stands before the name of a class.
constexpr Word words[] = {
    {"bandwidth_x2", "twice the bandwidth", "bandwidth"},
    {"server_bandwidth_x2", "twice the server's bandwidth", "the server's bandwidth"},
    {"no_latency", "no latency", "latency"},
    {"compute_x2", "twice the compute speed", "compute speed"},
    {"speed_x2:", "twice the speed of ", "speed of "},
    {"server_speed_x2", "twice the server's speed", "the server's speed"},
    {"no_noise", "no noise", "noise"},
    {"no_changes", "no changes during the run", "what changes during the run"},
    {"no_failures", "no failures", "failures"},
    {"without:", "without ", ""}};

std::string class_of(const std::string& change) {
  const std::size_t colon = change.find(':');
  return colon == std::string::npos ? "" : change.substr(colon + 1);
}

const Word* word_for(const std::string& change) {
  const std::string kind = change.substr(0, change.find(':') + (class_of(change).empty() ? 0 : 1));
  const auto* found = std::find_if(std::begin(words), std::end(words),
                                   [&](const Word& w) { return w.change == kind; });
  return found == std::end(words) ? nullptr : found;
}

std::string done(const std::string& change) {
  const Word* word = word_for(change);
  return word == nullptr ? change : word->done + class_of(change);
}

std::string thing(const std::string& change) {
  const Word* word = word_for(change);
  return word == nullptr || *word->thing == '\0' ? "" : word->thing + class_of(change);
}

std::string times(double factor) {
  return fixed(factor, 2) + "x";
}

std::string point_at(const CsvTable& table, std::size_t row) {
  std::string point;
  for (const std::string& column : table.columns()) {
    if (!column.starts_with("/")) continue;
    point += (point.empty() ? "" : " ") + column + "=" + table.text(row, column);
  }
  return point;
}

/// What was asked of one algorithm at one point.
struct Asked {
  std::string algorithm;
  std::string point;
  std::vector<Gain> gains;
  std::vector<std::string> notes;
};

/// What column note says.
std::string in_words(const std::string& note, const std::string& updates,
                     std::optional<double> gain) {
  if (note == few_updates_note) {
    return "few updates (" + updates + "): a longer run may have other gains";
  }
  if (note == lockstep_note) {
    return "no noise: " + times(gain.value_or(1)) +
           " updates/s, as equal workers without noise keep in step and share the links";
  }
  return note;
}

/// In the order of the file.
std::vector<Asked> read_asked(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / whatif_csv_name;
  std::vector<Asked> all;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return all;
  const CsvTable table(file);
  double samples_as_is = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string change = table.text(i, "change");
    if (change == "as_is") {
      all.push_back({table.text(i, "algorithm"), point_at(table, i), {}, {}});
      samples_as_is = table.number(i, "samples_per_s").value_or(0);
    }
    if (all.empty()) continue;
    if (table.has("note") && !table.text(i, "note").empty()) {
      all.back().notes.push_back(
          all.back().algorithm + ": " +
          in_words(table.text(i, "note"), table.text(i, "updates"), table.number(i, "gain")));
    }
    Gain gain{change, table.number(i, "gain").value_or(1), {}, table.text(i, "reason")};
    if (const std::optional<double> samples = table.number(i, "samples_per_s")) {
      if (samples_as_is > 0) gain.samples = *samples / samples_as_is;
    }
    all.back().gains.push_back(gain);
  }
  return all;
}

/// "speed of cpu at 3 points, latency at 2 points".
std::string over_points(const std::vector<const Asked*>& of_algorithm) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const Asked* asked : of_algorithm) {
    const std::string name = bottleneck_of(asked->gains);
    const auto found = std::ranges::find(counts, name, [](const auto& c) { return c.first; });
    if (found == counts.end())
      counts.emplace_back(name, 1);
    else
      ++found->second;
  }
  std::ranges::stable_sort(counts, std::greater<>(), [](const auto& c) { return c.second; });
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + (name.empty() ? "none that was tried" : name) + " at " +
            counted(count, "point");
  }
  return "bottleneck: " + text;
}

/// Of more, the notes are in whatif.csv.
constexpr std::size_t most_with_notes = 20;

/// Once each, over all algorithms and points: "server_bandwidth_x2: a platform file ...".
std::vector<std::string> notes_on(const std::vector<Asked>& all) {
  std::vector<std::string> notes;
  for (const Asked& asked : all) {
    for (const Gain& gain : asked.gains) {
      if (gain.why_not.empty()) continue;
      const std::string note = (gain.change == "as_is" ? asked.algorithm : done(gain.change)) +
                               ": not tried: " + gain.why_not;
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
    }
    if (all.size() < most_with_notes) std::ranges::copy(asked.notes, std::back_inserter(notes));
  }
  return notes;
}

}  // namespace

std::string bottleneck_of(const std::vector<Gain>& gains) {
  const std::vector<Gain> named = worth_naming(gains);
  return named.empty() ? "" : thing(named.front().change);
}

std::string what_decides(const std::vector<Gain>& gains) {
  const std::vector<Gain> named = worth_naming(gains);
  if (named.empty()) return "nothing that was tried changes its updates/s by 2 %";
  const std::string bottleneck = bottleneck_of(gains);
  std::string text = bottleneck.empty() ? "" : "bottleneck: " + bottleneck + " (";
  for (std::size_t i = 0; i < named.size(); ++i) {
    constexpr double visible = 0.05;  // more than what is computed but not yet used at the end
    const Gain& g = named[i];
    text += (i > 0 ? "; " : "") + done(g.change) + ": " + times(g.updates) +
            (i == 0 ? " updates/s" : "");
    // An update of another number of samples is another update.
    if (g.samples && std::abs(*g.samples / g.updates - 1) > visible) {
      text += ", " + times(*g.samples) + " samples/s";
    }
  }
  return text + (bottleneck.empty() ? "" : ")");
}

void print_what_decides(std::ostream& out, const std::filesystem::path& folder) {
  const std::vector<Asked> all = read_asked(folder);
  if (all.empty()) return;
  out << "\n" << whatif_heading << "\n";
  std::vector<std::string> order;
  std::map<std::string, std::vector<const Asked*>> by_algorithm;
  for (const Asked& asked : all) {
    if (!by_algorithm.contains(asked.algorithm)) order.push_back(asked.algorithm);
    by_algorithm[asked.algorithm].push_back(&asked);
  }
  for (const std::string& algorithm : order) {
    const std::vector<const Asked*>& asked = by_algorithm[algorithm];
    if (!asked.front()->gains.front().why_not.empty() && asked.size() == 1) continue;
    const std::string point = asked.front()->point;
    out << "  " << algorithm << (asked.size() == 1 && !point.empty() ? " at " + point : "") << ": "
        << (asked.size() == 1 ? what_decides(asked.front()->gains) : over_points(asked)) << "\n";
  }
  for (const std::string& note : notes_on(all)) out << "  " << note << "\n";
}

std::string whatif_line(const std::filesystem::path& folder, const std::string& algorithm,
                        const std::string& point) {
  for (const Asked& asked : read_asked(folder)) {
    if (asked.algorithm != algorithm || asked.point != point) continue;
    if (!asked.gains.front().why_not.empty()) return "";
    return algorithm + ": " + what_decides(asked.gains);
  }
  return "";
}

}  // namespace motley
