#include "sim/study/shards.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace motley {

StudyShard parse_shard(const std::string& text) {
  constexpr std::size_t most = 100'000;
  StudyShard shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool slash = index.ec == std::errc() && index.ptr != end && *index.ptr == '/';
  const auto count = slash ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  if (!slash || count.ec != std::errc() || count.ptr != end || shard.index < 1 ||
      shard.index > shard.count || shard.count > most) {
    throw InputError("--shard: must be K/N with K from 1 to N, such as 2/8, got '" + text + "'");
  }
  return shard;
}

std::vector<std::size_t> runs_of_shard(const Study& study, const StudyShard& shard) {
  std::vector<std::size_t> work;
  std::set<std::string> hashes;
  for (std::size_t i = 0; i < study.size(); ++i) {
    if (hashes.insert(study.table().runs[i].hash).second) work.push_back(i);
  }
  // The largest first, each to the part that has least so far. Those expected to cost the same go
  // in the random order of their hashes: in the order of the plan, a part might get all runs of one
  // algorithm, whose real cost may differ.
  std::vector<std::size_t> by_cost = work;
  std::sort(by_cost.begin(), by_cost.end(), [&study](std::size_t a, std::size_t b) {
    if (study.cost(a) != study.cost(b)) return study.cost(a) > study.cost(b);
    return study.table().runs[a].hash < study.table().runs[b].hash;
  });
  std::vector<double> loads(shard.count);
  std::vector<std::size_t> mine;
  for (const std::size_t run : by_cost) {
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += study.cost(run);
    if (least - loads.begin() + 1 == static_cast<std::ptrdiff_t>(shard.index)) mine.push_back(run);
  }
  std::sort(mine.begin(), mine.end());
  return mine;
}

}  // namespace motley
