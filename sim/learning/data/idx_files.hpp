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

/// One part of a data set in the IDX format of MNIST and its kin: a file of images and one of labels,
/// plain or with ".gz". All of the labels are read at once, the images only as far as asked.
class IdxPart {
 public:
  /// Paths without ".gz". Throws InputError at `place` when the files are missing or do not fit
  /// together.
  IdxPart(const std::filesystem::path& images, const std::filesystem::path& labels,
          const Place& place);

  std::size_t size() const { return labels_.size(); }
  const ImageShape& shape() const { return shape_; }
  /// One more than the largest label of the whole part, so that it does not vary with the subset
  /// used.
  std::size_t classes() const;

  /// The first `count` samples (at most size()), pixels scaled to [0, 1].
  Samples first(std::size_t count) const;

 private:
  std::filesystem::path images_file_;
  Place place_;
  ImageShape shape_;
  std::vector<std::uint16_t> labels_;
};

/// Whether all four files are there, plain or gzipped.
bool has_idx_files(const std::filesystem::path& folder, const IdxNames& names = {});

/// Both parts, as many samples of each as `spec` asks for. `path_place` is that of what named the
/// folder.
Dataset load_idx(const std::string& name, const std::filesystem::path& folder,
                 const IdxNames& names, const DataSpec& spec, const Place& place,
                 const Place& path_place);

}  // namespace motley
