#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/data/idx_files.hpp"

namespace motley {
namespace {

struct Idx final : DataSpec, IdxNames {
  std::string path;

  static Fields<Idx> fields() {
    Fields<Idx> f;
    f.add({.name = "path", .doc = "the folder, relative to the scenario file"}, &Idx::path);
    const auto add_name = [&f](const char* key, const char* doc, std::string IdxNames::*member) {
      f.add({.name = key, .doc = doc, .fallback = (IdxNames().*member).c_str()}, member);
    };
    add_name("train_images", "name of the file of training images, plain or with .gz after it",
             &IdxNames::train_images);
    add_name("train_labels", "of the file of their labels", &IdxNames::train_labels);
    add_name("test_images", "of the file of test images", &IdxNames::test_images);
    add_name("test_labels", "of the file of their labels", &IdxNames::test_labels);
    f.include(DataSpec::fields());
    return f;
  }

  Dataset load(std::uint64_t, const Place& place) const override {
    return load_idx("IDX files of " + path, from_scenario(path, place), *this, *this, place,
                    place / "path");
  }
  std::vector<std::string> file_keys() const override {
    return {"path", "train_images", "train_labels", "test_images", "test_labels"};
  }
};

}  // namespace

DataKind idx_data() {
  return describe_kind<DataSpec, Idx>("idx", "a folder of IDX files");
}

}  // namespace motley
