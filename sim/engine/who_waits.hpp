#pragma once

#include <map>
#include <string>
#include <vector>

namespace motley {

/// Why a run stands still: "deadlock at 3 s: cpu-0, cpu-1 wait for a model from the server; server waits
/// for a push", or "waits for ever since 3 s: cpu-2 is down for good; ...".
class WhoWaits {
 public:
  /// Of a machine that never returns.
  void add_gone(const std::string& name) { gone_.push_back(name); }
  /// A name that comes twice in a row for the same thing is told once.
  void add(const std::string& name, const std::string& what);
  /// `since`: in virtual time.
  std::string text(double since) const;

 private:
  std::vector<std::string> gone_;
  std::map<std::string, std::vector<std::string>> names_;  // by what they wait for
};

}  // namespace motley
