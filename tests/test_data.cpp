#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdlib.h>
#include <string>
#include <sys/stat.h>
#include <vector>
#include <zlib.h>

#include "sim/base/json.hpp"
#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/dataset.hpp"
#include "tests/catch.hpp"

namespace motley {
namespace {

namespace fs = std::filesystem;

/// A new folder, removed at the end of the test, with a scenario file in it that need not exist.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "motley_data_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  Place place() const { return {file("scenario.json"), "/data"}; }
  /// How messages about `key` of the data section begin.
  std::string at(const std::string& key) const {
    return file("scenario.json") + ": /data" + (key.empty() ? "" : "/" + key) + ": ";
  }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }
  void write_gz(const std::string& name, const std::string& bytes) const {
    gzFile gz = gzopen(file(name).c_str(), "wb");
    gzwrite(gz, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(gz);
  }
  std::string read(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void remove(const std::string& name) const { fs::remove(path_ / name); }

 private:
  fs::path path_;
};

class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (old_)
      setenv(name_, old_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 255U);
  return bytes;
}

/// `count` images of 2 x 3 pixels; pixel p of image i is 10 i + p.
std::string images(std::uint32_t count) {
  std::string bytes = big_endian(0x803) + big_endian(count) + big_endian(2) + big_endian(3);
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::uint32_t p = 0; p < 6; ++p) bytes += static_cast<char>(10 * i + p);
  return bytes;
}

/// Labels 0, 1, 2, 0, 1, ...
std::string labels(std::uint32_t count) {
  std::string bytes = big_endian(0x801) + big_endian(count);
  for (std::uint32_t i = 0; i < count; ++i) bytes += static_cast<char>(i % 3);
  return bytes;
}

void write_idx(const Folder& folder) {
  folder.write("train-images-idx3-ubyte", images(7));
  folder.write("train-labels-idx1-ubyte", labels(7));
  folder.write("t10k-images-idx3-ubyte", images(4));
  folder.write("t10k-labels-idx1-ubyte", labels(4));
}

// The data sections of scenarios.

Json idx_spec(const std::string& path = ".") {
  return {{"kind", "idx"}, {"path", path}};
}

Json csv_spec(const std::string& test_path = "") {
  return {{"kind", "csv"}, {"path", "train.csv"}, {"test_path", test_path}, {"label", "kind"}};
}

Json synthetic_spec() {
  return {{"kind", "synthetic"}, {"features", 20}, {"classes", 4},
          {"separation", 3},     {"train", 100},   {"test", 50}};
}

Dataset load(Json section, const Folder& folder, std::uint64_t seed = 1) {
  return read_by_kind(data_catalog(), section, folder.place())->load(seed, folder.place());
}

double squared_distance(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  double sum = 0;
  for (Eigen::Index i = 0; i < a.size(); ++i) sum += (a(i) - b(i)) * (a(i) - b(i));
  return sum;
}

using Labels = std::vector<std::uint16_t>;

}  // namespace

TEST_CASE("plain IDX files are read with pixels scaled to [0, 1]") {
  const Folder folder;
  write_idx(folder);
  const Dataset data = load(idx_spec(), folder);
  CHECK(data.classes == 3);
  CHECK(data.features() == 6);
  CHECK(data.shape == ImageShape{1, 2, 3});
  CHECK(data.train.labels == Labels{0, 1, 2, 0, 1, 2, 0});
  CHECK(data.test.labels == Labels{0, 1, 2, 0});
  REQUIRE(data.train.features.cols() == 7);
  for (int i = 0; i < 7; ++i)
    for (int p = 0; p < 6; ++p)
      CHECK(data.train.features(p, i) == static_cast<float>(10 * i + p) / 255.0F);
  CHECK(data.test.features == data.train.features.leftCols(4));
  CHECK(data.description == "IDX files of ., 7 for training, 4 for testing");
}

TEST_CASE("gzipped IDX files give the same as plain ones") {
  const Folder plain;
  write_idx(plain);
  const Folder gz;
  gz.write_gz("train-images-idx3-ubyte.gz", images(7));
  gz.write_gz("train-labels-idx1-ubyte.gz", labels(7));
  gz.write_gz("t10k-images-idx3-ubyte.gz", images(4));
  gz.write_gz("t10k-labels-idx1-ubyte.gz", labels(4));
  const Dataset a = load(idx_spec(), plain);
  const Dataset b = load(idx_spec(), gz);
  CHECK(a.train.features == b.train.features);
  CHECK(a.train.labels == b.train.labels);
  CHECK(a.test.features == b.test.features);
  CHECK(a.test.labels == b.test.labels);
}

