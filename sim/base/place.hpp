#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace motley {

/// Keys keep the order in which they were written.
using Json = nlohmann::ordered_json;

/// A place in the input: a file and a JSON pointer into it.
struct Place {
  std::string file;
  std::string pointer;

  /// The place of a member or an element below this one ("/" and "~" are escaped as in RFC 6901).
  Place operator/(const std::string& key) const;
  Place operator/(std::size_t index) const;
};

/// Something the user wrote cannot be used. Its text is `file: /pointer: what must hold`; the
/// command line prints it as one line and exits with 2.
class InputError : public std::runtime_error {
 public:
  InputError(const Place& place, const std::string& what_must_hold);
  /// Appends ", got VALUE" (shortened when long).
  InputError(const Place& place, const std::string& what_must_hold, const Json& got);
  InputError(const Place& place, const std::string& what_must_hold, std::uint64_t got);
  InputError(const Place& place, const std::string& what_must_hold, double got);
  /// For mistakes that are not inside a file (a wrong option, an unwritable folder).
  explicit InputError(const std::string& text) : std::runtime_error(text) {}
  /// The same mistake with more to be said after it.
  InputError(const InputError& error, const std::string& more)
      : std::runtime_error(error.what() + more), place_(error.place_) {}

  /// Where it is; without file and pointer when it is not inside a file.
  const Place& place() const { return place_; }

 private:
  Place place_;
};

/// The candidate closest to `word`, as " (did you mean 'x'?)"; empty when none is close.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace motley
