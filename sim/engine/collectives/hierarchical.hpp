#pragma once

#include "sim/engine/collectives/ring.hpp"
#include "sim/engine/collectives/tree.hpp"

namespace motley {

/// Inside each node a tree reduces the vector to the node's first member; those go around a ring; then
/// the trees broadcast. With N nodes of at most G members, L and b inside marked:
///
///   2 ceil(log2 G) (L_in + S/b_in)  +  2 (N-1) (L + S/(N b))
///
/// on equal links without other traffic. Nodes may have any sizes. Where everybody is a machine of
/// its own this is the ring, where all are in one node the tree. `approximate.ring` holds for the
/// ring between the nodes.
class Hierarchical final : public Collective {
 public:
  explicit Hierarchical(const Setup& setup);

  void pass(std::size_t position, std::uint64_t bytes) override;
  const char* waits_for() const override {
    return "the others of its node, or other nodes, in the all-reduce";
  }

 private:
  struct Place {
    std::size_t node = 0;  // in the order of their first members
    std::size_t inside = 0;
  };

  std::vector<Place> places_;  // by position
  std::vector<std::unique_ptr<Tree>> trees_;
  std::unique_ptr<Ring> ring_;
};

}  // namespace motley
