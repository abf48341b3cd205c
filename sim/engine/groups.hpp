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
  /// What all groups have in common.
  explicit Groups(const Averaging::Setup& common) : common_(common) {}

  /// Of groups that do not say theirs.
  void set_collective(const std::string& name) { usual_collective_ = name; }

  /// Made by the first who names it; std::logic_error when others mean another by the same name.
  /// `collective`: by name; empty: the usual one.
  GroupState& group(const std::string& name, const std::vector<std::size_t>& ranks,
                    const std::string& collective);

 private:
  Averaging::Setup common_;
  std::string usual_collective_ = "ring";
  std::map<std::string, std::unique_ptr<GroupState>> groups_;
};

}  // namespace motley
