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
  explicit Groups(const Collective::Setup& common) : common_(common) {}

  /// Made by the first who names it; std::logic_error when others mean another by the same name.
  GroupState& group(const std::string& name, const std::vector<std::size_t>& ranks,
                    const std::string& collective);
  /// The group of all workers. Whoever asks again gets it without a list of their ranks.
  GroupState& everybody(std::size_t workers);

  static constexpr const char* everybody_name = "everybody";

 private:
  Collective::Setup common_;
  std::map<std::string, std::unique_ptr<GroupState>> groups_;
  GroupState* everybody_ = nullptr;
};

}  // namespace motley
