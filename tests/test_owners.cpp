#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/data/shared_datasets.hpp"
#include "tests/catch.hpp"
#include "tests/small_scenario.hpp"

/// Data whose rows belong to somebody, and what validate tells of who gets what.
namespace motley {
namespace {

Json by_user() {
  return {{"kind", "csv"},
          {"path", "train.csv"},
          {"test_path", "test.csv"},
          {"label", "kind"},
          {"partition", {{"kind", "by_column"}, {"column", "user"}}}};
}

void write_tables(const TemporaryFolder& folder) {
  // Users 2, 9 and 10, in this order because all are numbers.
  folder.write("train.csv", "user,x,kind\n10,1,a\n2,2,b\n9,3,a\n2,4,a\n10,5,b\n9,6,a\n2,7,b\n");
  folder.write("test.csv", "user,x,kind\n77,4,a\n");
}

std::unique_ptr<DataSpec> spec_of(Json spec, const TemporaryFolder& folder) {
  return read_by_kind(data_catalog(), spec, {folder.file("scenario.json"), "/data"});
}

Dataset load(const Json& spec, const TemporaryFolder& folder) {
  return spec_of(spec, folder)->load(1, {folder.file("scenario.json"), "/data"});
}

std::vector<std::vector<Sample>> parts_of(const Partition& partition, std::size_t workers) {
  std::vector<std::vector<Sample>> parts(workers);
  for (std::size_t rank = 0; rank < workers; ++rank) {
    for (std::size_t i = 0; i < partition.size(rank); ++i) {
      parts[rank].push_back(partition.at(rank, i));
    }
  }
  return parts;
}

using Parts = std::vector<std::vector<Sample>>;

}  // namespace

TEST_CASE("rows are their user's, and the user is no feature") {
  const TemporaryFolder folder;
  write_tables(folder);
  const Dataset data = load(by_user(), folder);
  CHECK(data.features() == 1);
  CHECK(data.owner_count == 3);
  CHECK(data.owners == std::vector<std::uint32_t>{2, 0, 1, 0, 2, 1, 0});
  const PartitionSpec spec{PartitionSpec::Kind::by_column, 0, "user"};
  // One worker per user; with two workers users 2 and 10 share the first.
  CHECK(parts_of(Partition(spec, data.train.labels, 2, 3, 1, data.owners), 3) ==
        Parts{{1, 3, 6}, {2, 5}, {0, 4}});
  CHECK(parts_of(Partition(spec, data.train.labels, 2, 2, 1, data.owners), 2) ==
        Parts{{0, 1, 3, 4, 6}, {2, 5}});
}

TEST_CASE("users without a row among those taken are not counted") {
  const TemporaryFolder folder;
  write_tables(folder);
  Json spec = by_user();
  spec["train"] = 2;  // of users 10 and 2
  const Dataset data = load(spec, folder);
  CHECK(data.owner_count == 2);
  CHECK(data.owners == std::vector<std::uint32_t>{1, 0});
}

TEST_CASE("another column makes other data of the same file") {
  const TemporaryFolder folder;
  folder.write("train.csv", "user,site,x,kind\n1,1,1,a\n2,1,2,b\n");
  folder.write("test.csv", "user,site,x,kind\n1,1,4,a\n");
  SharedDatasets shared;
  const Place place{folder.file("scenario.json"), "/data"};
  const auto digest = [&](const char* column) {
    Json spec = by_user();
    spec["partition"]["column"] = column;
    return shared.get(spec, *spec_of(spec, folder), 1, place);
  };
  const SharedDatasets::Entry users = digest("user");
  const SharedDatasets::Entry sites = digest("site");
  CHECK(users.data->owner_count == 2);
  CHECK(sites.data->owner_count == 1);
  CHECK(users.digest != sites.digest);
}

TEST_CASE("columns that cannot say whose a row is are refused") {
  const TemporaryFolder folder;
  write_tables(folder);
  const std::string at = folder.file("scenario.json") + ": /data/partition/column: ";
  Json spec = by_user();
  spec["partition"]["column"] = "users";
  CHECK_THROWS_WITH(load(spec, folder), at + folder.file("train.csv") +
                                            " has no column 'users' (did you mean 'user'?)");
  spec["partition"]["column"] = "";
  CHECK_THROWS_WITH(load(spec, folder),
                    at + folder.file("train.csv") + " has no column '' (did you mean 'x'?)");
  spec["partition"]["column"] = "kind";
  CHECK_THROWS_WITH(load(spec, folder), at + "must be another column than the label");
  folder.write("train.csv", "user,x,kind\n,1,a\n");
  CHECK_THROWS_WITH(load(by_user(), folder),
                    folder.file("scenario.json") + ": /data/path: " + folder.file("train.csv") +
                        ", line 2, column 'user': must not be empty: it says whose the row is");
  const PartitionSpec by_column{PartitionSpec::Kind::by_column, 0, "user"};
  const Place place{"f", "/data/partition"};
  CHECK_THROWS_WITH(Partition::check(by_column, 7, 4, place, 3),
                    "f: /data/partition/column: 'user' has 3 different values in the training "
                    "samples, fewer than the 4 workers");
  CHECK_THROWS_WITH(
      Partition::check(by_column, 7, 4, place, 0),
      "f: /data/partition/kind: by_column needs data with columns: \"kind\": \"csv\"");
}

// ---- What validate tells ----

namespace {

/// The lines of validate from the data on.
std::string told(const Workplace& place, const std::string& data) {
  const Outcome outcome = place.motley({"validate", "s.json", "--set", "/data=" + data});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return outcome.out.substr(outcome.out.find("\ndata: ") + 1);
}

}  // namespace

TEST_CASE("validate tells samples, shape, classes, and what the workers get") {
  const Workplace place;
  // Three users with 9, 1 and 2 rows; batches are of 8.
  std::string rows = "user,x,y,kind\n";
  for (int i = 0; i < 9; ++i)
    rows += "ann," + std::to_string(i) + ",1," + (i < 4 ? "a" : "b") + "\n";
  rows += "bob,1,2,a\ncem,1,3,c\ncem,2,3,a\n";
  place.write("train.csv", rows);
  place.write("test.csv", "user,x,y,kind\nann,1,2,a\nann,1,2,b\n");
  const std::string begin =
      R"({"kind":"csv","path":"train.csv","test_path":"test.csv","label":"kind")";
  // a: 4 + 1 + 1, b: 5, c: 1.
  const std::string head =
      "data: 12 training and 2 test samples, 2 features, 3 classes of 1 to 6 training samples\n";
  CHECK(told(place, begin + R"(,"partition":{"kind":"by_column","column":"user"}})") ==
        head +
            "partition: 1 to 9 samples per worker, median 2, with 1 to 2 of the 3 labels; the rows "
            "of 3 owners\n"
            "warning: 2 of 3 workers have fewer samples than a batch of sync takes: gpu-1 has 1, "
            "cpu-0 has 2; they learn from the same few again and again\n");
  CHECK(told(place, R"({"kind":"synthetic","train":90,"test":20,"features":5,"classes":3})") ==
        "data: 90 training and 20 test samples, 5 features, 3 classes of 30 training samples\n"
        "partition: every worker draws from all training samples\n");
  CHECK(told(place, R"({"kind":"synthetic","train":90,"test":20,"features":5,"classes":3,)"
                    R"("partition":{"kind":"by_label"}})") ==
        "data: 90 training and 20 test samples, 5 features, 3 classes of 30 training samples\n"
        "partition: 30 samples per worker, median 30, with 1 of the 3 labels\n");
}

TEST_CASE("validate warns of labels that may be a quantity, and of classes nobody can learn") {
  const Workplace place;
  // 21 whole numbers, two rows each, and one more that only the test has.
  std::string rows = "x,price\n";
  for (int i = 0; i < 42; ++i) rows += std::to_string(i) + "," + std::to_string(i / 2) + "\n";
  place.write("train.csv", rows);
  place.write("test.csv", "x,price\n1,0\n2,99\n");
  const std::string data =
      R"({"kind":"csv","path":"train.csv","test_path":"test.csv","label":"price"})";
  CHECK(told(place, data) ==
        "data: 42 training and 2 test samples, 1 feature, 22 classes of 0 to 2 training samples\n"
        "warning: the labels are 22 different numbers: if they are a quantity, make a few classes "
        "of it, such as ranges; only classes can be learnt\n"
        "warning: 1 of 22 classes have no training sample: no model can learn it\n"
        "partition: every worker draws from all training samples\n");
  // Batches are of 8.
  CHECK(told(place, R"({"kind":"synthetic","train":6,"test":20,"features":5,"classes":3})") ==
        "data: 6 training and 20 test samples, 5 features, 3 classes of 2 training samples\n"
        "partition: every worker draws from all training samples\n"
        "warning: a batch of sync has 8 samples, more than there are for training: some are drawn "
        "several times\n");
}

}  // namespace motley
