#include <cstdint>
#include <map>
#include <stdexcept>
#include <stdlib.h>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/cifar_files.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/models/catalog.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"

namespace motley {
namespace {

using tests::TemporaryFolder;

/// What each kind must be given. A new kind needs a line here.
const std::map<std::string, Json> data_sections = {
    {"fashion_mnist", Json::object()},
    {"cifar10", {{"folder", "."}, {"train", 3}, {"test", 2}}},
    {"cifar100", {{"folder", "."}, {"train", 3}, {"test", 2}}},
    {"idx", {{"path", "."}}},
    {"csv", {{"path", "d.csv"}, {"label", "class"}}},
    {"synthetic", {{"train", 30}, {"test", 10}}}};
const std::map<std::string, Json> model_sections = {{"softmax", Json::object()},
                                                    {"mlp", {{"hidden", {3}}}},
                                                    {"cnn", {{"layers", {{{"dense", 3}}}}}},
                                                    {"resnet", {{"depth", 8}}},
                                                    {"quadratic", Json::object()},
                                                    {"none", Json::object()}};

Json section_of(const std::map<std::string, Json>& sections, const std::string& kind) {
  Json section = {{"kind", kind}};
  section.update(sections.at(kind));
  return section;
}

template <class Section>
std::string complaint(const std::vector<Kind<Section>>& catalog, Json section) {
  try {
    read_by_kind(catalog, section, {"s.json", "/section"});
  } catch (const InputError& e) {
    return e.what();
  }
  return "(nothing)";
}

/// Every key of every kind, in a section of every other kind that does not take it.
template <class Section>
void check_foreign_keys(const std::vector<Kind<Section>>& catalog,
                        const std::map<std::string, Json>& sections) {
  std::size_t tried = 0;
  for (const FieldInfo& key : keys_of(catalog)) {
    for (const Kind<Section>& kind : catalog) {
      if (key.belongs_to(kind.name)) continue;
      Json section = section_of(sections, kind.name);
      section[key.name] = 1;
      std::string those;
      for (std::size_t i = 0; i < key.kinds.size(); ++i)
        those += (i == 0 ? "" : i + 1 == key.kinds.size() ? " or " : ", ") + key.kinds[i];
      CHECK(complaint(catalog, section) == "s.json: /section/" + key.name +
                                               ": has no meaning with \"kind\": \"" + kind.name +
                                               "\", only with " + those);
      ++tried;
    }
  }
  CHECK(tried > 0);
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 255U);
  return bytes;
}

/// Four samples of two classes, in every format there is.
void write_samples(const TemporaryFolder& folder) {
  folder.write("d.csv", "x,class\n0,a\n1,b\n2,a\n3,b\n");
  for (const std::string part : {"train", "t10k"}) {
    folder.write(part + "-images-idx3-ubyte",
                 big_endian(0x803) + big_endian(4) + big_endian(1) + big_endian(1) + "abcd");
    folder.write(part + "-labels-idx1-ubyte",
                 big_endian(0x801) + big_endian(4) + std::string({0, 1, 0, 1}));
  }
  // Holes that read as black images of class 0.
  for (const CifarFormat& format : {cifar10_format(), cifar100_format()}) {
    for (const auto& files : {format.train, format.test}) {
      for (const CifarFormat::File& file : files) {
        std::filesystem::resize_file(folder.write(file.name, ""),
                                     file.images * (format.label_bytes + 3072));
      }
    }
  }
}

}  // namespace

TEST_CASE("an unknown kind is refused with the most similar one and all there are") {
  CHECK(complaint(data_catalog(), {{"kind", "fashionmnist"}}) ==
        "s.json: /section/kind: must be one of fashion_mnist, cifar10, cifar100, idx, csv or "
        "synthetic (did you mean "
        "'fashion_mnist'?), got \"fashionmnist\"");
  CHECK(
      complaint(model_catalog(), {{"kind", "nlp"}}) ==
      "s.json: /section/kind: must be one of softmax, mlp, cnn, resnet, quadratic or none (did you "
      "mean 'mlp'?), got \"nlp\"");
}

TEST_CASE("a key of another kind is refused at its place, with the kinds that take it") {
  check_foreign_keys(data_catalog(), data_sections);
  check_foreign_keys(model_catalog(), model_sections);
}

