#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/data/idx_files.hpp"

namespace motley {
namespace {

struct Idx final : DataSpec {
  std::string path;

  static Fields<Idx> fields() {
    Fields<Idx> f;
    f.add({.name = "path", .doc = "the folder, relative to the scenario file"}, &Idx::path);
    f.include(DataSpec::fields());
    return f;
  }

  Dataset load(std::uint64_t, const Place& place) const override {
    return load_idx("IDX files of " + path, from_scenario(path, place), *this, place,
                    place / "path");
  }
  std::vector<std::string> file_keys() const override { return {"path"}; }
};

}  // namespace

DataKind idx_data() {
  return describe_kind<DataSpec, Idx>("idx", "a folder of IDX files");
}

}  // namespace motley
