#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/core/input/place.hpp"
#include "sim/core/input/units.hpp"

namespace motley {

/// One key of the input, described once: this serves parsing, error messages, the filled-in
/// scenario and the documentation.
struct FieldInfo {
  std::string name;
  std::string doc;
  /// Put in where the key is absent. Without it, a std::optional member may be absent and any other
  /// must be given.
  std::optional<Json> fallback = std::nullopt;
  Dimension dimension = Dimension::none;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool above_minimum = false;  ///< the minimum itself is refused
  bool below_maximum = false;  ///< the maximum itself is refused
  std::vector<std::string> choices = {};
  /// A word accepted instead of a value ("auto", "inf"); reads as an empty std::optional.
  std::string word = {};
  /// When not empty: the key belongs only to objects whose "kind" (or "law") is one of these.
  std::vector<std::string> kinds = {};
  /// For a key taken as it is (Json), whose reader alone knows what it accepts: its JSON Schema.
  std::optional<Json> schema = std::nullopt;

  // Filled in by Fields::add.
  std::string type = {};                 ///< "number", "list of integer", "object", ...
  bool may_be_absent = false;            ///< no fallback and none needed
  std::vector<FieldInfo> children = {};  ///< of an object, or of a list's objects

  /// "a number above 0", "a time with its unit, of at least 0", ... for messages and documentation.
  std::string must_be() const;
  /// Of a list: what holds for each of its elements.
  FieldInfo element() const;
  bool belongs_to(const std::string& kind) const;
  /// Whether this is the key that the others' `kinds` are about.
  bool decides_kind() const { return name == "kind" || name == "law"; }
};

namespace fields_detail {

double read_number(const FieldInfo& info, const Json& value, const Place& place);
std::int64_t read_integer(const FieldInfo& info, const Json& value, const Place& place);
std::size_t read_choice(const FieldInfo& info, const Json& value, const Place& place);
void check_range(const FieldInfo& info, double number, const Json& value, const Place& place);
[[noreturn]] void fail_missing(const FieldInfo& info, const Place& place);
void check_keys(const std::vector<FieldInfo>& infos, const Json& object, const Place& place);
/// The "kind" (or "law") of an object, or of its fallback; empty when these fields have no kinds.
std::string kind_of(const std::vector<FieldInfo>& infos, const Json& object);

template <class M>
struct is_optional : std::false_type {};
template <class M>
struct is_optional<std::optional<M>> : std::true_type {};
template <class M>
struct is_vector : std::false_type {};
template <class M>
struct is_vector<std::vector<M>> : std::true_type {};

template <class M>
concept Described = requires {
  M::fields();
};

template <class M>
void read_value(const FieldInfo& info, Json& value, const Place& place, M& out);
template <class M>
std::string type_name(const FieldInfo& info);
template <class M>
std::vector<FieldInfo> children_of();

}  // namespace fields_detail

/// The keys of one JSON object and where each goes in T. Build with add(), then read().
/// T::fields() returns them for every struct that stands in the scenario.
template <class T>
class Fields {
 public:
  /// Members may be double, integers, bool, std::string, enums (in the order of `choices`), structs
  /// with fields(), std::vector and std::optional of these, and Json (taken as it is).
  template <class M, class Owner>
  requires std::is_base_of_v<Owner, T> Fields& add(FieldInfo info, M Owner::*member) {
    info.type = fields_detail::type_name<M>(info);
    info.may_be_absent = !info.fallback && fields_detail::is_optional<M>::value;
    info.children = fields_detail::children_of<M>();
    infos_.push_back(info);
    readers_.push_back([info, member](Json& value, const Place& place, T& out) {
      fields_detail::read_value(info, value, place, out.*member);
    });
    return *this;
  }

  /// Takes over the fields of a base of T.
  template <class Base>
  requires std::is_base_of_v<Base, T> Fields& include(const Fields<Base>& base) {
    for (std::size_t i = 0; i < base.infos_.size(); ++i) {
      infos_.push_back(base.infos_[i]);
      readers_.push_back([read = base.readers_[i]](Json& value, const Place& place, T& out) {
        read(value, place, out);
      });
    }
    return *this;
  }

