#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/learning/data/data_spec.hpp"
#include "sim/learning/data/dataset.hpp"

namespace motley {

/// The names of the four files of a data set in the IDX format, without ".gz".
struct IdxNames {
  std::string train_images = "train-images-idx3-ubyte";
  std::string train_labels = "train-labels-idx1-ubyte";
  std::string test_images = "t10k-images-idx3-ubyte";
  std::string test_labels = "t10k-labels-idx1-ubyte";
};

/// A file that a data set is made of, without ".gz", and the place of what named it.
struct NamedFile {
  std::filesystem::path path;
  Place place;
};

/// One part of a data set in the IDX format of MNIST and its kin: a file of images and one of labels,
/// plain or with ".gz". All of the labels are read at once, the images only as far as asked.
class IdxPart {
 public:
  /// Throws InputError at the file's place when one is missing or damaged, and at that of the labels
  /// when they do not fit the images.
  IdxPart(const NamedFile& images, const NamedFile& labels);

  std::size_t size() const { return labels_.size(); }
  const ImageShape& shape() const { return shape_; }
  /// One more than the largest label of the whole part, so that it does not vary with the subset
  /// used.
  std::size_t classes() const;

  /// The first `count` samples (at most size()), pixels scaled to [0, 1].
  Samples first(std::size_t count) const;

 private:
  NamedFile images_;  // as it is there, perhaps with ".gz"
  ImageShape shape_;
  std::vector<std::uint16_t> labels_;
};

/// Whether all four files are there, plain or gzipped.
bool has_idx_files(const std::filesystem::path& folder, const IdxNames& names = {});

/// Both parts, as many samples of each as `spec` asks for. `place` is that of the data section,
/// `path_place` that of what named the folder. Flaws of a file are told at the key beside it that
/// gives the file a name of its own, otherwise at `path_place`.
Dataset load_idx(const std::string& name, const std::filesystem::path& folder,
                 const IdxNames& names, const DataSpec& spec, const Place& place,
                 const Place& path_place);

}  // namespace motley
