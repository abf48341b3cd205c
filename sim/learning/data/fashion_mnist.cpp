#include <cstdlib>

#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/data/idx_files.hpp"

namespace motley {
namespace {

/// Debian's files, or those of the folder that MOTLEY_FASHION_MNIST names.
struct FashionMnist final : DataSpec {
  static Fields<FashionMnist> fields() {
    return Fields<FashionMnist>().include(DataSpec::fields());
  }

  Dataset load(std::uint64_t, const Place& place) const override {
    const char* elsewhere = std::getenv("MOTLEY_FASHION_MNIST");
    const std::filesystem::path folder =
        elsewhere ? elsewhere : "/usr/share/datasets/fashion-mnist";
    if (!has_idx_files(folder))
      throw InputError(place,
                       "Fashion-MNIST is not installed: apt-get install dataset-fashion-mnist "
                       "(looked in " +
                           folder.string() + ")");
    return load_idx("Fashion-MNIST", folder, {}, *this, place, place);
  }
};

}  // namespace

DataKind fashion_mnist_data() {
  return describe_kind<DataSpec, FashionMnist>("fashion_mnist", "Debian's files");
}

}  // namespace motley
