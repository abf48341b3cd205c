#include "sim/learning/data/idx_files.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <system_error>
#include <type_traits>
#include <zlib.h>

#include "sim/base/format.hpp"
#include "sim/base/machine_memory.hpp"
#include "sim/base/regular_file.hpp"
#include "sim/learning/data/dataset.hpp"

namespace motley {
namespace {

namespace fs = std::filesystem;

/// The plain file if it is there, else the gzipped one, else an empty path.
fs::path plain_or_gzipped(const fs::path& plain) {
  for (const char* ending : {"", ".gz"}) {
    fs::path file = plain;
    file += ending;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) return file;
  }
  return {};
}

NamedFile existing(const NamedFile& plain) {
  const fs::path file = plain_or_gzipped(plain.path);
  if (!file.empty()) return {file, plain.place};
  std::error_code ignored;
  throw InputError(plain.place,
                   plain.path.string() + ": " +
                       (fs::exists(plain.path, ignored) ? why_not_regular(plain.path)
                                                        : "no such file, neither plain nor .gz"));
}

std::string hex(std::uint32_t number) {
  std::array<char, 11> text{};
  std::snprintf(text.data(), text.size(), "0x%08x", number);
  return text.data();
}

/// An open IDX file of unsigned bytes, read from front to back.
class IdxFile {
 public:
  IdxFile(const NamedFile& file, unsigned dimensions)
      : name_(file.path.string()), place_(file.place), gz_(gzopen(file.path.c_str(), "rb")) {
    if (!gz_) fail("cannot be opened");
    gzbuffer(gz_.get(), 1U << 17);  // the default of 8 KiB costs some speed
    const std::uint32_t magic = header_number();
    const std::uint32_t expected = 0x0800 + dimensions;
    if (magic != expected)
      fail("must start with the IDX magic number " + hex(expected) + ", got " + hex(magic));
    for (unsigned i = 0; i < dimensions; ++i) sizes_.push_back(header_number());
  }

  /// The first is the number of items.
  const std::vector<std::size_t>& sizes() const { return sizes_; }