TEST_CASE("a subset is the first samples and has the classes of the whole") {
  const Folder folder;
  write_idx(folder);
  Json spec = idx_spec();
  spec["train"] = 2;
  spec["test"] = 1;
  const Dataset data = load(spec, folder);
  CHECK(data.classes == 3);
  CHECK(data.train.labels == Labels{0, 1});
  CHECK(data.train.features.cols() == 2);
  CHECK(data.test.size() == 1);
  CHECK(data.description == "IDX files of ., 2 of 7 for training, 1 of 4 for testing");
}

TEST_CASE("an absolute path is taken as it is") {
  const Folder folder;
  write_idx(folder);
  const Folder elsewhere;
  CHECK(load(idx_spec(folder.file("")), elsewhere).train.size() == 7);
}

TEST_CASE("IDX files may have other names") {
  const Folder folder;
  folder.write("a", images(7));
  folder.write_gz("b.gz", labels(7));
  folder.write("c", images(4));
  folder.write("t10k-labels-idx1-ubyte", labels(4));
  Json spec = idx_spec();
  spec["train_images"] = "a";
  spec["train_labels"] = "b";
  spec["test_images"] = "c";
  const Dataset data = load(spec, folder);
  CHECK(data.train.labels == Labels{0, 1, 2, 0, 1, 2, 0});
  CHECK(data.test.size() == 4);
  spec["test_images"] = "d";
  CHECK_THROWS_WITH(load(spec, folder), folder.at("test_images") + folder.file("./d") +
                                            ": no such file, neither plain nor .gz");
}

TEST_CASE("flaws of an IDX file are told at the key that named it") {
  const Folder folder;
  write_idx(folder);
  folder.write("cut", images(7).substr(0, 16 + 3 * 6 + 1));
  folder.write("few", labels(6));
  folder.write_gz("none.gz", "no labels");
  const auto refusal = [&](const std::string& key, const std::string& name, const std::string& file,
                           const std::string& why) {
    Json spec = idx_spec();
    spec[key] = name;
    CHECK_THROWS_WITH(load(spec, folder), folder.at(key) + folder.file("./" + file) + ": " + why);
  };
  refusal("train_images", "cut", "cut", "ends after 3 of its 7 images");
  refusal("train_labels", "few", "few", "has 6 labels for the 7 images of train-images-idx3-ubyte");
  refusal("test_labels", "none", "none.gz",
          "must start with the IDX magic number 0x00000801, got 0x6e6f206c");
  // By its usual name a file is found by the folder alone.
  folder.remove("t10k-images-idx3-ubyte");
  Json spec = idx_spec();
  spec["train_images"] = "train-images-idx3-ubyte";
  CHECK_THROWS_WITH(load(spec, folder), folder.at("path") +
                                            folder.file("./t10k-images-idx3-ubyte") +
                                            ": no such file, neither plain nor .gz");
}

TEST_CASE("more samples than there are, or none, are refused") {
  const Folder folder;
  write_idx(folder);
  Json spec = idx_spec();
  spec["train"] = 8;
  CHECK_THROWS_WITH(load(spec, folder),
                    folder.at("train") + "must be at most 7 (all the samples there are), got 8");
  spec["train"] = 7;
  spec["test"] = 5;
  CHECK_THROWS_WITH(load(spec, folder),
                    folder.at("test") + "must be at most 4 (all the samples there are), got 5");
  spec["test"] = 0;
  CHECK_THROWS_WITH(load(spec, folder),
                    folder.at("test") + "must be a whole number of at least 1, got 0");
}

