#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/core/json.hpp"
#include "sim/core/learning/dataset.hpp"

namespace motley {

/// Data sets, each loaded once however many scenarios ask for it.
class SharedDatasets {
 public:
  struct Entry {
    std::shared_ptr<const Dataset> data;
    std::string digest;  ///< of all its samples
  };

  /// `full` is the data section with its defaults filled in, `spec` the same in C++.
  const Entry& get(const Json& full, const DataSpec& spec, std::uint64_t seed, const Place& place);

 private:
  std::map<std::string, Entry> entries_;
};

}  // namespace motley
