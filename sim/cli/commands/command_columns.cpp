#include <algorithm>
#include <iomanip>
#include <iostream>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/results/tables/all_tables.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

void print(const TableInfo& table) {
  std::size_t longest = 0;
  for (const ColumnInfo& column : table.columns) longest = std::max(longest, column.name.size());
  std::cout << table.name << ".csv: " << table.rows << "\n";
  for (const ColumnInfo& column : table.columns) {
    std::cout << "  " << std::left << std::setw(static_cast<int>(longest) + 2) << column.name
              << std::setw(9) << column.unit << column.doc << "\n";
  }
}

int columns(const po::variables_map& options, const std::vector<std::string>&) {
  std::vector<TableInfo> tables = all_tables();
  if (options.count("file") > 0) {
    const std::string file = options["file"].as<std::vector<std::string>>().front();
    std::vector<std::string> names;
    for (const TableInfo& table : tables) {
      names.push_back(table.name + (file.ends_with(".csv") ? ".csv" : ""));
    }
    std::erase_if(tables, [&file](const TableInfo& table) {
      return file != table.name && file != table.name + ".csv";
    });
    if (tables.empty()) {
      throw InputError("columns: no file '" + file + "'" + did_you_mean(file, names));
    }
  }
  if (options.count("json") > 0 && options.count("markdown") > 0) {
    throw InputError("columns: choose one of --json and --markdown");
  }
  if (options.count("json") > 0) {
    std::cout << to_json(tables).dump(1) << "\n";
  } else if (options.count("markdown") > 0) {
    std::cout << to_markdown(tables);
  } else {
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (i > 0) std::cout << "\n";
      print(tables[i]);
    }
  }
  return 0;
}

}  // namespace

Command columns_command() {
  Command command;
  command.name = "columns";
  command.topic = topic_reference;
  command.summary = "explain every column of the CSV files of a results folder";
  command.usage = "motley columns [FILE] [options]";
  command.example = "motley columns summary.csv";
  command.positional = "file";
  po::options_description format("Format");
  format.add_options()("json", "for programs")("markdown", "for documents");
  command.groups.push_back(format);
  command.execute = columns;
  return command;
}

}  // namespace motley