TEST_CASE("damaged IDX files are refused by name") {
  const Folder folder;
  write_idx(folder);
  const std::string folder_path =
      (fs::path(folder.file("scenario.json")).parent_path() / "sub").string();
  const auto refusal = [&](const std::string& name, const std::string& why) {
    CHECK_THROWS_WITH(load(idx_spec(folder.file("")), folder),
                      folder.at("path") + folder.file(name) + ": " + why);
  };
  const std::string train_images = "train-images-idx3-ubyte";
  const std::string train_labels = "train-labels-idx1-ubyte";

  SECTION("missing") {
    folder.remove(train_labels);
    refusal(train_labels, "no such file, neither plain nor .gz");
  }
  SECTION("a FIFO") {
    folder.remove(train_images);
    REQUIRE(mkfifo(folder.file(train_images).c_str(), 0600) == 0);
    refusal(train_images, "is a FIFO (a pipe), not a file: write what comes out of it to one");
  }
  SECTION("a missing folder") {
    CHECK_THROWS_WITH(load(idx_spec("sub"), folder),
                      folder.at("path") + folder_path +
                          "/train-images-idx3-ubyte: no such file, neither plain nor .gz");
  }
  SECTION("labels in place of images") {
    folder.write(train_images, labels(7));
    refusal(train_images, "must start with the IDX magic number 0x00000803, got 0x00000801");
  }
  SECTION("something else in place of labels") {
    folder.write(train_labels, "kind,size\n");
    refusal(train_labels, "must start with the IDX magic number 0x00000801, got 0x6b696e64");
  }
  SECTION("cut inside the header") {
    folder.write(train_images, images(7).substr(0, 10));
    refusal(train_images, "ends inside its header");
  }
  SECTION("empty") {
    folder.write(train_images, "");
    refusal(train_images, "ends inside its header");
  }
  SECTION("cut inside an image") {
    folder.write(train_images, images(7).substr(0, 16 + 3 * 6 + 1));
    refusal(train_images, "ends after 3 of its 7 images");
  }
  SECTION("cut inside the labels") {
    folder.write(train_labels, labels(7).substr(0, 8 + 5));
    refusal(train_labels, "ends after 5 of its 7 labels");
  }
  SECTION("no images") {
    folder.write(train_images, images(0));
    refusal(train_images, "has no images");
  }
  SECTION("no pixels") {
    folder.write(train_images, big_endian(0x803) + big_endian(7) + big_endian(0) + big_endian(3));
    refusal(train_images, "has images of 0 x 3 pixels");
  }
  SECTION("an absurd size") {
    folder.write(train_images, big_endian(0x803) + big_endian(0xffffffff) + big_endian(0xffffffff) +
                                   big_endian(0xffffffff));
    refusal(train_images, "is too short for the 4294967295 items its header announces");
  }
  SECTION("labels and images that do not match") {
    folder.write(train_labels, labels(6));
    refusal(train_labels, "has 6 labels for the 7 images of train-images-idx3-ubyte");
  }
  SECTION("gzip data cut short") {
    folder.write_gz("whole.gz", std::string(images(7)));
    const std::string whole = folder.read("whole.gz");
    folder.remove(train_images);
    folder.write(train_images + ".gz", whole.substr(0, whole.size() / 4));
    refusal(train_images + ".gz", "ends inside its header");
  }
  SECTION("gzip data that cannot be unpacked") {
    folder.write_gz("whole.gz", images(7));
    std::string whole = folder.read("whole.gz");
    for (std::size_t i = 10; i < whole.size(); ++i) whole[i] = '\xff';
    folder.remove(train_images);
    folder.write(train_images + ".gz", whole);
    refusal(train_images + ".gz", "is damaged: it cannot be unpacked");
  }
  SECTION("bytes after the items") {
    folder.write(train_images, images(7) + "xyz");
    refusal(train_images, "has 3 bytes after its 7 items");
    folder.write(train_images, images(7));
    folder.write(train_labels, labels(7) + "x");
    refusal(train_labels, "has 1 byte after its 7 items");
  }
  SECTION("a gzip file without its end, or with more after it") {
    const std::string ends =
        "does not end as a gzipped file of 7 items must: it is cut short, or bytes follow (if "
        "neither, unpack it and pack it again with gzip)";
    for (const std::string& name : {train_images, train_labels}) {
      const std::string content = folder.read(name);
      folder.write_gz("whole.gz", content);
      const std::string whole = folder.read("whole.gz");
      folder.remove(name);
      for (const std::string& damaged :
           {whole.substr(0, whole.size() - 8), whole.substr(0, whole.size() - 1), whole + "xyz"}) {
        folder.write(name + ".gz", damaged);
        refusal(name + ".gz", ends);
      }
      folder.remove(name + ".gz");
      folder.write(name, content);
    }
  }
  SECTION("a gzip file whose checksum is wrong") {
    for (const std::string& name : {train_images, train_labels}) {
      const std::string content = folder.read(name);
      folder.write_gz("whole.gz", content);
      std::string whole = folder.read("whole.gz");
      whole[whole.size() - 8] = static_cast<char>(~whole[whole.size() - 8]);
      folder.remove(name);
      folder.write(name + ".gz", whole);
      refusal(name + ".gz", "is damaged: it cannot be unpacked");
      folder.remove(name + ".gz");
      folder.write(name, content);
    }
  }
  SECTION("training and test images of different sizes") {
    folder.write("t10k-images-idx3-ubyte",
                 big_endian(0x803) + big_endian(1) + big_endian(1) + big_endian(1) + "x");
    folder.write("t10k-labels-idx1-ubyte", labels(1));
    CHECK_THROWS_WITH(load(idx_spec(folder.file("")), folder),
                      folder.at("path") + folder.file("") +
                          ": the training images have 2 x 3 pixels and the test images 1 x 1");
  }
}

