#pragma once

#include <map>
#include <string>
#include <vector>

namespace motley {

/// The report of a deadlock: "cpu-0, cpu-1 wait for a model from the server; server waits for a push".
class WhoWaits {
 public:
  /// A name that comes twice in a row for the same thing is told once.
  void add(const std::string& name, const std::string& what);
  std::string text() const;

 private:
  std::map<std::string, std::vector<std::string>> names_;  // by what they wait for
};

}  // namespace motley
