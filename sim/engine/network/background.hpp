#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sim/engine/agenda.hpp"
#include "sim/engine/network/network.hpp"
#include "sim/scenario/cluster_plan.hpp"

namespace motley {

/// What happens whatever the algorithm does: bandwidths change, others send messages, profiles of a
/// platform file go on. It stops when nothing else is to come, so that a stuck run is found.
class Background {
 public:
  struct Rest {
    std::function<bool()> is_over;  ///< whether nothing else will happen any more
    std::function<void()> end;      ///< then SimGrid's profiles, which never stop, must be
  };

  Background(Network& network, Agenda& agenda, const ClusterPlan& plan, std::uint64_t seed,
             Rest rest);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  bool is_empty() const { return changes_ == nullptr && streams_.empty(); }
  /// Before the engine runs.
  void start();

 private:
  class Changes;
  class Stream;
  class Profiles;

  Network& network_;
  Agenda& agenda_;
  Rest rest_;
  std::unique_ptr<Changes> changes_;  // of bandwidths; null: none
  std::vector<std::unique_ptr<Stream>> streams_;
  std::unique_ptr<Profiles> profiles_;  // of a platform file
};

}  // namespace motley
