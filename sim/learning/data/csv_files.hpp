#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/place.hpp"
#include "sim/learning/data/dataset.hpp"

namespace motley {

/// A labelled table as it is in the files, before a subset is taken and scaled. Not yet floats: a
/// column such as a date in seconds would lose its digits before its mean is taken away.
struct CsvData {
  struct Part {
    std::vector<double> values;  ///< row after row, without the label and the owner
    std::vector<std::uint16_t> labels;
    std::vector<std::uint32_t> owners;  ///< whose each row is; empty when nobody asks

    std::size_t size() const { return labels.size(); }
  };
  std::size_t features = 0;
  std::size_t classes = 0;
  bool has_numbers_for_labels = false;
  Part train;
  Part test;
};

/// What the columns of a table mean that are no features.
struct CsvColumns {
  std::string label;
  std::optional<std::string> owner = {};
};

/// Reads comma-separated files with a line of column names. The classes are the distinct labels of
/// both files, in numeric order if all of them are numbers and in alphabetic order otherwise; owners
/// likewise. Labels that are no classes, because they are not whole numbers or hardly any two are the
/// same, are refused. With an empty `test_file`, the rows are shuffled and the last fifth (at least
/// one) is for testing; otherwise the order is that of the files. `place` is that of the data section,
/// for InputErrors.
CsvData read_csv(const std::filesystem::path& train_file, const std::filesystem::path& test_file,
                 const CsvColumns& columns, std::uint64_t seed, const Place& place);

/// The first `train` and `test` rows; every feature is shifted and scaled to mean 0 and variance 1
/// over the training rows taken, and is 0 throughout if it is constant over them.
Dataset standardised(const CsvData& csv, std::size_t train, std::size_t test);

}  // namespace motley
