#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"

namespace motley {

/// A value of a file that a program wrote, read as strictly as if a stranger had written it: what
/// is not there, or is not what must be there, is an InputError at its place. A part refers to the
/// whole it was taken from, which must outlive it.
class StrictJson {
 public:
  /// The whole of a file, or of something that has no file (""). The name must outlive it.
  StrictJson(const Json& whole, const char* file = "") : value_(whole), file_(file) {}

  StrictJson member(const char* key) const;
  /// An element of a list; see elements().
  StrictJson element(std::size_t index) const { return {value_[index], *this, nullptr, index}; }
  /// How many elements the list has.
  std::size_t elements() const;
  /// The same for a row of a table, which has so many columns.
  const StrictJson& row(std::size_t columns) const;

  const std::string& text() const;
  double number() const;  ///< finite
  std::optional<double> number_or_null() const;
  std::uint64_t count() const;  ///< a whole number from 0
  const Json& any() const { return value_; }

  [[noreturn]] void refuse(const std::string& what_must_hold) const;

 private:
  StrictJson(const Json& value, const StrictJson& whole, const char* key, std::size_t index)
      : value_(value), whole_(&whole), key_(key), index_(index) {}
  Place place() const;

  const Json& value_;
  const char* file_ = "";              // of the whole only
  const StrictJson* whole_ = nullptr;  // of which this is
  const char* key_ = nullptr;          // the member of this name, or
  std::size_t index_ = 0;              // the element of this number
};

/// With a checksum of all that it holds, as its first member.
Json sealed(const Json& content);
bool has_seal(const Json& json);
/// The same without its checksum; empty when it has none, or one that does not fit.
std::optional<Json> unsealed(Json json);

}  // namespace motley
