#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/base/json_value.hpp"
#include "sim/base/place.hpp"
#include "sim/scenario/field_list.hpp"
#include "sim/scenario/units.hpp"

namespace motley {

/// One key of the input, described once: this serves parsing, error messages, the filled-in
/// scenario and the documentation.
struct FieldInfo {
  std::string name;
  std::string doc;
  /// Put in where the key is absent. Without it, a std::optional member may be absent and any other
  /// must be given.
  JsonValue fallback = {};
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
  /// For a key taken as it is (Json), whose reader alone knows what it accepts: makes its JSON Schema,
  /// which most runs never ask for.
  JsonValue (*schema)() = nullptr;

  // Filled in by Fields::add.
  /// "number", "list of integer", "object", ... Given where a Json is taken as it is and yet only
  /// an object will do.
  std::string type = {};
  bool may_be_absent = false;  ///< no fallback and none needed
  FieldList children = {};     ///< of an object, or of a list's objects

  ~FieldInfo();  // not inline: there are hundreds of descriptions

  /// "a number above 0", "a time with its unit, of at least 0", ... for messages and documentation.
  std::string must_be() const;
  /// Of a list: what holds for each of its elements.
  FieldInfo element() const;
  bool belongs_to(const std::string& kind) const;
  /// Whether this is the key that the others' `kinds` are about.
  bool decides_kind() const { return name == "kind" || name == "law"; }
};

/// Refuses what is no object, keys that are not among these, and keys that do not go with the
/// object's kind.
void check_keys(const std::vector<FieldInfo>& infos, const Json& object, const Place& place);

namespace fields_detail {

// What does not depend on the type of a member, so that a description costs a caller little to
// compile.
void read_number(const FieldInfo& info, const Json& value, const Place& place, double& out);
void read_integer(const FieldInfo& info, const Json& value, const Place& place, std::int64_t& out);
void read_boolean(const Json& value, const Place& place, bool& out);
void read_text(const FieldInfo& info, const Json& value, const Place& place, std::string& out);
void copy(const Json& value, Json& out);
std::size_t read_choice(const FieldInfo& info, const Json& value, const Place& place);
/// Whether the value is the word that is accepted instead of one.
bool is_word(const FieldInfo& info, const Json& value);
/// How many elements the list has; InputError when it is none.
std::size_t list_size(const FieldInfo& info, const Json& value, const Place& place);
Json& element_of(Json& list, std::size_t index);
/// Of a list of such values.
JsonValue list_schema(const JsonValue& element);
/// The values that these fields take from the object, by field: nullptr where there is nothing to
/// read. Checks the keys and writes the fallbacks of absent ones into the object.
std::vector<Json*> values_of(const std::vector<FieldInfo>& infos, Json& object, const Place& place);
/// The same for what is given, without fallbacks; nothing is required.
std::vector<Json*> given_values_of(const std::vector<FieldInfo>& infos, Json& object,
                                   const Place& place);

/// Adds a description with what follows from the type of its member.
void append(std::vector<FieldInfo>& infos, const FieldInfo& info, std::string type_name,
            JsonValue (*schema)(), bool is_optional, const FieldList& children);
/// Adds the descriptions of a base.
void append(std::vector<FieldInfo>& infos, const std::vector<FieldInfo>& others);

template <class M>
struct is_optional : std::false_type {};
template <class M>
struct is_optional<std::optional<M>> : std::true_type {};
template <class M>
struct is_vector : std::false_type {};
template <class M>
struct is_vector<std::vector<M>> : std::true_type {};

/// A struct that is an object in JSON.
template <class M>
concept Described = requires {
  M::fields();
};
/// A type that alone knows how it is written.
template <class M>
concept ReadsItself = requires(const Json& value, const Place& place) {
  M::read(value, place);
  M::schema();
};

template <class M>
void read_value(const FieldInfo& info, Json& value, const Place& place, M& out);
template <class M>
std::string type_name(const FieldInfo& info);
/// Null for types that do not read themselves, nor hold such.
template <class M>
constexpr auto schema_maker() -> JsonValue (*)();
template <class M>
FieldList children_of();

}  // namespace fields_detail

/// The keys of one JSON object and where each goes in T. Build with add(), then read().
/// T::fields() returns them for every struct that stands in the scenario.
template <class T>
class Fields {
 public:
  /// Members may be double, integers, bool, std::string, enums (in the order of `choices`), structs
  /// with fields(), types that read themselves, std::vector and std::optional of these, and Json
  /// (taken as it is).
  template <class M, class Owner>
  requires std::is_base_of_v<Owner, T> Fields& add(const FieldInfo& info, M Owner::*member) {
    fields_detail::append(infos_, info, fields_detail::type_name<M>(info),
                          fields_detail::schema_maker<M>(), fields_detail::is_optional<M>::value,
                          fields_detail::children_of<M>());
    readers_.push_back([member](const FieldInfo& own, Json& value, const Place& place, T& out) {
      fields_detail::read_value(own, value, place, out.*member);
    });
    return *this;
  }