  /// Reads `object` into `out` and writes the fallbacks of absent keys into `object`, which is then
  /// the full description. Throws InputError at the first mistake. Keys that begin with "//" are
  /// comments.
  void read(Json& object, const Place& place, T& out) const {
    fields_detail::check_keys(infos_, object, place);
    const std::string kind = fields_detail::kind_of(infos_, object);
    for (std::size_t i = 0; i < infos_.size(); ++i) {
      const FieldInfo& info = infos_[i];
      if (!info.belongs_to(kind)) continue;
      if (!object.contains(info.name)) {
        if (info.may_be_absent) continue;
        if (!info.fallback) fields_detail::fail_missing(info, place);
        object[info.name] = *info.fallback;
      }
      readers_[i](object[info.name], place / info.name, out);
    }
  }

  /// Reads only the keys that are there: no fallbacks, nothing is required.
  void read_given(Json& object, const Place& place, T& out) const {
    fields_detail::check_keys(infos_, object, place);
    for (std::size_t i = 0; i < infos_.size(); ++i) {
      const std::string& name = infos_[i].name;
      if (object.contains(name)) readers_[i](object[name], place / name, out);
    }
  }

  const std::vector<FieldInfo>& infos() const { return infos_; }

 private:
  template <class>
  friend class Fields;

  std::vector<FieldInfo> infos_;
  std::vector<std::function<void(Json&, const Place&, T&)>> readers_;
};

namespace fields_detail {

template <class M>
void read_value(const FieldInfo& info, Json& value, const Place& place, M& out) {
  if constexpr (is_optional<M>::value) {
    if (!info.word.empty() && value.is_string() && value.get<std::string>() == info.word) {
      out.reset();
      return;
    }
    read_value(info, value, place, out.emplace());
  } else if constexpr (is_vector<M>::value) {
    if (!value.is_array()) throw InputError(place, "must be " + info.must_be(), value);
    out.clear();
    out.resize(value.size());
    const FieldInfo element = info.element();
    for (std::size_t i = 0; i < value.size(); ++i) read_value(element, value[i], place / i, out[i]);
  } else if constexpr (std::is_same_v<M, Json>) {
    out = value;
  } else if constexpr (std::is_same_v<M, bool>) {
    if (!value.is_boolean()) throw InputError(place, "must be true or false", value);
    out = value.get<bool>();
  } else if constexpr (std::is_enum_v<M>) {
    out = static_cast<M>(read_choice(info, value, place));
  } else if constexpr (std::is_integral_v<M>) {
    out = static_cast<M>(read_integer(info, value, place));
  } else if constexpr (std::is_floating_point_v<M>) {
    out = static_cast<M>(read_number(info, value, place));
  } else if constexpr (std::is_same_v<M, std::string>) {
    if (!value.is_string()) throw InputError(place, "must be " + info.must_be(), value);
    out = value.get<std::string>();
  } else {
    static_assert(Described<M>);
    M::fields().read(value, place, out);
  }
}

template <class M>
std::string type_name(const FieldInfo& info) {
  if constexpr (is_optional<M>::value) {
    return type_name<typename M::value_type>(info);
  } else if constexpr (is_vector<M>::value) {
    return "list of " + type_name<typename M::value_type>(info);
  } else if constexpr (std::is_same_v<M, Json>) {
    return "any";
  } else if constexpr (std::is_same_v<M, bool>) {
    return "boolean";
  } else if constexpr (std::is_enum_v<M>) {
    return "choice";
  } else if constexpr (std::is_integral_v<M>) {
    return "integer";
  } else if constexpr (std::is_floating_point_v<M>) {
    return info.dimension == Dimension::none ? "number" : "quantity";
  } else if constexpr (std::is_same_v<M, std::string>) {
    return "text";
  } else {
    return "object";
  }
}

template <class M>
std::vector<FieldInfo> children_of() {
  if constexpr (is_optional<M>::value || is_vector<M>::value) {
    return children_of<typename M::value_type>();
  } else if constexpr (Described<M>) {
    return M::fields().infos();
  } else {
    return {};
  }
}

}  // namespace fields_detail
}  // namespace motley
