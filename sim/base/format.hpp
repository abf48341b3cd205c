#pragma once

#include <string>

/// Numbers and lists as people read them.
namespace motley {

/// "3.14" of 3.14159 with two digits behind the point.
std::string fixed(double number, int digits);
/// So many significant digits, never with an exponent: large numbers are whole.
std::string significant(double number, int digits = 3);
/// "48 %".
std::string percent(double share);
/// "12.30 s", "345.678 ms": for columns of a table.
std::string seconds(double s);
/// A time as one of the size of `like` is written, without its unit.
std::string seconds_like(double s, double like);
/// "12.3 s", "4.688 ms", "500 us": for prose.
std::string short_duration(double s);
/// "12.30 MB".
std::string data_size(double bytes);
/// "1 run", "2 runs".
std::string counted(std::size_t n, const std::string& thing);

/// "a, b, c".
template <class Words>
std::string listed(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace motley
