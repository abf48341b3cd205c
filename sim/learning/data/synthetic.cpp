#include <cmath>
#include <limits>
#include <sstream>

#include <boost/random/normal_distribution.hpp>

#include "sim/base/machine_memory.hpp"
#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/learning/data/random_order.hpp"

namespace motley {
namespace {

/// Classes that are isotropic Gaussian clouds of unit variance. Their centres lie in random
/// directions at separation/sqrt(2) from the origin, so two of them are about `separation` apart
/// when there are many features (with few, random directions are far from orthogonal).
///
/// Sample i depends on these, the seed, i and whether it is for training or testing, not on how many
/// there are: a larger count appends samples. Every run of `classes` samples from the start holds
/// each class once.
struct Synthetic final : DataSpec {
  std::size_t features = 0;
  std::size_t classes = 0;
  std::optional<std::vector<std::size_t>> shape;
  double separation = 0;  ///< distance of class centres in standard deviations

  static Fields<Synthetic> fields() {
    Fields<Synthetic> f;
    f.add(
        {.name = "features", .doc = "how many features a sample has", .fallback = 20, .minimum = 1},
        &Synthetic::features);
    f.add({.name = "shape",
           .doc = "channels, height and width when the features are to be taken as an image, as "
                  "convolutions need it; their product is features",
           .minimum = 1,
           .maximum = 1e6},
          &Synthetic::shape);
    f.add({.name = "classes",
           .doc = "how many classes there are",
           .fallback = 10,
           .minimum = 2,
           .maximum = 65535},
          &Synthetic::classes);
    f.add({.name = "separation",
           .doc = "distance between class centres, in standard deviations of a class",
           .fallback = 4.0,
           .minimum = 0},
          &Synthetic::separation);
    f.include(DataSpec::fields());
    return f;
  }

  void check(const Place& place) const {
    if (!shape) return;
    if (shape->size() != 3) {
      throw InputError(place / "shape", "must list channels, height and width: three numbers");
    }
    if ((*shape)[0] * (*shape)[1] * (*shape)[2] != features) {
      throw InputError(place / "shape", "must have the product " + std::to_string(features) +
                                            ", which is the number of \"features\"");
    }
  }
  Dataset load(std::uint64_t seed, const Place& place) const override;
  bool depends_on_seed() const override { return true; }
};

/// What the ranks of the streams stand for; the substreams number classes, blocks and samples.
enum Rank : std::uint32_t { centres = 0, train_labels, train_noise, test_labels, test_noise };

RandomStream stream(std::uint64_t seed, Rank rank, std::size_t substream) {
  return {seed, Purpose::synthetic_data, rank, static_cast<std::uint32_t>(substream)};
}

Eigen::VectorXd gaussian(std::size_t size, RandomStream random) {
  boost::random::normal_distribution<double> normal;
  Eigen::VectorXd vector(static_cast<Eigen::Index>(size));
  for (double& x : vector) x = normal(random);
  return vector;
}

double length(const Eigen::VectorXd& vector) {
  // Not Eigen's norm(): its order of summation depends on the vector width of the machine.
  double sum = 0;
  for (const double x : vector) sum += x * x;
  return std::sqrt(sum);
}

Eigen::MatrixXd class_centres(const Synthetic& law, std::uint64_t seed) {
  Eigen::MatrixXd centre(law.features, law.classes);
  for (std::size_t c = 0; c < law.classes; ++c) {
    const Eigen::VectorXd direction = gaussian(law.features, stream(seed, centres, c));
    centre.col(static_cast<Eigen::Index>(c)) =
        direction * (law.separation / std::sqrt(2.0) / length(direction));
  }
  return centre;
}

Samples draw(const Synthetic& law, const Eigen::MatrixXd& centre, std::size_t count,
             std::uint64_t seed, Rank labels, Rank noise) {
  Samples samples;
  samples.labels.reserve(count);
  samples.features.resize(static_cast<Eigen::Index>(law.features),
                          static_cast<Eigen::Index>(count));
  std::vector<Sample> block;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % law.classes == 0)
      block = random_order(law.classes, stream(seed, labels, i / law.classes));
    const Sample label = block[i % law.classes];
    samples.labels.push_back(static_cast<std::uint16_t>(label));
    samples.features.col(static_cast<Eigen::Index>(i)) =
        (centre.col(label) + gaussian(law.features, stream(seed, noise, i))).cast<float>();
  }
  return samples;
}

Dataset Synthetic::load(std::uint64_t seed, const Place& place) const {
  constexpr std::size_t as_many_as_wanted = std::numeric_limits<Sample>::max();
  const std::size_t train_count = used(train.value_or(10000), as_many_as_wanted, place / "train");
  const std::size_t test_count = used(test.value_or(2000), as_many_as_wanted, place / "test");
  const double samples = static_cast<double>(train_count) + static_cast<double>(test_count);
  check_fits_memory(sizeof(float) * samples * static_cast<double>(features) +
                        sizeof(double) * static_cast<double>(features * classes),
                    "this much data", place);
  const Eigen::MatrixXd centre = class_centres(*this, seed);
  Dataset data;
  data.classes = classes;
  if (shape) data.shape = {(*shape)[0], (*shape)[1], (*shape)[2]};
  data.train = draw(*this, centre, train_count, seed, train_labels, train_noise);
  data.test = draw(*this, centre, test_count, seed, test_labels, test_noise);
  std::ostringstream what;
  what << "synthetic, " << classes << " Gaussian classes of " << features << " features, "
       << separation << " standard deviations apart";
  data.description = described(what.str(), data, train_count, test_count);
  return data;
}

}  // namespace

DataKind synthetic_data() {
  return describe_kind<DataSpec, Synthetic>("synthetic", "Gaussian classes made from the seed");
}

}  // namespace motley
