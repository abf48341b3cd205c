#include "sim/engine/who_waits.hpp"

#include <algorithm>

namespace motley {

void WhoWaits::add(const std::string& name, const std::string& what) {
  std::vector<std::string>& names = names_[what];
  if (names.empty() || names.back() != name) names.push_back(name);
}

std::string WhoWaits::text() const {
  constexpr std::size_t most_names = 6;
  std::string text;
  for (const auto& [what, who] : names_) {
    if (!text.empty()) text += "; ";
    for (std::size_t i = 0; i < std::min(who.size(), most_names); ++i) {
      text += (i > 0 ? ", " : "") + who[i];
    }
    if (who.size() > most_names) {
      text += " and " + std::to_string(who.size() - most_names) + " more";
    }
    text += (who.size() > 1 ? " wait for " : " waits for ") + what;
  }
  return text;
}

}  // namespace motley
