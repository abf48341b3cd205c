#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/engine/simulated_group.hpp"

namespace motley {

/// The groups of workers that algorithms have named.
class Groups {
 public:
  /// Everything a group's collective is made of but its ranks.
  Groups(const Collective::Setup& common, const MachineFailures& failures)
      : common_(common), failures_(failures) {}

  /// Made by the first who names it; std::logic_error when others mean another by the same name.
  GroupState& group(const std::string& name, const std::vector<std::size_t>& ranks,
                    const std::string& collective);

  // Of a worker, in every group it is in; only where somebody may fail.
  void member_fails(std::size_t rank);
  void member_is_missed(std::size_t rank);
  void member_returns(std::size_t rank);

 private:
  template <class Happen>
  void for_each_with(std::size_t rank, Happen happen);

  Collective::Setup common_;
  const MachineFailures& failures_;
  std::map<std::string, std::unique_ptr<GroupState>> groups_;
};

}  // namespace motley
