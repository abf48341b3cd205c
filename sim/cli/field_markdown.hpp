#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "sim/scenario/fields.hpp"

/// The tables of docs/, printed from the same field descriptions that read the scenario.
namespace motley {

/// Keys in a table: name, default, meaning. Objects among them refer to a section of their own name.
void print_field_table(std::ostream& out, const std::vector<FieldInfo>& fields);

/// A section for every object inside `fields`, at any depth, each kind of object once: where it
/// stands, and its table.
void print_object_sections(std::ostream& out, const std::vector<FieldInfo>& fields);

/// Text for a cell of a table.
std::string table_cell(const std::string& text);

}  // namespace motley
