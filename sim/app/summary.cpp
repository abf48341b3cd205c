#include "sim/app/summary.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <ostream>
#include <sstream>

namespace motley {
namespace {

std::string fixed(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

std::string percent(double share) {
  return fixed(100 * share, 0) + " %";
}

std::string seconds(double s) {
  if (s >= 100) return fixed(s, 1) + " s";
  if (s >= 1) return fixed(s, 2) + " s";
  return fixed(s * 1e3, 3) + " ms";
}

std::string data_size(double bytes) {
  if (bytes >= 1e12) return fixed(bytes / 1e12, 2) + " TB";
  if (bytes >= 1e9) return fixed(bytes / 1e9, 2) + " GB";
  if (bytes >= 1e6) return fixed(bytes / 1e6, 2) + " MB";
  return fixed(bytes / 1e3, 2) + " kB";
}

/// Share of all workers' time.
double share(const RunResult& result, double seconds_summed) {
  const double total = result.virtual_s * static_cast<double>(result.workers.size());
  return total > 0 ? seconds_summed / total : 0;
}

bool comes_before(const RunResult& a, const RunResult& b) {
  const double never = INFINITY;
  const double time_a = a.time_to_target_s.value_or(never);
  const double time_b = b.time_to_target_s.value_or(never);
  if (time_a != time_b) return time_a < time_b;
  return a.final_test_accuracy.value_or(-1) > b.final_test_accuracy.value_or(-1);
}

std::string slowest_class(const RunResult& result) {
  const auto slowest = std::min_element(
      result.workers.begin(), result.workers.end(),
      [](const WorkerResult& a, const WorkerResult& b) { return a.speed_flops < b.speed_flops; });
  return slowest->class_name;
}

using Row = std::vector<std::string>;

void print_table(std::ostream& out, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out << (i == 0 ? "  " : "   ") << (i == 0 ? std::left : std::right)
          << std::setw(static_cast<int>(widths[i])) << row[i];
    }
    out << "\n";
  }
}

Row table_row(const RunResult& r, const RunResult& baseline, bool has_target, bool has_accuracy) {
  Row row = {r.algorithm};
  if (has_target) {
    row.push_back(r.time_to_target_s ? seconds(*r.time_to_target_s)
                                     : (r.status == "ok" ? "not reached" : r.status));
    const bool comparable = r.time_to_target_s.value_or(0) > 0 && baseline.time_to_target_s;
    row.push_back(comparable ? fixed(*baseline.time_to_target_s / *r.time_to_target_s, 2) + "x"
                             : "-");
  } else {
    row.push_back(r.status);
  }
  if (has_accuracy)
    row.push_back(r.final_test_accuracy ? fixed(*r.final_test_accuracy, 4) : "-");
  else
    row.push_back(r.final_test_loss ? fixed(*r.final_test_loss, 6) : "-");
  row.push_back(std::to_string(r.updates));
  row.push_back(fixed(r.mean_staleness, 2));
  row.push_back(percent(share(r, r.compute_s())));
  row.push_back(data_size(r.bytes));
  return row;
}

std::string target_text(const TargetSpec& target) {
  std::ostringstream text;
  if (target.accuracy)
    text << "test accuracy " << *target.accuracy;
  else
    text << "test loss " << *target.loss;
  return text.str();
}

void print_warnings(std::ostream& out, const Experiment& experiment, const RunResult& r) {
  if (r.status != "ok") out << "  " << r.algorithm << " " << r.status << ": " << r.reason << "\n";
  const std::size_t classes = experiment.classes();
  if (r.status == "ok" && r.best_test_accuracy && classes > 0 && r.updates > 0 &&
      *r.best_test_accuracy < 1.5 / static_cast<double>(classes)) {
    out << "  warning: " << r.algorithm << " never left chance (best accuracy "
        << fixed(*r.best_test_accuracy, 3) << " with " << classes
        << " classes): try another step_size\n";
  }
  if (r.status == "ok" && r.updates == 0 && !r.time_to_target_s) {
    out << "  warning: " << r.algorithm << " finished no update: is /stop too early?\n";
  }
}

}  // namespace

std::string bottleneck(const RunResult& r) {
  if (r.workers.empty() || r.virtual_s <= 0) return "nothing happened";
  const LinkResult* busiest = nullptr;
  double busy = 0;
  for (const LinkResult& link : r.links) {
    const double use = link.bytes / (link.bandwidth_Bps * r.virtual_s);
    if (busiest == nullptr || use > busy) {
      busiest = &link;
      busy = use;
    }
  }
  const double compute = share(r, r.compute_s());
  const double transfer = share(r, r.transfer_s());
  const double wait = share(r, r.wait_s());
  const double discarded = share(r, r.discarded_s());
  const std::string budget = "compute " + percent(compute) + ", transfer " + percent(transfer) +
                             ", wait " + percent(wait) +
                             (discarded > 0 ? ", discarded " + percent(discarded) : "");
  const std::string link =
      busiest == nullptr ? "" : "; busiest link " + busiest->name + " " + percent(busy);
  std::string verdict;
  if (busiest != nullptr && busy >= 0.7) {
    verdict = "link " + busiest->name + " is busy " + percent(busy) +
              " of the time: bandwidth decides here";
    return verdict + " (" + budget + ")";
  }
  if (compute >= 0.75) {
    verdict = "the workers' speed decides here, bandwidth has little effect";
  } else if (discarded >= std::max(transfer, wait)) {
    verdict = "what is lost most is work thrown away";
  } else if (wait >= transfer) {
    verdict = "what is lost most is waiting for others: the slowest class (" + slowest_class(r) +
              ") decides here";
  } else {
    verdict = busy < 0.3
                  ? "what is lost most is messages under way while no link is busy: latency and "
                    "bursts decide here"
                  : "what is lost most is messages under way: the network decides here";
  }
  return verdict + " (" + budget + link + ")";
}

void print_summary(std::ostream& out, const Experiment& experiment,
                   const std::vector<RunResult>& results) {
  if (results.empty()) return;
  const Scenario& scenario = experiment.scenario();
  const bool has_target = scenario.target.has_value();
  const bool has_accuracy = experiment.problem().has_accuracy();

  std::vector<const RunResult*> sorted;
  for (const RunResult& result : results) sorted.push_back(&result);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const RunResult* a, const RunResult* b) { return comes_before(*a, *b); });

  const RunResult& baseline = results.front();
  Row header = {"algorithm"};
  if (has_target) {
    header.push_back("time to target");
    header.push_back("vs " + baseline.algorithm);
  } else {
    header.push_back("status");
  }
  for (const char* name : {has_accuracy ? "final accuracy" : "final loss", "updates",
                           "mean staleness", "utilisation", "bytes"}) {
    header.push_back(name);
  }
  std::vector<Row> rows = {header};
  for (const RunResult* r : sorted)
    rows.push_back(table_row(*r, baseline, has_target, has_accuracy));

  out << "\n";
  if (has_target) out << "Target: " << target_text(*scenario.target) << "\n\n";
  print_table(out, rows);
  out << "\nWhat decides\n";
  for (const RunResult* r : sorted) {
    if (r->status != "failed") out << "  " << r->algorithm << ": " << bottleneck(*r) << "\n";
  }
  std::ostringstream warnings;
  for (const RunResult* r : sorted) print_warnings(warnings, experiment, *r);
  if (!warnings.str().empty()) out << "\n" << warnings.str();
}

}  // namespace motley
