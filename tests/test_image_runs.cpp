/// Networks on images in whole runs of the program.
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

const std::string images = R"(/data={"kind": "synthetic", "train": 300, "test": 100, "features": 64,
  "shape": [1, 8, 8], "classes": 3, "separation": 6})";
const std::string network =
    R"(/model={"kind": "cnn", "layers": [{"conv": 4, "kernel": 3}, {"pool": 2}, {"dense": 8}]})";

std::vector<std::string> with_images(const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"--set", images, "--set", network};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string curves(const std::vector<std::string>& more) {
  const Workplace workplace;
  const Outcome outcome = workplace.run(with_images(more));
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return workplace.result("curves.csv");
}

const std::vector<std::string> augmented = {"--set", R"(/data/augment=["flip", "crop"])"};

std::vector<std::string> and_also(std::vector<std::string> words, const std::string& option,
                                  const std::string& value) {
  words.push_back(option);
  words.push_back(value);
  return words;
}

}  // namespace

TEST_CASE("a run with a network on images has the same bytes for any number of threads") {
  const std::string one = curves(and_also(augmented, "--threads", "1"));
  CHECK(curves(and_also(augmented, "--threads", "2")) == one);
  CHECK(curves(and_also(augmented, "--threads", "5")) == one);
}

TEST_CASE("augmenting changes what is learnt, flip and crop each in its own way") {
  const std::string plain = curves({});
  const std::string flipped = curves({"--set", R"(/data/augment=["flip"])"});
  const std::string both = curves(augmented);
  CHECK(plain != flipped);
  CHECK(flipped != both);
  CHECK(curves({"--set", "/data/augment=[]"}) == plain);
}

TEST_CASE("every algorithm meets the same varied images: with one worker async is sync") {
  const Workplace workplace;
  const Outcome outcome = workplace.run(with_images(and_also(
      augmented, "--set", R"(/cluster/workers=[{"name": "only", "count": 1, "speed": "1Gf"}])")));
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  std::map<std::string, std::vector<std::string>> losses;
  for (const auto& row : rows_of(workplace.result("curves.csv"))) {
    losses[row.at("run")].push_back(row.at("test_loss"));
  }
  REQUIRE(losses["sync-0"].size() > 1);
  CHECK(losses["sync-0"] == losses["async-0"]);
}

TEST_CASE("images are augmented only for models that take images") {
  const Workplace workplace;
  const Outcome outcome = workplace.run_with(R"(/data/augment=["flip"])");
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err ==
        "motley: s.json: /data/augment: the softmax model knows no images: remove this key, or "
        "choose cnn or resnet\n");
}

TEST_CASE("a way to augment that is named twice is refused") {
  const Workplace workplace;
  const Outcome outcome =
      workplace.run(with_images({"--set", R"(/data/augment=["flip", "crop", "flip"])"}));
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.err ==
        "motley: s.json: /data/augment/2: is named twice, and happens once: remove one, got "
        "\"flip\"\n");
}

TEST_CASE("a network on data without a shape is refused with what to do") {
  const Workplace workplace;
  const Outcome outcome = workplace.run_with(network);
  CHECK(outcome.exit_code == 2);
  CHECK(contains(outcome.err,
                 "s.json: /model/kind: needs images, and this data has 5 features "
                 "without a shape: choose mlp or softmax"));
  CHECK_FALSE(workplace.has("out"));
}

TEST_CASE("provenance tells what computes convolutions") {
  const Workplace workplace;
  REQUIRE(workplace.run().exit_code == 0);
  CHECK(contains(workplace.result("provenance.json"), "\"convolutions\": \""));
}

}  // namespace motley
