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

/// An object with the paths of all keys that hold such a one.
struct Object {
  std::string name;
  const std::vector<FieldInfo>* keys;
  std::vector<std::string> paths;
};

bool same_keys(const std::vector<FieldInfo>& a, const std::vector<FieldInfo>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.name == y.name && x.doc == y.doc;
  });
}

void collect(const std::vector<FieldInfo>& fields, const std::string& path,
             std::vector<Object>& objects) {
  for (const FieldInfo& field : fields) {
    if (field.children.empty()) continue;
    const std::string here = path + field.name;
    const auto known = std::find_if(objects.begin(), objects.end(), [&](const Object& object) {
      return object.name == field.name && same_keys(*object.keys, field.children);
    });
    if (known == objects.end())
      objects.push_back({field.name, &field.children, {here}});
    else
      known->paths.push_back(here);
    collect(field.children, here + ".", objects);
  }
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
    if (object.paths.size() > 1 || object.paths.front() != object.name) {
      for (std::size_t i = 0; i < object.paths.size(); ++i) {
        out << (i == 0 ? "At " : ", ") << code(object.paths[i]);
      }
      out << ".\n\n";
    }
    print_field_table(out, *object.keys);
  }
}

}  // namespace motley
