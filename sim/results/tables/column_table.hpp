#pragma once

#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/results/csv_row.hpp"

namespace motley {

/// A column of a CSV file, described once: headers, `motley columns`, docs and analysis/ have it
/// from here.
struct ColumnInfo {
  std::string name;
  std::string unit;  ///< empty: a number or text without one
  std::string doc;   ///< what it means, in one line
  bool is_text = false;
  bool is_axes = false;  ///< stands for one column per axis of the sweep
  /// When not empty: the column is there only where this extra is.
  std::string only_with = {};
  bool is_whole = false;  ///< a count: never between two whole numbers
};

/// A CSV file of the results folder.
struct TableInfo {
  std::string name;  ///< of the file, without .csv
  std::string rows;  ///< what a row is, in a sentence
  std::vector<ColumnInfo> columns;
};

/// Which extras a file has: "energy", "cost", "background", "failures", "idle".
using Extras = std::set<std::string>;

/// "8" or "10Gbps": the value of an axis as a cell.
std::string axis_cell(const Json& value);

/// A CSV file whose rows are made from values of type Row.
template <class Row>
class ColumnTable {
 public:
  ColumnTable(std::string name, std::string rows) : info_{std::move(name), std::move(rows), {}} {}

  /// `get(row)` is what stands in the cell: text, a number, or perhaps none.
  template <class Get>
  ColumnTable& add(std::string name, std::string unit, std::string doc, Get get) {
    using Value = std::decay_t<std::invoke_result_t<Get, const Row&>>;
    constexpr bool is_text = std::is_convertible_v<Value, std::string>;
    info_.columns.push_back({std::move(name), std::move(unit), std::move(doc), is_text, false});
    info_.columns.back().is_whole = !is_text && std::is_integral_v<Value>;
    cells_.push_back([get](const Row& row) {
      if constexpr (is_text)
        return cell(std::string(std::invoke(get, row))) + ",";
      else if constexpr (std::is_integral_v<Value>)
        return cell(static_cast<std::uint64_t>(std::invoke(get, row))) + ",";
      else
        return cell(std::invoke(get, row)) + ",";
    });
    return *this;
  }

  /// The same for a column that is there only with an extra.
  template <class Get>
  ColumnTable& add_with(const std::string& extra, std::string name, std::string unit,
                        std::string doc, Get get) {
    add(std::move(name), std::move(unit), std::move(doc), get);
    info_.columns.back().only_with = extra;
    return *this;
  }

  /// One column per axis of the sweep; `point(row)` are its values at the row's point.
  template <class Point>
  ColumnTable& add_axes(Point point, std::string doc =
                                         "one column per axis of the sweep, named by its JSON "
                                         "pointer: the value there") {
    info_.columns.push_back({"/...", "", std::move(doc), true, true});
    cells_.push_back([point](const Row& row) {
      std::string text;
      for (const Json& value : point(row)) text += axis_cell(value) + ",";
      return text;
    });
    return *this;
  }

  const TableInfo& info() const { return info_; }

  std::string header(const std::vector<std::string>& axes = {}, const Extras& extras = {}) const {
    std::string line;
    for (const ColumnInfo& column : info_.columns) {
      if (!is_there(column, extras)) continue;
      if (!column.is_axes) line += cell(column.name) + ",";
      for (std::size_t i = 0; column.is_axes && i < axes.size(); ++i) line += cell(axes[i]) + ",";
    }
    line.back() = '\n';
    return line;
  }

  std::string line(const Row& row, const Extras& extras = {}) const {
    std::string line;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (is_there(info_.columns[i], extras)) line += cells_[i](row);
    }
    line.back() = '\n';
    return line;
  }

 private:
  static bool is_there(const ColumnInfo& column, const Extras& extras) {
    return column.only_with.empty() || extras.contains(column.only_with);
  }

  TableInfo info_;
  std::vector<std::function<std::string(const Row&)>> cells_;  // each with a comma behind it
};

}  // namespace motley
