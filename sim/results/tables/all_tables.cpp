#include "sim/results/tables/all_tables.hpp"

#include "sim/results/statistics/bands.hpp"
#include "sim/results/statistics/comparisons_file.hpp"
#include "sim/results/statistics/summary_file.hpp"
#include "sim/results/tables/compare_table.hpp"
#include "sim/results/tables/limits_table.hpp"
#include "sim/results/tables/run_tables.hpp"
#include "sim/results/tables/timings_table.hpp"
#include "sim/results/tables/tuned_table.hpp"
#include "sim/results/tables/whatif_table.hpp"
#include "sim/results/trace_files.hpp"

namespace motley {

std::vector<TableInfo> all_tables() {
  return {runs_table().info(),   summary_table().info(),   comparisons_table().info(),
          curves_table().info(), bands_table().info(),     workers_table().info(),
          links_table().info(),  staleness_table().info(), decisions_table().info(),
          events_table().info(), warnings_table().info(),  tuned_table().info(),
          whatif_table().info(), limits_table().info(),    compare_table().info(),
          timings_table().info()};
}

Json to_json(const std::vector<TableInfo>& tables) {
  Json json = Json::object();
  for (const TableInfo& table : tables) {
    Json columns = Json::array();
    for (const ColumnInfo& column : table.columns) {
      if (column.is_axes) continue;  // they are the scenario's
      columns.push_back({{"name", column.name},
                         {"kind", column.is_text ? "text" : "number"},
                         {"unit", column.unit},
                         {"doc", column.doc}});
      if (column.is_whole) columns.back()["whole"] = true;
      if (!column.only_with.empty()) columns.back()["only_with"] = column.only_with;
    }
    json[table.name] = {{"rows", table.rows}, {"columns", columns}};
  }
  return json;
}

std::string to_markdown(const std::vector<TableInfo>& tables) {
  std::string text;
  for (const TableInfo& table : tables) {
    text += (text.empty() ? "### " : "\n### ") + table.name + ".csv\n\n" + table.rows + "\n\n" +
            "| column | unit | meaning |\n|---|---|---|\n";
    for (const ColumnInfo& column : table.columns) {
      text += "| `" + column.name + "` | " + column.unit + " | " + column.doc + " |\n";
    }
  }
  return text;
}

}  // namespace motley
