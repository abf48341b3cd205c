#include "sim/core/learning/shared_datasets.hpp"

#include <zlib.h>

#include "sim/core/json.hpp"

namespace motley {
namespace {

/// A checksum and not more: it need only notice that a file has changed since.
std::string digest_of(const Dataset& data) {
  uLong sum = crc32(0, nullptr, 0);
  for (const Samples* part : {&data.train, &data.test}) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part->features.data()),
                  static_cast<z_size_t>(part->features.size()) * sizeof(float));
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part->labels.data()),
                  part->labels.size() * sizeof(part->labels[0]));
  }
  return std::to_string(data.train.size()) + "+" + std::to_string(data.test.size()) + " samples, " +
         std::to_string(data.features()) + " features, " + std::to_string(data.classes) +
         " classes, crc32 " + std::to_string(sum);
}

bool depends_on_seed(const DataSpec& spec) {
  return spec.kind == DataSpec::Kind::synthetic ||
         (spec.kind == DataSpec::Kind::csv && spec.test_path.empty());
}

}  // namespace

const SharedDatasets::Entry& SharedDatasets::get(const Json& full, const DataSpec& spec,
                                                 std::uint64_t seed, const Place& place) {
  Json key = full;
  key.erase("order");
  key.erase("partition");
  if (depends_on_seed(spec)) key["seed"] = seed;
  const auto [found, is_new] = entries_.try_emplace(key.dump());
  if (is_new) {
    try {
      found->second.data = std::make_shared<const Dataset>(load_dataset(spec, seed, place));
    } catch (...) {
      entries_.erase(found);
      throw;
    }
    found->second.digest = digest_of(*found->second.data);
  }
  return found->second;
}

}  // namespace motley
