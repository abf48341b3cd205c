#pragma once

#include <filesystem>
#include <string>

#include <boost/program_options.hpp>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"

/// What commands print with --json: one document on stdout, for programs. What is told to people goes
/// to stderr.
namespace motley {

/// The option itself, in a group "Output".
boost::program_options::options_description json_option();
bool wants_json(const boost::program_options::variables_map& options);

/// Prints the document. Text in it that is not UTF-8, such as the name of a file, gets U+FFFD.
void print_json(const Json& document);

/// A CSV file of a results folder as a list of objects, one per row: numbers are numbers, an empty cell
/// is null. What the columns are called and which are numbers is said where the file is described. An
/// empty list when there is no such file.
Json table_json(const std::filesystem::path& folder, const std::string& table);

/// What is printed when a command with --json ends with an error: its text and, where the mistake is
/// inside a file, that file and the JSON pointer.
Json error_json(const std::string& message, const Place& place, int exit_code);

}  // namespace motley
