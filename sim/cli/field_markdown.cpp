#include "sim/cli/field_markdown.hpp"

#include <algorithm>
#include <ostream>

#include "sim/base/json.hpp"

namespace motley {
namespace {

std::string code(const std::string& text) {
  return "`" + text + "`";
}

std::string default_cell(const FieldInfo& field) {
  if (field.may_be_absent) return "";
  if (!field.fallback) return "*required*";
  const Json& fallback = *field.fallback;
  const bool says_nothing = fallback.empty() || fallback == Json("");
  return says_nothing && !fallback.is_number() ? "" : code(fallback.dump());
}

bool mentions_all(const std::string& text, const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

/// What a value must be, where the key's own text does not say it already.
std::string limits(const FieldInfo& field) {
  if (!field.children.empty()) {
    const std::string section = "see [" + field.name + "](#" + field.name + ")";
    return field.type == "object" ? section : "a list; " + section;
  }
  if (field.type == "choice" && mentions_all(field.doc, field.choices)) return "";
  const bool says_it_all = field.type == "any" || field.type == "text" || field.type == "boolean";
  return says_it_all ? "" : table_cell(field.must_be());
}

std::string meaning(const FieldInfo& field) {
  std::string remarks = limits(field);
  for (std::size_t i = 0; i < field.kinds.size(); ++i) {
    if (i == 0) remarks += remarks.empty() ? "only with " : "; only with ";
    remarks += (i > 0 ? ", " : "") + code(field.kinds[i]);
  }
  return table_cell(field.doc) + (remarks.empty() ? "" : " (" + remarks + ")");
}

/// Where there is such an object, and which of its keys it takes there.
struct ObjectPlace {
  std::string path;
  const std::vector<FieldInfo>* keys;
};

/// An object with all its places; the keys are those of the place that takes most.
struct Object {
  std::string name;
  const std::vector<FieldInfo>* keys;
  std::vector<ObjectPlace> places;
};

bool has_key(const std::vector<FieldInfo>& keys, const FieldInfo& key) {
  return std::any_of(keys.begin(), keys.end(), [&](const FieldInfo& other) {
    return other.name == key.name && other.doc == key.doc;
  });
}

bool has_all_keys(const std::vector<FieldInfo>& keys, const std::vector<FieldInfo>& others) {
  return std::all_of(others.begin(), others.end(),
                     [&](const FieldInfo& key) { return has_key(keys, key); });
}

void collect(const std::vector<FieldInfo>& fields, const std::string& path,
             std::vector<Object>& objects) {
  for (const FieldInfo& field : fields) {
    if (field.children.empty()) continue;
    const ObjectPlace here{path + field.name, &field.children.all()};
    const auto known = std::find_if(objects.begin(), objects.end(), [&](const Object& object) {
      return object.name == field.name && (has_all_keys(*object.keys, field.children) ||
                                           has_all_keys(field.children, *object.keys));
    });
    if (known == objects.end()) {
      objects.push_back({field.name, &field.children.all(), {here}});
    } else {
      if (!has_all_keys(*known->keys, field.children)) known->keys = &field.children.all();
      known->places.push_back(here);
    }
    collect(field.children, here.path + ".", objects);
  }
}

/// " (without `worker`, `link`)"; empty where all keys are taken.
std::string left_out(const Object& object, const ObjectPlace& place) {
  std::string names;
  for (const FieldInfo& key : *object.keys) {
    if (!has_key(*place.keys, key)) names += (names.empty() ? "" : ", ") + code(key.name);
  }
  return names.empty() ? "" : " (without " + names + ")";
}

}  // namespace

std::string table_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_') cell += '\\';
    cell += c;
  }
  return cell;
}

void print_field_table(std::ostream& out, const std::vector<FieldInfo>& fields) {
  out << "| key | default | meaning |\n|---|---|---|\n";
  for (const FieldInfo& field : fields) {
    out << "| " << code(field.name) << " | " << default_cell(field) << " | " << meaning(field)
        << " |\n";
  }
}

void print_object_sections(std::ostream& out, const std::vector<FieldInfo>& fields) {
  std::vector<Object> objects;
  collect(fields, "", objects);
  for (const Object& object : objects) {
    out << "\n### " << object.name << "\n\n";
    if (object.places.size() > 1 || object.places.front().path != object.name) {
      for (std::size_t i = 0; i < object.places.size(); ++i) {
        out << (i == 0 ? "At " : ", ") << code(object.places[i].path)
            << left_out(object, object.places[i]);
      }
      out << ".\n\n";
    }
    print_field_table(out, *object.keys);
  }
}

}  // namespace motley
