#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/learning/data/data_spec.hpp"
#include "sim/learning/data/dataset.hpp"

namespace motley {

/// How one of the CIFAR data sets is laid out in its binary files: images one after another, each as
/// its label (or labels, of which the last is the finest), then the red, the green and the blue
/// pixels, row by row.
struct CifarFormat {
  struct File {
    std::string name;
    std::size_t images = 0;
  };

  std::string name;     ///< "CIFAR-10"
  std::string kind;     ///< of data in a scenario
  std::string folder;   ///< that its archive has
  std::string archive;  ///< as it is published
  std::string package;  ///< of npm that holds the same files; empty: none is known
  std::vector<File> train;
  std::vector<File> test;
  std::size_t label_bytes = 1;
  std::size_t classes = 0;
};

const CifarFormat& cifar10_format();
const CifarFormat& cifar100_format();

/// Where its files are looked for when a scenario does not say.
std::filesystem::path usual_folder(const CifarFormat& format);

/// "data_batch_1.bin, ..., test_batch.bin".
std::string file_names(const CifarFormat& format);

/// Throws InputError at `place` unless every file is there and has the size that it must have.
void check_cifar_files(const CifarFormat& format, const std::filesystem::path& folder,
                       const Place& place);

/// As many samples of each part as `spec` asks for, the first ones in the order of the files. Every
/// channel is shifted and scaled to mean 0 and variance 1 over all pixels of the training images
/// taken, and is 0 throughout if it is constant over them. `place` is that of the data section,
/// `folder_place` that of what named the folder.
Dataset load_cifar(const CifarFormat& format, const std::filesystem::path& folder,
                   const DataSpec& spec, const Place& place, const Place& folder_place);

}  // namespace motley
