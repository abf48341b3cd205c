#include "sim/cli/json_output.hpp"

#include <charconv>
#include <iostream>
#include <set>

#include "sim/base/text.hpp"
#include "sim/results/csv_table.hpp"
#include "sim/results/tables/all_tables.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

std::set<std::string> text_columns(const std::string& name) {
  std::set<std::string> columns;
  for (const TableInfo& table : all_tables()) {
    for (const ColumnInfo& column : table.columns) {
      if (table.name == name && column.is_text) columns.insert(column.name);
    }
  }
  return columns;
}

/// A number if it is one, and else text: 8 and "10Gbps".
Json value_of(const std::string& cell) {
  double number = 0;
  const char* end = cell.data() + cell.size();
  const auto [rest, error] = std::from_chars(cell.data(), end, number);
  return error == std::errc() && rest == end ? Json(number) : Json(valid_utf8(cell));
}

}  // namespace

po::options_description json_option() {
  po::options_description group("Output");
  group.add_options()("json", "print one JSON document on stdout instead, for programs");
  return group;
}

bool wants_json(const po::variables_map& options) {
  return options.count("json") > 0;
}

void print_json(const Json& document) {
  std::cout << document.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

Json table_json(const std::filesystem::path& folder, const std::string& name) {
  Json rows = Json::array();
  const std::filesystem::path file = folder / (name + ".csv");
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return rows;
  const CsvTable table(file);
  const std::set<std::string> texts = text_columns(name);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    Json row = Json::object();
    for (const std::string& column : table.columns()) {
      const std::string& cell = table.text(i, column);
      if (texts.contains(column))
        row[column] = valid_utf8(cell);
      else
        row[column] = cell.empty() ? Json() : value_of(cell);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json error_json(const std::string& message, const Place& place, int exit_code) {
  Json error = {{"message", message}, {"exit_code", exit_code}};
  const bool is_inside = !place.file.empty() || !place.pointer.empty();
  error["file"] = is_inside ? Json(place.file) : Json();
  error["pointer"] = is_inside ? Json(place.pointer) : Json();
  return {{"error", error}};
}

}  // namespace motley
