#pragma once

#include <map>
#include <string>

#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// Platform files and traces, each read once however many points of a sweep use it: reading one takes a process
/// of its own.
class SharedPlatforms {
 public:
  struct Entry {
    ClusterPlan cluster;
    std::string digest;  ///< of the file
  };

  /// InputError at `place` when the file is none that can be used.
  const Entry& get(const std::string& file, const Place& place);
  const SpeedTrace& trace(const std::string& file, const Place& place);

 private:
  std::map<std::string, Entry> known_;
  std::map<std::string, SpeedTrace> traces_;
};

}  // namespace motley
