#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/csv_files.hpp"
#include "sim/learning/data/dataset.hpp"

namespace motley {
namespace {

struct Csv final : DataSpec {
  std::string path;
  std::string test_path;  ///< empty: a share of the training file
  std::string label;      ///< name of the label column

  static Fields<Csv> fields() {
    Fields<Csv> f;
    f.add({.name = "path", .doc = "the training file, relative to the scenario file"}, &Csv::path);
    f.add({.name = "test_path",
           .doc = "the test file; when empty, a random fifth of the training file is the test set",
           .fallback = ""},
          &Csv::test_path);
    f.add({.name = "label", .doc = "name of the column that holds the label"}, &Csv::label);
    f.include(DataSpec::fields());
    return f;
  }

  Dataset load(std::uint64_t seed, const Place& place) const override {
    const std::filesystem::path test_file =
        test_path.empty() ? std::filesystem::path() : from_scenario(test_path, place);
    CsvColumns columns{label};
    if (partition.kind == PartitionSpec::Kind::by_column) columns.owner = partition.column;
    const CsvData csv = read_csv(from_scenario(path, place), test_file, columns, seed, place);
    const std::size_t train_used = used(train, csv.train.size(), place / "train");
    const std::size_t test_used = used(test, csv.test.size(), place / "test");
    Dataset data = standardised(csv, train_used, test_used);
    data.description = described(path, data, csv.train.size(), csv.test.size());
    return data;
  }
  /// Which rows are set aside for testing.
  bool depends_on_seed() const override { return test_path.empty(); }
  std::vector<std::string> file_keys() const override { return {"path", "test_path"}; }
};

}  // namespace

DataKind csv_data() {
  return describe_kind<DataSpec, Csv>("csv", "a table with a line of column names");
}

}  // namespace motley
