#include "sim/core/input/place.hpp"

#include <algorithm>

namespace motley {
namespace {

std::string escaped(const std::string& key) {
  std::string out;
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

std::string located(const Place& place, const std::string& text) {
  const std::string where = place.pointer.empty() ? "/" : place.pointer;
  return place.file.empty() ? where + ": " + text : place.file + ": " + where + ": " + text;
}

std::string shortened(const Json& value) {
  constexpr std::size_t longest = 60;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > longest) text = text.substr(0, longest - 3) + "...";
  return text;
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, substitution});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

Place Place::operator/(const std::string& key) const {
  return {file, pointer + "/" + escaped(key)};
}

Place Place::operator/(std::size_t index) const {
  return {file, pointer + "/" + std::to_string(index)};
}

InputError::InputError(const Place& place, const std::string& what_must_hold)
    : std::runtime_error(located(place, what_must_hold)) {}

InputError::InputError(const Place& place, const std::string& what_must_hold, const Json& got)
    : InputError(place, what_must_hold + ", got " + shortened(got)) {}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(word.size(), 3) / 3 + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    const bool is_prefix =
        word.size() >= 3 && (candidate.starts_with(word) || word.starts_with(candidate));
    if (distance < best_distance || (is_prefix && best.empty())) {
      best = candidate;
      best_distance = std::min(best_distance, distance);
    }
  }
  return best.empty() ? "" : " (did you mean '" + best + "'?)";
}

}  // namespace motley
