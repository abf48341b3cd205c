#pragma once

#include <string>
#include <vector>

#include "sim/base/place.hpp"

namespace motley {

/// Throws the InputError for an unknown name, which suggests the closest one and lists all.
[[noreturn]] void throw_unknown(const std::string& what, const std::string& name,
                                const std::vector<std::string>& names, const Place& place);

/// The entry of this name in a catalogue of `what` ("algorithm"), whose entries have a name.
template <class Entry>
const Entry& find_in(const std::vector<Entry>& catalog, const char* what, const std::string& name,
                     const Place& place) {
  std::vector<std::string> names;
  for (const Entry& entry : catalog) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw_unknown(what, name, names, place);
}

}  // namespace motley