TEST_CASE("Fashion-MNIST is looked for where the environment says") {
  const Folder folder;
  const Environment environment("MOTLEY_FASHION_MNIST", folder.file("fashion"));
  Json spec = {{"kind", "fashion_mnist"}};
  CHECK_THROWS_WITH(load(spec, folder),
                    folder.at("") +
                        "Fashion-MNIST is not installed: apt-get install dataset-fashion-mnist "
                        "(looked in " +
                        folder.file("fashion") + ")");
  write_idx(folder);
  const Environment found("MOTLEY_FASHION_MNIST", folder.file(""));
  CHECK(load(spec, folder).description == "Fashion-MNIST, 7 for training, 4 for testing");
}

TEST_CASE("the installed Fashion-MNIST has 60000 and 10000 samples of 10 classes") {
  if (!fs::exists("/usr/share/datasets/fashion-mnist")) {
    WARN("Fashion-MNIST is not installed");
    return;
  }
  const Folder folder;
  Json spec = {{"kind", "fashion_mnist"}};
  spec["train"] = 100;
  spec["test"] = 50;
  const Dataset data = load(spec, folder);
  CHECK(data.description == "Fashion-MNIST, 100 of 60000 for training, 50 of 10000 for testing");
  CHECK(data.classes == 10);
  CHECK(data.features() == 784);
  CHECK(data.shape == ImageShape{1, 28, 28});
  CHECK(data.train.labels[0] == 9);  // an ankle boot
  const auto [least, most] = std::minmax_element(
      data.train.features.data(), data.train.features.data() + data.train.features.size());
  CHECK(*least == 0.0F);
  CHECK(*most == 1.0F);
}

TEST_CASE("CSV features are standardised by the training rows") {
  const Folder folder;
  folder.write("train.csv",
               "size,kind,constant,date\n"
               "1,b,0.1,1700000001\n"
               "3,a,0.1,1700000000\n"
               "1,c,0.1,1700000000\n"
               "3,b,0.1,1700000001\n");
  folder.write("test.csv", "size,kind,constant,date\n4,d,0.7,1700000000.5\n");
  const Dataset data = load(csv_spec("test.csv"), folder);
  CHECK(data.classes == 4);
  CHECK(data.train.labels == Labels{1, 0, 2, 1});
  CHECK(data.test.labels == Labels{3});
  Eigen::MatrixXf train(3, 4);
  train << -1, 1, -1, 1, 0, 0, 0, 0, 1, -1, -1, 1;
  CHECK(data.train.features == train);
  CHECK(data.test.features == Eigen::Vector3f(2, 0, 0));
  CHECK(data.description == "train.csv, 4 for training, 1 for testing");
}

TEST_CASE("a subset of a CSV file is standardised by itself") {
  const Folder folder;
  folder.write("train.csv", "x,kind\n1,0\n3,1\n1000,0\n");
  folder.write("test.csv", "x,kind\n4,0\n5,1\n");
  Json spec = csv_spec("test.csv");
  spec["train"] = 2;
  spec["test"] = 1;
  const Dataset data = load(spec, folder);
  CHECK(data.train.features == Eigen::RowVector2f(-1, 1));
  CHECK(data.test.features(0, 0) == 2);
  CHECK(data.description == "train.csv, 2 of 3 for training, 1 of 2 for testing");
  spec["train"] = 4;
  CHECK_THROWS_WITH(load(spec, folder),
                    folder.at("train") + "must be at most 3 (all the samples there are), got 4");
}

