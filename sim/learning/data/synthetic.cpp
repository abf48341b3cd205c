#include "sim/learning/data/synthetic.hpp"

#include <cmath>

#include <boost/random/normal_distribution.hpp>

namespace motley {
namespace {

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

Eigen::MatrixXd class_centres(const GaussianClasses& law, std::uint64_t seed) {
  Eigen::MatrixXd centre(law.features, law.classes);
  for (std::size_t c = 0; c < law.classes; ++c) {
    const Eigen::VectorXd direction = gaussian(law.features, stream(seed, centres, c));
    centre.col(static_cast<Eigen::Index>(c)) =
        direction * (law.separation / std::sqrt(2.0) / length(direction));
  }
  return centre;
}

Samples draw(const GaussianClasses& law, const Eigen::MatrixXd& centre, std::size_t count,
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

}  // namespace

Dataset make_synthetic(const GaussianClasses& law, std::size_t train, std::size_t test,
                       std::uint64_t seed, const Place& place) {
  if (law.features == 0) throw InputError(place / "features", "must be at least 1", law.features);
  if (law.classes == 0 || law.classes > 65536)
    throw InputError(place / "classes", "must be from 1 to 65536", law.classes);
  const Eigen::MatrixXd centre = class_centres(law, seed);
  Dataset data;
  data.classes = law.classes;
  data.train = draw(law, centre, train, seed, train_labels, train_noise);
  data.test = draw(law, centre, test, seed, test_labels, test_noise);
  return data;
}

}  // namespace motley
