#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>

#include "sim/learning/data/data_spec.hpp"

namespace motley {

/// Data sets, each loaded once however many scenarios ask for it, as long as they are not too many:
/// those not asked for lately are let go and loaded again when they are needed.
class SharedDatasets {
 public:
  struct Entry {
    std::shared_ptr<const Dataset> data;
    /// Of all its samples; of the files they come from where the seed chooses among these; empty when
    /// there are none: what is made from the seed is described by it.
    std::string digest;
  };

  /// How many bytes of data are kept at most; the set last asked for is kept in any case.
  explicit SharedDatasets(std::size_t kept_bytes = std::size_t{64} << 20)
      : kept_bytes_(kept_bytes) {}

  /// `full` is the data section with its defaults filled in, `spec` the same in C++. InputError
  /// when what is loaded again is no longer what it was.
  Entry get(const Json& full, const DataSpec& spec, std::uint64_t seed, const Place& place);

 private:
  struct Known {
    std::shared_ptr<const Dataset> data;  ///< none when it was let go
    std::list<Known*>::iterator held;     ///< where it stands in held_, if it has its data
  };

  void make_room();

  std::size_t kept_bytes_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::string> digests_;  // by what is asked for, whatever the seed
  std::list<Known*> held_;  // those that have their data, the one last asked for at the end
  std::size_t held_bytes_ = 0;
};

}  // namespace motley