TEST_CASE("CSV labels are in numeric order if all are numbers, else in alphabetic order") {
  const Folder folder;
  folder.write("test.csv", "x,kind\n1,9\n");
  folder.write("train.csv", "x,kind\n1,10\n2,9\n3,-1\n4,+10.0\n");
  Dataset data = load(csv_spec("test.csv"), folder);
  CHECK(data.classes == 3);
  CHECK(data.train.labels == Labels{2, 1, 0, 2});
  CHECK(data.test.labels == Labels{1});
  folder.write("train.csv", "x,kind\n1,10\n2,9\n3,a\n");
  data = load(csv_spec("test.csv"), folder);
  CHECK(data.train.labels == Labels{0, 1, 2});
}

TEST_CASE("quotes, blanks, blank lines, a byte order mark and foreign line ends do not disturb") {
  const Folder folder;
  folder.write("train.csv",
               "\xef\xbb\xbf\"x, or \"\"size\"\"\" , kind\r\n 1 , \"a, b\" \r\n\r\n\"3\",a\r\n");
  folder.write("test.csv", "\"x, or \"\"size\"\"\",kind\n2,a");
  const Dataset data = load(csv_spec("test.csv"), folder);
  CHECK(data.train.labels == Labels{1, 0});
  CHECK(data.train.features == Eigen::RowVector2f(-1, 1));
  CHECK(data.test.features(0, 0) == 0);
}

TEST_CASE("without a test file a fifth of a CSV file is set aside, by the seed") {
  const Folder folder;
  std::string text = "x,kind\n";
  for (int i = 0; i < 53; ++i) text += std::to_string(i) + "," + std::to_string(i) + "\n";
  folder.write("train.csv", text);
  const Dataset data = load(csv_spec(), folder);
  CHECK(data.train.size() == 43);
  CHECK(data.test.size() == 10);
  Labels all = data.train.labels;
  all.insert(all.end(), data.test.labels.begin(), data.test.labels.end());
  CHECK(!std::is_sorted(all.begin(), all.end()));
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == i);
  CHECK(load(csv_spec(), folder).test.labels == data.test.labels);
  CHECK(load(csv_spec(), folder, 2).test.labels != data.test.labels);
}

TEST_CASE("CSV files that cannot be used are refused with file, line and column") {
  const Folder folder;
  const std::string train = folder.file("train.csv");
  const auto refusal = [&](const std::string& text, const std::string& message) {
    folder.write("train.csv", text);
    CHECK_THROWS_WITH(load(csv_spec(), folder), message);
  };
  CHECK_THROWS_WITH(
      load(csv_spec(), folder),
      folder.at("path") + train + ": cannot be read (no such file, or no permission)");
  const std::string at = folder.at("path") + train;
  refusal("", at + ": is empty, must start with a line of column names");
  refusal("x,kind\n", at + ": must have rows below the column names");
  refusal("kind\na\n", at + ": must have a column besides 'kind'");
  refusal("x,kinds\n1,a\n",
          folder.at("label") + train + " has no column 'kind' (did you mean 'kinds'?)");
  refusal("x,y\n1,2\n", folder.at("label") + train + " has no column 'kind'");
  refusal("x,kind\n1,a\n\n2,b,3\n",
          at + ", line 4: must have 2 cells like the line of column names, got 3");
  refusal("x,kind\n1\n", at + ", line 2: must have 2 cells like the line of column names, got 1");
  refusal("x,kind\n1,a\none,b\n", at + ", line 3, column 'x': must be a number, got 'one'");
  refusal("x,kind\n,a\n", at + ", line 2, column 'x': must be a number, got ''");
  refusal("x,kind\n1e99,a\n", at + ", line 2, column 'x': must be a number, got '1e99'");
  refusal("x,kind\nnan,a\n", at + ", line 2, column 'x': must be a number, got 'nan'");
  refusal("x,kind\n1,\n", at + ", line 2, column 'kind': must not be empty");
  for (const std::string nan : {"nan", "NaN", "-nan"}) {
    refusal("x,kind\n1,a\n2," + nan + "\n",
            at + ", line 3, column 'kind': must be a class, got '" + nan + "', a missing value");
  }
  refusal("x,kind,y,kind\n1,a,2,b\n",
          folder.at("label") + train + " has more than one column 'kind'");
  refusal("x,kind\n" + std::string(1'000'000, 'z') + ",a\n",
          at + ", line 2, column 'x': must be a number, got '" + std::string(57, 'z') + "...'");
  refusal("x,kind\n\"1,a\n", at + ", line 2: a quoted cell must end in '\"' and a comma");
  refusal("x,kind\n1,a\n",
          at + ": must have at least 2 rows, some of them are set aside for testing");
}

