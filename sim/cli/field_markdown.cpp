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

std::string meaning(const FieldInfo& field) {
  std::string text = table_cell(field.doc);
  std::string limits;
  if (!field.children.empty()) {
    limits = std::string("see [") + field.name + "](#" + field.name + ")";
  } else if (field.type != "any" && field.type != "choice" && field.type != "text" &&
             field.type != "boolean") {
    limits = table_cell(field.must_be());
  } else if (field.type == "choice" && std::any_of(field.choices.begin(), field.choices.end(),
                                                   [&](const std::string& choice) {
                                                     return field.doc.find(choice) ==
                                                            std::string::npos;
                                                   })) {
    limits = field.must_be();
  }
  for (std::size_t i = 0; i < field.kinds.size(); ++i) {
    limits += (i > 0            ? ", "
               : limits.empty() ? "only with "
                                : "; only with ") +
              code(field.kinds[i]);
  }
  return limits.empty() ? text : text + " (" + limits + ")";
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
