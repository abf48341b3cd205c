#include "sim/cli/tables/explanation.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "sim/base/format.hpp"
#include "sim/cli/tables/text_table.hpp"

namespace motley {
namespace {

/// The geometric mean of a member over the runs.
template <class Member>
double geometric_mean(const std::vector<const RunToTarget*>& runs, Member member) {
  double sum = 0;
  for (const RunToTarget* run : runs) sum += std::log(member(*run));
  return std::exp(sum / static_cast<double>(runs.size()));
}

WayToTarget way_of(const std::string& algorithm, const std::vector<const RunToTarget*>& runs) {
  WayToTarget way;
  way.algorithm = algorithm;
  way.time_s = geometric_mean(runs, [](const RunToTarget& r) { return *r.time_s; });
  way.updates = geometric_mean(runs, [](const RunToTarget& r) { return r.updates; });
  way.samples = geometric_mean(runs, [](const RunToTarget& r) { return r.samples; });
  for (const RunToTarget* run : runs) {
    const double weight = 1 / static_cast<double>(runs.size());
    for (std::size_t i = 0; i < time_parts.size(); ++i) {
      way.parts_s[i] += weight * run->shares[i] * way.per_sample_s();
    }
    way.mean_staleness += weight * run->mean_staleness;
  }
  return way;
}

/// "waiting, 85 % of the difference": the part of a sample's time that makes most of the
/// difference.
std::string largest_part(const WayToTarget& first, const WayToTarget& second) {
  const double difference = second.per_sample_s() - first.per_sample_s();
  std::size_t largest = 0;
  for (std::size_t i = 0; i < time_parts.size(); ++i) {
    const auto gain = [&](std::size_t part) {
      return (second.parts_s[part] - first.parts_s[part]) / difference;
    };
    if (gain(i) > gain(largest)) largest = i;
  }
  const double share = (second.parts_s[largest] - first.parts_s[largest]) / difference;
  return std::string(time_parts[largest]) + " (" + short_duration(first.parts_s[largest]) +
         " against " + short_duration(second.parts_s[largest]) + " per sample, " + percent(share) +
         " of the difference)";
}

std::string staleness_note(const Explanation& e) {
  if (e.first.mean_staleness == e.second.mean_staleness) return "";
  return "; mean staleness " + significant(e.first.mean_staleness) + " against " +
         significant(e.second.mean_staleness);
}

std::string what_dominates(const Explanation& e) {
  const double speed = e.speed_factor();
  const double samples = e.samples_factor();
  const std::string& a = e.first.algorithm;
  const std::string& b = e.second.algorithm;
  std::ostringstream text;
  const std::string factors = "Speed " + significant(speed, 4) + " x learning " +
                              significant(samples, 4) + " = " + significant(e.ratio(), 4);
  if (e.about_equal()) return "There is next to nothing to explain. " + factors + ".\n";
  const std::string faster = a + " handles a sample in " + percent(1 / speed) + " of " + b +
                             "'s time; the largest part of that is " +
                             largest_part(e.first, e.second);
  const std::string slower = a + " takes " + significant(1 / speed) +
                             " times as long for a sample; " + "the largest part of that is " +
                             largest_part(e.first, e.second);
  const std::string fewer =
      a + " needs " + percent(1 / samples) + " of " + b + "'s samples" + staleness_note(e);
  const std::string more = a + " needs " + significant(1 / samples) + " times as many samples as " +
                           b + staleness_note(e);
  // Less than a hundredth is no difference worth a sentence of its own.
  const auto helps = [](double factor) { return factor > 1.01; };
  const auto hurts = [](double factor) { return factor < 1 / 1.01; };
  const double of_speed = std::log(speed) / std::log(e.ratio());
  if (of_speed >= 0.5) {
    text << "Speed dominates: " << faster << ".\n";
    if (helps(samples)) text << "Learning helps, too: " << fewer << ".\n";
    if (hurts(samples)) text << "Learning takes some of it back: " << more << ".\n";
    if (!helps(samples) && !hurts(samples)) {
      text << "Learning makes no difference: both need the same samples" << staleness_note(e)
           << ".\n";
    }
  } else {
    text << "Learning dominates: " << fewer << ".\n";
    if (helps(speed)) text << "Speed helps, too: " << faster << ".\n";
    if (hurts(speed)) text << "Speed takes some of it back: " << slower << ".\n";
    if (!helps(speed) && !hurts(speed)) text << "Speed makes no difference.\n";
  }
  text << factors << ": on a log scale, speed accounts for " << percent(of_speed)
       << " and learning for " << percent(1 - of_speed) << ".\n";
  return text.str();
}

}  // namespace

std::optional<Explanation> explain(const std::string& a, const std::vector<RunToTarget>& runs_a,
                                   const std::string& b, const std::vector<RunToTarget>& runs_b) {
  Explanation result;
  std::vector<const RunToTarget*> pairs_a;
  std::vector<const RunToTarget*> pairs_b;
  // Time 0 is an initial model that is good enough: nothing was done that could be compared.
  const auto reached = [](const RunToTarget& r) {
    return r.time_s.value_or(0) > 0 && r.updates > 0;
  };
  for (const RunToTarget& run_a : runs_a) {
    for (const RunToTarget& run_b : runs_b) {
      if (run_a.replica != run_b.replica || run_a.point != run_b.point) continue;
      if (reached(run_a) && reached(run_b)) {
        pairs_a.push_back(&run_a);
        pairs_b.push_back(&run_b);
      } else {
        ++result.left_out;
      }
    }
  }
  result.pairs = pairs_a.size();
  if (pairs_a.empty()) return std::nullopt;
  result.first = way_of(a, pairs_a);
  result.second = way_of(b, pairs_b);
  if (result.second.time_s < result.first.time_s) {
    std::swap(result.first, result.second);
    std::swap(pairs_a, pairs_b);
  }
  return result;
}

std::string to_text(const Explanation& e, const std::optional<StoredVerdict>& verdict) {
  const WayToTarget& a = e.first;
  const WayToTarget& b = e.second;
  std::ostringstream text;
  if (verdict) text << to_text(*verdict);
  if (e.left_out > 0) {
    text << "In the " << e.pairs << " of " << e.pairs + e.left_out
         << " pairs of runs in which both reach it:\n";
    if (verdict && verdict->verdict == Verdict::slower) {
      text << "there, unlike over all pairs, " << a.algorithm
           << " is ahead, and what follows is of these pairs only.\n";
    }
  }
  if (e.about_equal()) {
    text << a.algorithm << " and " << b.algorithm << " reach the target at about the same time: in "
         << short_duration(a.time_s) << " and " << short_duration(b.time_s);
  } else {
    text << a.algorithm << " reaches the target " << significant(e.ratio()) << " times as fast as "
         << b.algorithm << ": in " << short_duration(a.time_s) << " against "
         << short_duration(b.time_s);
  }
  if (e.pairs > 1) text << " (geometric means of " << e.pairs << " pairs of runs)";
  text << ".\n";
  const auto ratio = [](double x, double y) { return significant(y / x, 4); };
  std::vector<TextRow> table = {{"", a.algorithm, b.algorithm, b.algorithm + " / " + a.algorithm}};
  for (std::size_t i = 0; i < time_parts.size(); ++i) {
    if (time_parts[i] == std::string("down") && a.parts_s[i] + b.parts_s[i] == 0) continue;
    table.push_back({(i == 0 ? "  " : "+ ") + std::string(time_parts[i]),
                     short_duration(a.parts_s[i]), short_duration(b.parts_s[i]), ""});
  }
  const auto row = [&](const char* name, double x, double y, const std::string& shown_x,
                       const std::string& shown_y) {
    table.push_back({name, shown_x, shown_y, ratio(x, y)});
  };
  const auto times = [&](const char* name, double x, double y) {
    row(name, x, y, short_duration(x), short_duration(y));
  };
  times("= time per sample", a.per_sample_s(), b.per_sample_s());
  row("x samples per update", a.samples_per_update(), b.samples_per_update(),
      significant(a.samples_per_update(), 4), significant(b.samples_per_update(), 4));
  times("= time per update", a.per_update_s(), b.per_update_s());
  row("x updates needed", a.updates, b.updates, significant(a.updates, 6),
      significant(b.updates, 6));
  times("= time to target", a.time_s, b.time_s);
  text << "\n";
  print_table(text, table);
  text << "\n" << what_dominates(e);
  text << "The parts of a sample's time follow the workers' time over their whole runs.\n";
  return text.str();
}

}  // namespace motley