TEST_CASE("a quantity is no class") {
  const Folder folder;
  const std::string column = folder.at("label") + "column 'kind' of " + folder.file("train.csv");
  const std::string only =
      "; only classes can be learnt, no quantities: make a few classes of it, such as ranges";
  folder.write("train.csv", "x,kind\n1,1\n2,2.5\n3,1\n");
  CHECK_THROWS_WITH(load(csv_spec(), folder),
                    column + " holds numbers that are not whole, such as 2.5" + only);
  // Among words 2.5 is a word.
  folder.write("train.csv", "x,kind\n1,a\n2,2.5\n3,a\n");
  CHECK(load(csv_spec(), folder).classes == 2);

  const auto with_labels = [&](std::size_t labels, std::size_t rows) {
    std::string text = "x,kind\n";
    for (std::size_t i = 0; i < rows; ++i) text += "1," + std::to_string(i % labels) + "\n";
    folder.write("train.csv", text);
  };
  with_labels(100, 499);
  CHECK_THROWS_WITH(
      load(csv_spec(), folder),
      column + " has 100 different labels in 499 rows, fewer than 5 rows each" + only);
  with_labels(100, 500);
  CHECK(load(csv_spec(), folder).classes == 100);
  with_labels(99, 99);
  CHECK(load(csv_spec(), folder).classes == 99);
}

TEST_CASE("data that is a device or a FIFO is refused, not waited for") {
  const Folder folder;
  const std::string fifo = folder.file("train.csv");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(load(csv_spec(), folder),
                    folder.at("path") + fifo +
                        ": is a FIFO (a pipe), not a file: write what comes out of it to one");
}

TEST_CASE("more data than the machine has memory is refused before it is made") {
  const Folder folder;
  Json spec = {{"kind", "synthetic"}};
  spec["train"] = 1'000'000'000;
  spec["test"] = 1;
  spec["features"] = 1'000'000'000;
  spec["classes"] = 2;
  // 1e9 samples of 1e9 floats of 4 bytes are 4 EB.
  CHECK_THROWS_WITH(load(spec, folder),
                    Catch::Matchers::StartsWith(
                        folder.file("scenario.json") +
                        ": /data: this much data needs about 4.0 EB of memory, more than the "));
}

TEST_CASE("a CSV test file must have the columns of the training file") {
  const Folder folder;
  folder.write("train.csv", "x,kind,y\n1,a,2\n");
  const std::string begin = folder.at("test_path") + folder.file("test.csv") +
                            ": must have the columns of " + folder.file("train.csv") + ": ";
  folder.write("test.csv", "x,kind,z\n1,a,2\n");
  CHECK_THROWS_WITH(load(csv_spec("test.csv"), folder), begin + "column 3 is 'z', there 'y'");
  folder.write("test.csv", "x,kind\n1,a\n");
  CHECK_THROWS_WITH(load(csv_spec("test.csv"), folder), begin + "column 3 is missing, there 'y'");
  folder.remove("test.csv");
  CHECK_THROWS_WITH(load(csv_spec("test.csv"), folder),
                    folder.at("test_path") + folder.file("test.csv") +
                        ": cannot be read (no such file, or no permission)");
}

TEST_CASE("more labels than classes can be told apart are refused") {
  const Folder folder;
  std::string text = "x,kind\n";
  for (int i = 0; i < 65537; ++i) text += "1," + std::to_string(i) + "\n";
  folder.write("train.csv", text);
  CHECK_THROWS_WITH(load(csv_spec(), folder),
                    folder.at("label") + "column 'kind' of " + folder.file("train.csv") +
                        " has 65537 different labels, must have at most 65536");
}

