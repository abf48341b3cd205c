#include "sim/cli/live_refusal.hpp"

#include <algorithm>

#include "sim/cli/command_line.hpp"

namespace motley {

bool is_refused(Transport& transport, const std::string& mistake) {
  const std::vector<std::string> mistakes = transport.exchange(mistake);
  const auto first =
      std::ranges::find_if(mistakes, [](const std::string& text) { return !text.empty(); });
  if (first == mistakes.end()) return false;
  if (transport.rank() == 0) {
    const bool is_everywhere =
        std::ranges::all_of(mistakes, [&](const std::string& text) { return text == *first; });
    complain((is_everywhere ? "" : "rank " + std::to_string(first - mistakes.begin()) + ": ") +
             *first);
  }
  transport.exchange("");  // nobody ends before that is said
  return true;
}

}  // namespace motley
