#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/engine/collectives/simulated_group.hpp"

namespace motley {

/// The groups of workers that algorithms have named.
class Groups {
 public:
  /// What all groups have in common; `collective`: of those that do not say theirs.
  Groups(const Averaging::Setup& common, const MachineFailures& failures, std::string collective)
      : common_(common), failures_(failures), usual_collective_(std::move(collective)) {}

  /// Made by the first who names it; std::logic_error when others mean another by the same name.
  /// `collective`: by name; empty: the usual one.
  GroupState& group(const std::string& name, const std::vector<std::size_t>& ranks,
                    const std::string& collective);
  /// The group of all workers. Whoever asks again gets it without a list of their ranks.
  GroupState& everybody(std::size_t workers);

  static constexpr const char* everybody_name = "everybody";

  bool empty() const { return groups_.empty(); }

  // Of a worker, in every group it is in; only where somebody may fail.
  void member_fails(std::size_t rank);
  void member_is_missed(std::size_t rank);
  void member_returns(std::size_t rank);

 private:
  template <class Happen>
  void for_each_with(std::size_t rank, Happen happen);

  Averaging::Setup common_;
  const MachineFailures& failures_;
  std::string usual_collective_;
  std::map<std::string, std::unique_ptr<GroupState>> groups_;
  GroupState* everybody_ = nullptr;
};

}  // namespace motley
