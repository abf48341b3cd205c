#include "sim/results/csv_row.hpp"

#include <array>
#include <charconv>

namespace motley {

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string cell(double number) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), end.ptr};
}

std::string cell(std::uint64_t number) {
  return std::to_string(number);
}

std::string cell(const std::optional<double>& number) {
  return number ? cell(*number) : "";
}

}  // namespace motley
