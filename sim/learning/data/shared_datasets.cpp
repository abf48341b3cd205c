#include "sim/learning/data/shared_datasets.hpp"

#include <fstream>
#include <iterator>
#include <zlib.h>

#include "sim/base/json.hpp"
#include "sim/learning/data/dataset.hpp"

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
  if (!data.owners.empty()) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(data.owners.data()),
                  data.owners.size() * sizeof(data.owners[0]));
  }
  return std::to_string(data.train.size()) + "+" + std::to_string(data.test.size()) + " samples, " +
         std::to_string(data.features()) + " features, " + std::to_string(data.classes) +
         " classes, crc32 " + std::to_string(sum);
}

std::string digest_of_files(const Json& full, const DataSpec& spec, const Place& place) {
  std::string digest;
  for (const std::string& key : spec.file_keys()) {
    const std::string path = full.value(key, "");
    if (path.empty()) continue;
    std::ifstream in(from_scenario(path, place), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const uLong sum =
        crc32_z(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    digest += (digest.empty() ? "" : ", ") + key + " of " + std::to_string(bytes.size()) +
              " bytes, crc32 " + std::to_string(sum);
  }
  return digest;
}

std::size_t bytes_of(const Dataset& data) {
  std::size_t bytes = 0;
  for (const Samples* part : {&data.train, &data.test}) {
    bytes += static_cast<std::size_t>(part->features.size()) * sizeof(float) +
             part->labels.size() * sizeof(part->labels[0]);
  }
  return bytes;
}

}  // namespace

SharedDatasets::Entry SharedDatasets::get(const Json& full, const DataSpec& spec,
                                          std::uint64_t seed, const Place& place) {
  Json key = full;
  key.erase("order");
  key.erase("augment");
  // Samples are the same however they are dealt out, unless a column of theirs says whose they are.
  if (spec.partition.kind != PartitionSpec::Kind::by_column) key.erase("partition");
  const std::string whatever_the_seed = key.dump();
  if (spec.depends_on_seed()) key["seed"] = seed;
  Known& known = known_[key.dump()];
  if (known.data) {
    held_.splice(held_.end(), held_, known.held);
    return {known.data, digests_[whatever_the_seed]};
  }
  auto data = std::make_shared<const Dataset>(spec.load(seed, place));
  const std::string digest =
      spec.depends_on_seed() ? digest_of_files(full, spec, place) : digest_of(*data);
  const auto [first, is_new] = digests_.try_emplace(whatever_the_seed, digest);
  if (!is_new && first->second != digest) {
    throw InputError(place, "has changed since it was first read: run the same command again");
  }
  known.data = std::move(data);
  known.held = held_.insert(held_.end(), &known);
  held_bytes_ += bytes_of(*known.data);
  make_room();
  return {known.data, digest};
}

void SharedDatasets::make_room() {
  while (held_bytes_ > kept_bytes_ && held_.size() > 1) {
    Known& oldest = *held_.front();
    held_.pop_front();
    held_bytes_ -= bytes_of(*oldest.data);
    oldest.data.reset();
  }
}

}  // namespace motley
