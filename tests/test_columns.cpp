// The columns of the CSV files, described once.
#include <set>

#include "sim/base/json.hpp"
#include "sim/results/tables/all_tables.hpp"
#include "sim/results/tables/run_tables.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"

using namespace motley;
using namespace motley::tests;

TEST_CASE("every column has a name of its own and says what it is") {
  std::set<std::string> files;
  for (const TableInfo& table : all_tables()) {
    INFO(table.name);
    CHECK(files.insert(table.name).second);
    CHECK(table.rows.ends_with("."));
    std::set<std::string> names;
    for (const ColumnInfo& column : table.columns) {
      INFO(column.name);
      CHECK(names.insert(column.name).second);
      CHECK_FALSE(column.doc.empty());
      CHECK(column.doc.find_first_of("|\n") == std::string::npos);  // they would end a table's row
    }
  }
}

TEST_CASE("a column named in seconds or bytes has that unit") {
  for (const TableInfo& table : all_tables()) {
    for (const ColumnInfo& column : table.columns) {
      INFO(table.name << " " << column.name);
      const bool is_rate = column.name.ends_with("_per_s");
      if (column.name.ends_with("_s")) CHECK(column.unit == (is_rate ? "1/s" : "s"));
      const bool is_share = column.name.ends_with("_error");
      if (column.name.find("bytes") != std::string::npos) {
        CHECK(column.unit == (is_share ? "" : "B"));
      }
    }
  }
}

TEST_CASE("axes stand where the table has them, also when a value is empty") {
  RunResult run;
  run.run = "a-0";
  run.point = {"", 8};
  const std::string header = runs_table().header({"/x", "/y,z"});
  const std::string line = runs_table().line(run);
  CHECK(header.ends_with(",sync_efficiency,/x,\"/y,z\"\n"));
  CHECK(line.starts_with("a-0,,0,0,ok,0,"));
  CHECK(line.ends_with(",,,,8\n"));  // no workers: no heterogeneity; the empty value, and 8
}

TEST_CASE("motley columns explains all files or one, for people and programs") {
  const TemporaryFolder folder;
  const Outcome all = run_motley({"columns"}, folder.path());
  CHECK(all.exit_code == 0);
  for (const TableInfo& table : all_tables()) {
    CHECK(all.out.find(table.name + ".csv: ") != std::string::npos);
  }
  CHECK(run_motley({"columns", "links.csv"}, folder.path()).out.starts_with("links.csv: One row"));
  CHECK(run_motley({"columns", "--markdown", "staleness"}, folder.path()).out ==
        "### staleness.csv\n\nOne row per run, class and staleness that occurred.\n\n"
        "| column | unit | meaning |\n|---|---|---|\n"
        "| `run` |  | the run, as in runs.csv |\n"
        "| `class` |  | class of the workers |\n"
        "| `staleness` | updates | updates made between reading a model and applying its gradient "
        "|\n"
        "| `count` |  | gradients applied with this staleness |\n");
  CHECK(run_motley({"columns", "run"}, folder.path()).err ==
        "motley: columns: no file 'run' (did you mean 'runs'?)\n");
  CHECK(tests::run_motley({"columns", "sumary.csv"}, ".").err ==
        "motley: columns: no file 'sumary.csv' (did you mean 'summary.csv'?)\n");
  CHECK(run_motley({"columns", "--json", "--markdown"}, folder.path()).exit_code == 2);
}

TEST_CASE("analysis/ has the columns that the program has") {
  const TemporaryFolder folder;
  CHECK(run_motley({"columns", "--json"}, folder.path()).out ==
        read_file(std::string(MOTLEY_SOURCE_DIR) + "/analysis/pictures/columns.json"));
}