TEST_CASE("synthetic data repeats itself, depends on the seed and has defaults") {
  const Folder folder;
  const Dataset data = load(synthetic_spec(), folder);
  CHECK(data.classes == 4);
  CHECK(data.features() == 20);
  CHECK_FALSE(data.shape);
  CHECK(data.description ==
        "synthetic, 4 Gaussian classes of 20 features, 3 standard deviations apart, 100 for "
        "training, 50 for testing");
  const Dataset again = load(synthetic_spec(), folder);
  CHECK(again.train.features == data.train.features);
  CHECK(again.train.labels == data.train.labels);
  CHECK(load(synthetic_spec(), folder, 2).train.features != data.train.features);
  CHECK(data.test.features != data.train.features.leftCols(50));

  Json spec = synthetic_spec();
  spec.erase("train");
  spec.erase("test");
  const Dataset whole = load(spec, folder);
  CHECK(whole.train.size() == 10000);
  CHECK(whole.test.size() == 2000);
}

TEST_CASE("synthetic features may be taken as images, and are the same numbers") {
  const Folder folder;
  Json spec = synthetic_spec();
  spec["shape"] = {1, 4, 5};
  const Dataset data = load(spec, folder);
  CHECK(data.shape == ImageShape{1, 4, 5});
  CHECK(data.train.features == load(synthetic_spec(), folder).train.features);
  spec["shape"] = {1, 5};
  CHECK_THROWS_WITH(load(spec, folder),
                    folder.at("shape") + "must list channels, height and width: three numbers");
  spec["shape"] = {2, 4, 5};
  CHECK_THROWS_WITH(load(spec, folder), folder.at("shape") +
                                            "must have the product 20, which is the number of "
                                            "\"features\"");
}

TEST_CASE("more synthetic samples leave the first as they were") {
  const Folder folder;
  const Dataset few = load(synthetic_spec(), folder);
  Json spec = synthetic_spec();
  spec["train"] = 333;
  spec["test"] = 51;
  const Dataset many = load(spec, folder);
  CHECK(many.train.features.leftCols(100) == few.train.features);
  CHECK(Labels(many.train.labels.begin(), many.train.labels.begin() + 100) == few.train.labels);
  CHECK(many.test.features.leftCols(50) == few.test.features);
  CHECK(Labels(many.test.labels.begin(), many.test.labels.begin() + 50) == few.test.labels);
}

TEST_CASE("synthetic classes are balanced, of unit variance and as far apart as asked") {
  const Folder folder;
  Json spec = synthetic_spec();
  spec["features"] = 400;
  spec["separation"] = 5;
  spec["train"] = 4000;
  const Dataset data = load(spec, folder);
  Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(400, 4);
  for (Eigen::Index i = 0; i < 4000; ++i)
    mean.col(data.train.labels[static_cast<std::size_t>(i)]) +=
        data.train.features.col(i).cast<double>() / 1000;
  double square = 0;
  for (Eigen::Index i = 0; i < 4000; ++i)
    square += squared_distance(data.train.features.col(i).cast<double>(),
                               mean.col(data.train.labels[static_cast<std::size_t>(i)]));
  CHECK(square / (4000 * 400) == Approx(1).margin(0.01));
  for (int a = 0; a < 4; ++a) {
    CHECK(std::count(data.train.labels.begin(), data.train.labels.end(), a) == 1000);
    for (int b = 0; b < a; ++b)
      CHECK(std::sqrt(squared_distance(mean.col(a), mean.col(b))) == Approx(5).epsilon(0.1));
  }
  CHECK(Labels(data.train.labels.begin(), data.train.labels.begin() + 40) !=
        Labels(data.train.labels.begin() + 40, data.train.labels.begin() + 80));
}

TEST_CASE("synthetic data without features or with too many classes is refused") {
  const Folder folder;
  Json spec = synthetic_spec();
  spec["features"] = 0;
  CHECK_THROWS_WITH(load(spec, folder),
                    folder.at("features") + "must be a whole number of at least 1, got 0");
  spec = synthetic_spec();
  spec["classes"] = 65537;
  CHECK_THROWS_WITH(load(spec, folder),
                    folder.at("classes") + "must be a whole number from 2 to 65535, got 65537");
}

}  // namespace motley
