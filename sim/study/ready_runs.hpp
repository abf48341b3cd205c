#pragma once

#include <map>
#include <set>
#include <vector>

#include "sim/study/results_folder.hpp"
#include "sim/study/study.hpp"

namespace motley {

/// Which runs can be done now. Tuning makes this a question: what runs next depends on what has been
/// found, and the reported runs of an algorithm wait until its parameters are chosen. All of it
/// follows from the results there are, so that a process that starts anew goes on where another
/// ended.
class ReadyRuns {
 public:
  /// For these reported runs of the study; with `again`, those that are done too.
  ReadyRuns(Study& study, ResultsFolder& folder, const std::vector<std::size_t>& runs, bool again);

  /// Finds out how far the tuning is by what is stored.
  void look();
  /// Those that can be done now, each once.
  std::vector<std::size_t> take();
  /// Call it when a run that was taken has its result.
  void finished(std::size_t run);

  /// So many runs, and so much expected cost.
  struct Work {
    std::size_t runs = 0;
    double cost = 0;
  };
  /// At most, counting what has been taken and is not finished.
  Work left() const;
  /// Runs of the tuning that are finished and still there, and how many there will be at most.
  std::size_t tuning_done() const;
  std::size_t tuning_runs() const;

 private:
  /// nullptr for a run that failed before this process tried it: it is tried again.
  const RunResult* result(const std::string& hash);
  void add(std::size_t run);
  void add_reported(std::size_t run);

  Study& study_;
  ResultsFolder& folder_;
  std::set<std::size_t> reported_;
  bool again_;
  std::set<std::size_t> units_;
  std::set<std::size_t> stirred_;                         // units to look at again
  std::map<std::string, std::set<std::size_t>> waiting_;  // units by the hash they wait for
  std::set<std::string> taken_;                           // hashes
  std::set<std::string> finished_;                        // hashes, by this process
  std::vector<std::size_t> ready_;                        // not yet taken
};

}  // namespace motley
