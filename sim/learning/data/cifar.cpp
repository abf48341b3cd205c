#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/cifar_files.hpp"

namespace motley {
namespace {

/// The binary files of one of the two.
template <const CifarFormat& (*format)()>
struct Cifar final : DataSpec {
  std::optional<std::string> folder;

  static Fields<Cifar> fields() {
    Fields<Cifar> f;
    f.add({.name = "folder",
           .doc = "where its binary files are, relative to the scenario file; when absent, where "
                  "motley data puts them"},
          &Cifar::folder);
    f.include(DataSpec::fields());
    return f;
  }

  Dataset load(std::uint64_t, const Place& place) const override {
    return load_cifar(format(), folder ? from_scenario(*folder, place) : usual_folder(format()),
                      *this, place, folder ? place / "folder" : place);
  }
  std::vector<std::string> file_keys() const override { return {"folder"}; }
};

}  // namespace

DataKind cifar10_data() {
  return describe_kind<DataSpec, Cifar<cifar10_format>>("cifar10", "its binary batches");
}

DataKind cifar100_data() {
  return describe_kind<DataSpec, Cifar<cifar100_format>>("cifar100",
                                                         "its binary files, the 100 fine labels");
}

}  // namespace motley