TEST_CASE("every kind of data in the catalogue can be loaded") {
  const TemporaryFolder folder;
  write_samples(folder);
  setenv("MOTLEY_FASHION_MNIST", folder.path().c_str(), 1);
  const Place place{folder.file("s.json"), "/data"};
  for (const DataKind& kind : data_catalog()) {
    CAPTURE(kind.name);
    CHECK_FALSE(kind.summary.empty());
    Json section = section_of(data_sections, kind.name);
    const auto spec = read_by_kind(data_catalog(), section, place);
    const Dataset data = spec->load(1, place);
    CHECK(data.classes >= 2);
    CHECK(data.train.size() > 0);
    CHECK(data.test.size() > 0);
    CHECK(data.features() > 0);
    CHECK_FALSE(data.description.empty());
    // Keys that name files are keys of this kind.
    for (const std::string& key : spec->file_keys()) CHECK(section.contains(key));
    if (!spec->depends_on_seed()) CHECK(spec->load(2, place).train.features == data.train.features);
  }
}

TEST_CASE("every kind of model in the catalogue can be made, and is what its description says") {
  Dataset data;
  data.classes = 2;
  data.shape = {1, 4, 4};
  data.train = {Eigen::MatrixXf::Identity(16, 3), {0, 1, 0}};
  data.test = data.train;
  for (const ModelKind& kind : model_catalog()) {
    CAPTURE(kind.name);
    CHECK_FALSE(kind.summary.empty());
    Json section = section_of(model_sections, kind.name);
    const auto spec = read_by_kind(model_catalog(), section, {"s.json", "/model"});
    const bool takes_data = spec->why_no_data().empty();
    const auto problem = spec->make(takes_data ? &data : nullptr, 1);
    CHECK(problem->is_real() == spec->learns());
    CHECK(problem->has_accuracy() == spec->has_accuracy());
    CHECK(problem->train_size() == (takes_data ? 3 : section["samples"].get<std::size_t>()));
    std::size_t parameters = 0;
    for (const Layer& layer : problem->layers()) parameters += layer.size;
    CHECK(problem->dimension() == parameters);
    std::vector<float> x(problem->dimension());
    std::vector<float> g(problem->dimension(), 7.0F);
    problem->initial_model(1, x);
    const std::vector<Sample> batch = {0, 1};
    problem->gradient(x, batch, g, *problem->make_workspace());
    CHECK(g != std::vector<float>(problem->dimension(), 7.0F));
  }
}

TEST_CASE("reading a section writes its kind's defaults behind what was given") {
  Json section = {{"label", "class"}, {"kind", "csv"}, {"path", "d.csv"}};
  read_by_kind(data_catalog(), section, {"s.json", "/data"});
  CHECK(section.dump() ==
        R"({"label":"class","kind":"csv","path":"d.csv","test_path":"","order":"shuffled",)"
        R"("partition":{"kind":"iid"}})");
}

TEST_CASE("the keys of all kinds are those of single kinds, and then those that all take") {
  FieldInfo path;
  path.name = "path";
  path.type = "text";
  path.doc = "the folder";
  FieldInfo size;
  size.name = "size";
  size.type = "integer";
  size.doc = "how many";
  FieldInfo file = path;
  file.doc = "the file";
  const std::vector<FieldInfo> keys =
      keys_of({{"made", "from nothing", {size}}, {"a", "", {size, path}}, {"b", "", {file, size}}});
  REQUIRE(keys.size() == 3);
  CHECK(keys[0].name == "kind");
  CHECK(keys[0].choices == std::vector<std::string>{"made", "a", "b"});
  CHECK(keys[1].name == "path");
  CHECK(keys[1].kinds == std::vector<std::string>{"a", "b"});
  CHECK(keys[1].doc == "a: the folder; b: the file");
  CHECK(keys[2].name == "size");
  CHECK(keys[2].kinds.empty());
  CHECK(keys[2].doc == "how many");
  size.minimum = 2;
  CHECK_THROWS_AS(keys_of({{"a", "", {size}}, {"b", "", {keys[2]}}}), std::logic_error);
}

}  // namespace motley