  /// How many of `bytes` there were.
  std::size_t read(unsigned char* to, std::size_t bytes) {
    constexpr std::size_t most_at_once = 1U << 30;  // zlib counts in int
    std::size_t done = 0;
    while (done < bytes) {
      const auto ask = static_cast<unsigned>(std::min(bytes - done, most_at_once));
      const int got = gzread(gz_.get(), to + done, ask);
      if (got < 0) fail("is damaged: it cannot be unpacked");
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  /// To be called after the last item: reads on to a gzipped file's checksum, which must be right.
  void check_end() {
    unsigned char more = 0;
    read(&more, 1);
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(place_, name_ + ": " + why);
  }

 private:
  std::uint32_t header_number() {
    std::array<unsigned char, 4> bytes{};
    if (read(bytes.data(), bytes.size()) < bytes.size()) fail("ends inside its header");
    std::uint32_t number = 0;
    for (const unsigned char byte : bytes) number = number << 8 | byte;
    return number;
  }

  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };

  std::string name_;
  Place place_;
  std::unique_ptr<std::remove_pointer_t<gzFile>, Close> gz_;
  std::vector<std::size_t> sizes_;
};

[[noreturn]] void fail_cut_short(const IdxFile& file, std::size_t there, const char* items) {
  file.fail("ends after " + std::to_string(there) + " of its " + std::to_string(file.sizes()[0]) +
            " " + items);
}

/// Refuses a size that a file so short cannot have, before memory is asked for it: gzip packs at
/// most 1032 bytes into one.
void check_believable(const IdxFile& idx, const fs::path& file, std::size_t items,
                      std::size_t item_bytes) {
  const double announced = static_cast<double>(items) * static_cast<double>(item_bytes);
  if (announced > 1032.0 * static_cast<double>(fs::file_size(file)))
    idx.fail("is too short for the " + counted(items, "item") + " its header announces");
}

/// Four bytes at the end of a gzipped file: the size of what it holds, modulo 2^32, lowest byte
/// first.
std::uint32_t size_at_the_end(std::ifstream& file) {
  std::array<char, 4> bytes{};
  file.seekg(-4, std::ios::end);
  file.read(bytes.data(), bytes.size());
  std::uint32_t size = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    size = size << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return size;
}

/// Sees bytes after the items, and a cut end, without reading all of them. What a plain file lacks
/// is told when it is read.
void check_length(const IdxFile& idx, const fs::path& file, std::size_t items,
                  std::size_t item_bytes) {
  const std::uint64_t announced = 4 * (1 + idx.sizes().size()) + items * item_bytes;
  std::ifstream in(file, std::ios::binary);
  const bool gzipped = in.get() == 0x1f && in.get() == 0x8b;
  if (gzipped && size_at_the_end(in) != (announced & 0xFFFFFFFFU))
    idx.fail("does not end as a gzipped file of " + counted(items, "item") +
             " must: it is cut short, or bytes follow (if neither, unpack it and pack it "
             "again with gzip)");
  const std::uint64_t there = fs::file_size(file);
  if (!gzipped && there > announced)
    idx.fail("has " + counted(there - announced, "byte") + " after its " + counted(items, "item"));
}

/// "28 x 28".
std::string size_of(const ImageShape& shape) {
  return std::to_string(shape.height) + " x " + std::to_string(shape.width);
}

std::vector<std::uint16_t> read_labels(const NamedFile& file) {
  IdxFile idx(file, 1);
  const std::size_t count = idx.sizes()[0];
  check_believable(idx, file.path, count, 1);
  std::vector<unsigned char> bytes(count);
  const std::size_t there = idx.read(bytes.data(), count);
  if (there < count) fail_cut_short(idx, there, "labels");
  check_length(idx, file.path, count, 1);
  idx.check_end();
  return {bytes.begin(), bytes.end()};
}

}  // namespace

IdxPart::IdxPart(const NamedFile& images_name, const NamedFile& labels_name)
    : images_(existing(images_name)) {
  const NamedFile labels_file = existing(labels_name);
  const IdxFile images(images_, 3);
  const std::size_t count = images.sizes()[0];
  const std::size_t rows = images.sizes()[1];
  const std::size_t columns = images.sizes()[2];
  if (count == 0) images.fail("has no images");
  if (rows == 0 || columns == 0)
    images.fail("has images of " + size_of({1, rows, columns}) + " pixels");
  shape_ = {1, rows, columns};
  check_believable(images, images_.path, count, shape_.size());
  check_length(images, images_.path, count, shape_.size());
  labels_ = read_labels(labels_file);
  if (labels_.size() != count)
    throw InputError(labels_file.place, labels_file.path.string() + ": has " +
                                            std::to_string(labels_.size()) + " labels for the " +
                                            std::to_string(count) + " images of " +
                                            images_.path.filename().string());
}

std::size_t IdxPart::classes() const {
  return std::size_t{*std::max_element(labels_.begin(), labels_.end())} + 1;
}

Samples IdxPart::first(std::size_t count) const {
  IdxFile idx(images_, 3);
  const std::size_t features = shape_.size();
  Samples samples;
  samples.labels.assign(labels_.begin(), labels_.begin() + static_cast<std::ptrdiff_t>(count));
  check_fits_memory(sizeof(float) * static_cast<double>(features) * static_cast<double>(count),
                    images_.path.string(), images_.place);
  samples.features.resize(static_cast<Eigen::Index>(features), static_cast<Eigen::Index>(count));
  // Through a buffer that stays in the cache: the pixels pass the memory once, as floats.
  const std::size_t images_at_once = std::max<std::size_t>(1, (1U << 17) / features);
  std::vector<unsigned char> pixels(images_at_once * features);
  float* to = samples.features.data();
  for (std::size_t done = 0; done < count; done += images_at_once) {
    const std::size_t bytes = std::min(images_at_once, count - done) * features;
    const std::size_t there = idx.read(pixels.data(), bytes);
    if (there < bytes) fail_cut_short(idx, done + there / features, "images");
    to = std::transform(pixels.begin(), pixels.begin() + static_cast<std::ptrdiff_t>(bytes), to,
                        [](unsigned char pixel) { return static_cast<float>(pixel) / 255.0F; });
  }
  if (count == labels_.size()) idx.check_end();
  return samples;
}

bool has_idx_files(const fs::path& folder, const IdxNames& names) {
  for (const std::string& name :
       {names.train_images, names.train_labels, names.test_images, names.test_labels})
    if (plain_or_gzipped(folder / name).empty()) return false;
  return true;
}

Dataset load_idx(const std::string& name, const fs::path& folder, const IdxNames& names,
                 const DataSpec& spec, const Place& place, const Place& path_place) {
  const auto named = [&](const char* key, std::string IdxNames::*file) {
    const bool is_own = names.*file != IdxNames().*file;
    return NamedFile{folder / (names.*file), is_own ? place / key : path_place};
  };
  const IdxPart train(named("train_images", &IdxNames::train_images),
                      named("train_labels", &IdxNames::train_labels));
  const IdxPart test(named("test_images", &IdxNames::test_images),
                     named("test_labels", &IdxNames::test_labels));
  if (train.shape() != test.shape())
    throw InputError(path_place, folder.string() + ": the training images have " +
                                     size_of(train.shape()) + " pixels and the test images " +
                                     size_of(test.shape()));
  const std::size_t train_used = used(spec.train, train.size(), place / "train");
  const std::size_t test_used = used(spec.test, test.size(), place / "test");
  Dataset data;
  data.classes = std::max(train.classes(), test.classes());
  data.shape = train.shape();
  data.train = train.first(train_used);
  data.test = test.first(test_used);
  data.description = described(name, data, train.size(), test.size());
  return data;
}

}  // namespace motley
