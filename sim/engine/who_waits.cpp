#include "sim/engine/who_waits.hpp"

#include <algorithm>
#include <sstream>

namespace motley {
namespace {

std::string listed_briefly(const std::vector<std::string>& names) {
  constexpr std::size_t most_names = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  if (names.size() > most_names) {
    text += " and " + std::to_string(names.size() - most_names) + " more";
  }
  return text;
}

}  // namespace

void WhoWaits::add(const std::string& name, const std::string& what) {
  std::vector<std::string>& names = names_[what];
  if (names.empty() || names.back() != name) names.push_back(name);
}

std::string WhoWaits::text(double since) const {
  std::ostringstream text;
  if (gone_.empty()) {
    text << "deadlock at " << since << " s: ";
  } else {
    text << "waits for ever since " << since << " s: " << listed_briefly(gone_)
         << (gone_.size() > 1 ? " are" : " is") << " down for good";
  }
  bool first = gone_.empty();
  for (const auto& [what, who] : names_) {
    text << (first ? "" : "; ") << listed_briefly(who)
         << (who.size() > 1 ? " wait for " : " waits for ") << what;
    first = false;
  }
  return text.str();
}

}  // namespace motley
