#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace motley {

/// A CSV file of a results folder, read back.
class CsvTable {
 public:
  /// InputError when it is not there or a row has not one cell a column.
  explicit CsvTable(const std::filesystem::path& file);

  std::size_t rows() const { return cells_.size(); }
  const std::vector<std::string>& columns() const { return columns_; }
  bool has(const std::string& column) const { return index_.contains(column); }
  /// InputError when there is no such column.
  const std::string& text(std::size_t row, const std::string& column) const;
  /// Empty for an empty cell.
  std::optional<double> number(std::size_t row, const std::string& column) const;

 private:
  std::string file_;
  std::vector<std::string> columns_;
  std::map<std::string, std::size_t> index_;
  std::vector<std::vector<std::string>> cells_;
};

}  // namespace motley
