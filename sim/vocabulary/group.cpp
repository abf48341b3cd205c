#include "sim/vocabulary/group.hpp"

#include "sim/vocabulary/worker.hpp"

namespace motley {

void Group::broadcast(Parameters& v, std::size_t root) {
  const std::string kind = Wanted::group_mark + name_ + ": broadcast";
  if (me_.rank() != root) {
    v = me_.receive({root, kind}).vector;
    return;
  }
  for (const std::size_t rank : ranks()) {
    if (rank != root) me_.send(rank, {.kind = kind, .vector = v});
  }
}

std::vector<Parameters> Group::gather(const Parameters& v, std::size_t root) {
  const std::string kind = Wanted::group_mark + name_ + ": gather";
  std::vector<Parameters> all;
  if (me_.rank() != root) {
    me_.send(root, {.kind = kind, .vector = v});
    return all;
  }
  for (const std::size_t rank : ranks()) {
    all.push_back(rank == root ? v : me_.receive({rank, kind}).vector);
  }
  return all;
}

}  // namespace motley
