#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace motley {

/// Cells of CSV files. Doubles are printed so that reading them back gives the same bits; what is
/// not there is an empty cell.
std::string cell(const std::string& text);
std::string cell(double number);
std::string cell(std::uint64_t number);
std::string cell(const std::optional<double>& number);

/// A whole line.
template <class... Values>
std::string row(const Values&... values) {
  std::string line;
  ((line += cell(values) + ","), ...);
  line.back() = '\n';
  return line;
}

}  // namespace motley
