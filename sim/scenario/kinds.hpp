#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/catalog.hpp"
#include "sim/base/json.hpp"
#include "sim/scenario/fields.hpp"

/// Sections of the scenario whose keys depend on their "kind", where each kind is described by
/// itself and a catalogue lists them.
namespace motley {

/// A kind and the keys it takes besides "kind".
struct KindKeys {
  std::string name;
  std::string summary;  ///< a few words
  std::vector<FieldInfo> fields;
};

/// A kind as its catalogue lists it. Section is what all kinds are read as.
template <class Section>
struct Kind : KindKeys {
  /// From a section without its "kind"; fills in the defaults.
  std::function<std::unique_ptr<Section>(Json& own, const Place& place)> read;
};

/// The catalogue entry of a kind that is read as `Own`, which derives from Section, has fields(),
/// and may refuse with check(place) what single fields cannot see.
template <class Section, class Own>
Kind<Section> describe_kind(std::string name, std::string summary) {
  return {{std::move(name), std::move(summary), Own::fields().infos()},
          [](Json& own, const Place& place) {
            auto section = std::make_unique<Own>();
            fields_of<Own>().read(own, place, *section);
            if constexpr (requires { section->check(place); }) section->check(place);
            return section;
          }};
}

/// All keys of a section that is of one of these kinds: "kind", then those that only some take, then
/// those that all take. Each knows its kinds. A key that several kinds take must accept the same in
/// all of them (std::logic_error); its documentation may differ.
std::vector<FieldInfo> keys_of(const std::vector<KindKeys>& kinds);

template <class Section>
std::vector<FieldInfo> keys_of(const std::vector<Kind<Section>>& catalog) {
  return keys_of(std::vector<KindKeys>(catalog.begin(), catalog.end()));
}

/// Reads the section by the kind that it names and writes the defaults of absent keys into it.
/// `keys` are keys_of(catalog), which take a while to find. Throws InputError.
template <class Section>
std::unique_ptr<Section> read_by_kind(const std::vector<Kind<Section>>& catalog,
                                      const std::vector<FieldInfo>& keys, Json& section,
                                      const Place& place) {
  check_keys(keys, section, place);
  Json own = section;
  own.erase("kind");
  auto result =
      find_in(catalog, "kind", section["kind"].get<std::string>(), place / "kind").read(own, place);
  section.update(own);  // keys that were given stay where they are
  return result;
}

template <class Section>
std::unique_ptr<Section> read_by_kind(const std::vector<Kind<Section>>& catalog, Json& section,
                                      const Place& place) {
  return read_by_kind(catalog, keys_of(catalog), section, place);
}

}  // namespace motley
