#include "sim/scenario/speed_trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"
#include "sim/base/regular_file.hpp"
#include "sim/base/text.hpp"
#include "sim/scenario/field_schema.hpp"

namespace motley {
namespace {

Fields<TraceSpec> trace_fields() {
  Fields<TraceSpec> f;
  f.add({.name = "file",
         .doc = "CSV with a header: worker (name or rank), time_s (or time), and factor (of its "
                "speed), step_time_s (the time a mini-batch took) or batch_time_norm (the same in "
                "any unit); relative to the scenario file"},
        &TraceSpec::file);
  f.add({.name = "unit",
         .doc = "how long one unit of the file's times is",
         .fallback = "1s",
         .dimension = Dimension::time,
         .minimum = 0,
         .above_minimum = true},
        &TraceSpec::unit_s);
  f.add({.name = "nominal",
         .doc = "of step times: the one, in the file's unit, at which a worker has the speed that "
                "the scenario gives it; median: that of all rows",
         .fallback = "median",
         .minimum = 0,
         .above_minimum = true,
         .word = "median"},
        &TraceSpec::nominal);
  f.add({.name = "batch_size",
         .doc = "of step_time_s, instead of nominal: samples of a mini-batch; a worker has the "
                "scenario's speed where such a batch takes as long as the scenario says",
         .minimum = 1},
        &TraceSpec::batch_size);
  f.add({.name = "repeat",
         .doc = "begin again after each worker's last row, which holds as long as the one before "
                "it; otherwise the last row holds for good",
         .fallback = false},
        &TraceSpec::repeat);
  return f;
}

std::vector<std::string> cells_of(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) {
    const std::size_t begin = cell.find_first_not_of(" \t\"");
    const std::size_t end = cell.find_last_not_of(" \t\"");
    cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
  }
  if (!line.empty() && line.back() == ',') cells.emplace_back();
  return cells;
}

std::optional<double> number_of(const std::string& cell) {
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(number)) return {};
  return number;
}

/// Reads one file, line by line.
class TraceReader {
 public:
  TraceReader(const std::string& file, const Place& place) : place_(place) { trace_.file = file; }

  SpeedTrace read(std::istream& in) {
    std::string line;
    if (!std::getline(in, line)) refuse("is empty: it needs a header");
    if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    find_columns(cells_of(line));
    while (std::getline(in, line)) {
      ++line_;
      if (line.find_first_not_of(" \t\r") != std::string::npos) add_row(cells_of(line));
    }
    if (trace_.rows.empty()) refuse("has no rows below its header");
    const auto middle = values_.begin() + static_cast<std::ptrdiff_t>(values_.size() / 2);
    std::nth_element(values_.begin(), middle, values_.end());
    trace_.median = *middle;
    return std::move(trace_);
  }

 private:
  [[noreturn]] void refuse(const std::string& flaw) const {
    throw InputError(place_, "'" + trace_.file + "', line " + std::to_string(line_) + ": " + flaw);
  }

  void find_columns(const std::vector<std::string>& header) {
    const auto column = [&header](const std::string& name) -> std::optional<std::size_t> {
      const auto found = std::find(header.begin(), header.end(), name);
      if (found == header.end()) return std::nullopt;
      return static_cast<std::size_t>(found - header.begin());
    };
    const auto only_one_of = [&](const std::vector<std::string>& names) {
      std::optional<std::size_t> which;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (!column(names[i])) continue;
        if (which) refuse("has both " + names[*which] + " and " + names[i] + ": keep one");
        which = i;
      }
      if (which) return *which;
      std::string list;
      for (const std::string& name : names) list += (list.empty() ? "" : " or ") + name;
      refuse("must be a header with a column " + list);
    };
    only_one_of({"worker"});
    worker_ = *column("worker");
    const std::vector<std::string> times = {"time_s", "time"};
    time_ = *column(times[only_one_of(times)]);
    const std::vector<std::string> values = {"factor", "step_time_s", "batch_time_norm"};
    const std::size_t which = only_one_of(values);
    trace_.value = static_cast<SpeedTrace::Value>(which);
    value_ = *column(values[which]);
    value_name_ = values[which];
  }

  void add_row(const std::vector<std::string>& cells) {
    if (cells.size() <= std::max({worker_, time_, value_})) {
      refuse("has " + std::to_string(cells.size()) + " cells, fewer than the header");
    }
    const std::string& worker = cells[worker_];
    if (worker.empty()) refuse("worker must be a name or a rank");
    const std::optional<double> time = number_of(cells[time_]);
    if (!time || *time < 0) {
      refuse("the time must be a number of at least 0, got \"" +
             shortened(valid_utf8(cells[time_])) + "\"");
    }
    const std::optional<double> value = number_of(cells[value_]);
    if (!value || !(*value > 0)) {
      refuse(value_name_ + " must be a number above 0, got \"" +
             shortened(valid_utf8(cells[value_])) + "\"");
    }
    std::vector<SpeedTrace::Row>& rows = trace_.rows[worker];
    if (!rows.empty() && *time < rows.back().time) {
      refuse("goes back in time: rows of worker " + worker + " must be in the order of time");
    }
    if (!rows.empty() && *time == rows.back().time) rows.pop_back();
    rows.push_back({*time, *value, line_});
    values_.push_back(*value);
  }

  Place place_;
  SpeedTrace trace_;
  std::size_t line_ = 1;
  std::size_t worker_ = 0;
  std::size_t time_ = 0;
  std::size_t value_ = 0;
  std::string value_name_;
  std::vector<double> values_;
};

}  // namespace

TraceSpec TraceSpec::read(const Json& value, const Place& place) {
  TraceSpec spec;
  static const Fields<TraceSpec> fields = trace_fields();
  Json given = value;
  if (value.is_string()) given = {{"file", value}};
  if (!given.is_object()) {
    throw InputError(place, "must be the name of a CSV file, or an object with its \"file\"",
                     value);
  }
  spec.says_nominal = given.contains("nominal");
  fields.read(given, place, spec);
  if (spec.says_nominal && spec.batch_size) {
    throw InputError(place / "batch_size", "is instead of \"nominal\": remove one of them");
  }
  return spec;
}

JsonValue TraceSpec::schema() {
  return Json{{"anyOf", {{{"type", "string"}}, object_schema(trace_fields().infos())}}};
}

SpeedTrace SpeedTrace::load(const std::string& file, const Place& place) {
  const std::string why_not = why_not_regular(file);
  if (!why_not.empty()) throw InputError(place, file + ": " + why_not);
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::istringstream lines(text);
  SpeedTrace trace = TraceReader(file, place).read(lines);
  trace.digest = motley::digest(text);
  return trace;
}

}  // namespace motley
