#include "sim/results/csv_table.hpp"

#include <cstdlib>
#include <fstream>

#include "sim/base/place.hpp"
#include "sim/base/regular_file.hpp"

namespace motley {
namespace {

/// The next row, which may go over several lines within quotes. Empty at the end of the file.
std::vector<std::string> next_row(std::istream& in) {
  std::vector<std::string> cells;
  std::string cell;
  bool quoted = false;
  bool any = false;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    any = true;
    if (quoted) {
      if (c != '"') {
        cell += static_cast<char>(c);
      } else if (in.peek() == '"') {
        cell += static_cast<char>(in.get());
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      cells.push_back(std::move(cell));
      cell.clear();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      cell += static_cast<char>(c);
    }
  }
  if (any) cells.push_back(std::move(cell));
  return cells;
}

}  // namespace

CsvTable::CsvTable(const std::filesystem::path& file) : file_(file.string()) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw InputError(file_ + ": no such file; is this a results folder of motley run?");
  }
  const std::string why_not = why_not_regular(file);
  if (!why_not.empty()) throw InputError(file_ + ": " + why_not);
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(file_ + ": cannot be read");
  columns_ = next_row(in);
  for (std::size_t i = 0; i < columns_.size(); ++i) index_[columns_[i]] = i;
  for (std::vector<std::string> row = next_row(in); !row.empty(); row = next_row(in)) {
    if (row.size() != columns_.size()) {
      throw InputError(file_ + ": row " + std::to_string(cells_.size() + 1) + " has " +
                       std::to_string(row.size()) + " cells where the header has " +
                       std::to_string(columns_.size()));
    }
    cells_.push_back(std::move(row));
  }
}

const std::string& CsvTable::text(std::size_t row, const std::string& column) const {
  const auto index = index_.find(column);
  if (index == index_.end()) throw InputError(file_ + ": has no column '" + column + "'");
  return cells_[row][index->second];
}

std::optional<double> CsvTable::number(std::size_t row, const std::string& column) const {
  const std::string& cell = text(row, column);
  if (cell.empty()) return std::nullopt;
  return std::strtod(cell.c_str(), nullptr);
}

}  // namespace motley
