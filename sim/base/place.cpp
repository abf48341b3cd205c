#include "sim/base/place.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/json.hpp"
#include "sim/base/text.hpp"

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
  constexpr std::size_t longest = 200;
  const std::string where = place.pointer.empty() ? "/" : shortened(place.pointer, longest);
  std::string line =
      place.file.empty() ? where + ": " + text : place.file + ": " + where + ": " + text;
  std::ranges::replace(line, '\0', '?');  // what() would end there
  return line;
}

/// Letters to add, leave out, replace, or swap with their neighbour: the slips of typing.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last = std::move(last);
    last = std::move(row);
  }
  return last[b.size()];
}

}  // namespace

Place Place::operator/(const std::string& key) const {
  return {file, pointer + "/" + escaped(key)};
}

Place Place::operator/(std::size_t index) const {
  return {file, pointer + "/" + std::to_string(index)};
}

InputError::InputError(const Place& place, const std::string& what_must_hold)
    : std::runtime_error(located(place, what_must_hold)), place_(place) {}

InputError::InputError(const Place& place, const std::string& what_must_hold, const Json& got)
    : InputError(place, what_must_hold + ", got " +
                            shortened(got.dump(-1, ' ', false, Json::error_handler_t::replace))) {}

InputError::InputError(const Place& place, const std::string& what_must_hold, std::uint64_t got)
    : InputError(place, what_must_hold, Json(got)) {}

InputError::InputError(const Place& place, const std::string& what_must_hold, double got)
    : InputError(place, what_must_hold, Json(got)) {}

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
