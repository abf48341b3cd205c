#include "sim/scenario/kinds.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/scenario/field_schema.hpp"

namespace motley {
namespace {

FieldInfo deciding_key(const std::vector<KindKeys>& kinds) {
  FieldInfo info;
  info.name = "kind";
  info.type = "choice";
  for (const KindKeys& kind : kinds) {
    info.choices.push_back(kind.name);
    info.doc += (info.doc.empty() ? "" : ", ") + kind.name + " (" + kind.summary + ")";
  }
  return info;
}

/// Whether they are described by the same words, but for their documentation: then no schema need be
/// made to see that they accept the same.
bool are_alike(const FieldInfo& a, const FieldInfo& b) {
  const bool same_fallback =
      a.fallback && b.fallback ? *a.fallback == *b.fallback : !a.fallback && !b.fallback;
  return same_fallback && a.dimension == b.dimension && a.minimum == b.minimum &&
         a.maximum == b.maximum && a.above_minimum == b.above_minimum &&
         a.below_maximum == b.below_maximum && a.choices == b.choices && a.word == b.word &&
         a.kinds == b.kinds && a.schema == b.schema && a.type == b.type &&
         are_same_list(a.children, b.children);
}

bool accept_the_same(const FieldInfo& a, const FieldInfo& b) {
  if (a.may_be_absent != b.may_be_absent) return false;
  if (are_alike(a, b)) return true;
  FieldInfo one = a;
  FieldInfo other = b;
  one.doc = other.doc = "";
  return value_schema(one) == value_schema(other);
}

/// The key as all kinds that take it describe it.
FieldInfo shared_key(const FieldInfo& first, const std::vector<KindKeys>& kinds) {
  FieldInfo info = first;
  std::string docs;  // with the kind before each, for when they differ
  bool same_doc = true;
  for (const KindKeys& kind : kinds) {
    for (const FieldInfo& field : kind.fields) {
      if (field.name != first.name) continue;
      if (!accept_the_same(field, first)) {
        throw std::logic_error("kinds " + kinds.front().name + ", ...: '" + field.name + "' of " +
                               kind.name + " is not that of the others");
      }
      info.kinds.push_back(kind.name);
      docs += (docs.empty() ? "" : "; ") + kind.name + ": " + field.doc;
      same_doc = same_doc && field.doc == first.doc;
    }
  }
  if (!same_doc) info.doc = docs;
  if (info.kinds.size() == kinds.size()) info.kinds.clear();
  return info;
}

}  // namespace

std::vector<FieldInfo> keys_of(const std::vector<KindKeys>& kinds) {
  std::vector<FieldInfo> of_some = {deciding_key(kinds)};
  std::vector<FieldInfo> of_all;
  for (const KindKeys& kind : kinds) {
    for (const FieldInfo& field : kind.fields) {
      const auto is_it = [&](const FieldInfo& other) { return other.name == field.name; };
      if (std::any_of(of_some.begin(), of_some.end(), is_it) ||
          std::any_of(of_all.begin(), of_all.end(), is_it)) {
        continue;
      }
      const FieldInfo key = shared_key(field, kinds);
      (key.kinds.empty() ? of_all : of_some).push_back(key);
    }
  }
  of_some.insert(of_some.end(), of_all.begin(), of_all.end());
  return of_some;
}

}  // namespace motley