  /// Takes over the fields of a base of T.
  template <class Base>
  requires std::is_base_of_v<Base, T> Fields& include(const Fields<Base>& base) {
    fields_detail::append(infos_, base.infos_);
    for (const auto& reader : base.readers_) readers_.push_back(reader);
    return *this;
  }

  /// Reads `object` into `out` and writes the fallbacks of absent keys into `object`, which is then
  /// the full description. Throws InputError at the first mistake. Keys that begin with "//" are
  /// comments.
  void read(Json& object, const Place& place, T& out) const {
    read(fields_detail::values_of(infos_, object, place), place, out);
  }

  /// Reads only the keys that are there: no fallbacks, nothing is required.
  void read_given(Json& object, const Place& place, T& out) const {
    read(fields_detail::given_values_of(infos_, object, place), place, out);
  }

  const std::vector<FieldInfo>& infos() const { return infos_; }

 private:
  template <class>
  friend class Fields;

  void read(const std::vector<Json*>& values, const Place& place, T& out) const {
    for (std::size_t i = 0; i < infos_.size(); ++i) {
      if (values[i] != nullptr) readers_[i](infos_[i], *values[i], place / infos_[i].name, out);
    }
  }

  std::vector<FieldInfo> infos_;
  std::vector<std::function<void(const FieldInfo&, Json&, const Place&, T&)>> readers_;
};

/// T::fields(), made once: a sweep reads the same keys many thousand times.
template <class T>
const Fields<T>& fields_of() {
  static const Fields<T> fields = T::fields();
  return fields;
}

/// Of T::fields(), made when they are asked for.
template <class T>
FieldList infos_of() {
  return FieldList(+[]() -> const std::vector<FieldInfo>& { return fields_of<T>().infos(); });
}

namespace fields_detail {

template <class M>
void read_value(const FieldInfo& info, Json& value, const Place& place, M& out) {
  if constexpr (is_optional<M>::value) {
    if (is_word(info, value))
      out.reset();
    else
      read_value(info, value, place, out.emplace());
  } else if constexpr (is_vector<M>::value) {
    out.clear();
    out.resize(list_size(info, value, place));
    // Objects know their own keys.
    const FieldInfo element = Described<typename M::value_type> ? FieldInfo() : info.element();
    for (std::size_t i = 0; i < out.size(); ++i) {
      read_value(element, element_of(value, i), place / i, out[i]);
    }
  } else if constexpr (std::is_same_v<M, Json>) {
    copy(value, out);
  } else if constexpr (ReadsItself<M>) {
    out = M::read(value, place);
  } else if constexpr (std::is_same_v<M, bool>) {
    read_boolean(value, place, out);
  } else if constexpr (std::is_enum_v<M>) {
    out = static_cast<M>(read_choice(info, value, place));
  } else if constexpr (std::is_integral_v<M>) {
    std::int64_t number = 0;
    read_integer(info, value, place, number);
    out = static_cast<M>(number);
  } else if constexpr (std::is_floating_point_v<M>) {
    double number = 0;
    read_number(info, value, place, number);
    out = static_cast<M>(number);
  } else if constexpr (std::is_same_v<M, std::string>) {
    read_text(info, value, place, out);
  } else {
    static_assert(Described<M>);
    fields_of<M>().read(value, place, out);
  }
}

template <class M>
std::string type_name(const FieldInfo& info) {
  if constexpr (is_optional<M>::value) {
    return type_name<typename M::value_type>(info);
  } else if constexpr (is_vector<M>::value) {
    return "list of " + type_name<typename M::value_type>(info);
  } else if constexpr (std::is_same_v<M, Json> || ReadsItself<M>) {
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
constexpr auto schema_maker() -> JsonValue (*)() {
  if constexpr (is_optional<M>::value) {
    return schema_maker<typename M::value_type>();
  } else if constexpr (is_vector<M>::value) {
    constexpr auto of_element = schema_maker<typename M::value_type>();
    if constexpr (of_element == nullptr)
      return nullptr;
    else
      return +[]() -> JsonValue { return list_schema(schema_maker<typename M::value_type>()()); };
  } else if constexpr (ReadsItself<M>) {
    return &M::schema;
  } else {
    return nullptr;
  }
}

template <class M>
FieldList children_of() {
  if constexpr (is_optional<M>::value || is_vector<M>::value) {
    return children_of<typename M::value_type>();
  } else if constexpr (Described<M>) {
    return infos_of<M>();
  } else {
    return {};
  }
}

}  // namespace fields_detail
}  // namespace motley
