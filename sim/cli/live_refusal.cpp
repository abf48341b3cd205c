#include "sim/cli/live_refusal.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "sim/cli/command_line.hpp"

namespace motley {
namespace {

/// The exit code, and why.
struct Mistake {
  char code = '0';
  std::string text = {};
};

Mistake mistake_of(const std::function<void()>& prepare) {
  try {
    prepare();
    return {};
  } catch (const InputError& e) {
    return {'2', e.what()};
  } catch (const std::bad_alloc&) {
    return {'1', "not enough memory for this scenario"};
  } catch (const std::exception& e) {
    return {'1', e.what()};
  }
}

}  // namespace

int prepare_everywhere(Transport& transport, const std::function<void()>& prepare) {
  const Mistake mine = mistake_of(prepare);
  const std::vector<std::string> all = transport.exchange(mine.code + mine.text);
  const auto first =
      std::ranges::find_if(all, [](const std::string& text) { return text[0] != '0'; });
  if (first == all.end()) return 0;
  if (transport.rank() == 0) {
    const bool is_everywhere =
        std::ranges::all_of(all, [&](const std::string& text) { return text == *first; });
    complain((is_everywhere ? "" : "rank " + std::to_string(first - all.begin()) + ": ") +
             first->substr(1));
  }
  transport.exchange("");  // nobody ends before that is said
  return (*first)[0] - '0';
}

int refuse_everywhere(const InputError& mistake) {
  if (!is_started_by_mpi() || mpi_version().empty()) throw mistake;
  const std::unique_ptr<Transport> transport = mpi_transport();
  const int refused = prepare_everywhere(*transport, [&] { throw mistake; });
  transport->end();
  return refused;
}

}  // namespace motley
