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

bool accept_the_same(FieldInfo a, FieldInfo b) {
  a.doc = b.doc = "";
  return value_schema(a) == value_schema(b) && a.may_be_absent == b.may_be_absent;
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
