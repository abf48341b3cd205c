#pragma once

#include <cstddef>
#include <vector>

namespace motley {

class Platform;

/// The members of a group in an order in which neighbours are near: nodes, racks and sites are
/// together, and a ring crosses each network card and uplink once per direction. `ranks`: of the
/// members, in the group's order; `nodes`: those with the same number are in one machine. Returns
/// indices into them.
///
/// The members of a node follow the first of them. The ways from the first node to the others are a
/// tree of links, and nodes follow it branch by branch, the branches with the shorter ways first; what
/// is equally far keeps the order given. So names do not count, and where the order given is near
/// already it stays. It also stays where fewer messages of a ring in it meet on a link, as may be
/// where ways form no tree.
std::vector<std::size_t> near_order(const Platform& platform, const std::vector<std::size_t>& ranks,
                                    const std::vector<std::size_t>& nodes);

}  // namespace motley
