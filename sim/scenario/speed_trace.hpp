#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/fields.hpp"

namespace motley {

/// A trace of speeds as the scenario names it: "trace.csv", or an object with the file and how to
/// read it.
struct TraceSpec {
  std::string file;
  double unit_s = 1;              ///< of its times
  std::optional<double> nominal;  ///< a step time of the file; empty: its median
  bool says_nominal = false;      ///< whether that was written
  std::optional<std::size_t> batch_size;
  bool repeat = false;

  static TraceSpec read(const Json& value, const Place& place);
  static JsonValue schema();
};

/// How the speeds of workers went on, from a CSV file with a header. Columns, in any order:
///   worker                         the name or the rank of a worker
///   time_s, or time                since when the row holds, until the worker's next one
///   factor                         of its speed,
///   or step_time_s                 or the time that a mini-batch took then, in seconds,
///   or batch_time_norm             or in any unit, as in the public traces of Alibaba's PAI
/// Further columns are not read. The rows of a worker are in the order of time; of two at the same
/// moment the later one counts.
struct SpeedTrace {
  enum class Value { factor, step_time_s, relative_step_time };
  struct Row {
    double time = 0;
    double value = 0;
    std::size_t line = 0;
  };

  std::string file;
  Value value = Value::factor;
  std::map<std::string, std::vector<Row>> rows;  ///< by worker, as the file calls it
  double median = 0;                             ///< of all values
  std::string digest;                            ///< of the file

  /// InputError at `place`, with the line, for what cannot be read.
  static SpeedTrace load(const std::string& file, const Place& place);
};

}  // namespace motley
