#pragma once

#include <string>
#include <vector>

namespace motley {

/// What a Slurm job array for a study needs to know. Paths are absolute.
struct SlurmJob {
  std::string name;
  std::string program;
  std::vector<std::string> scenario;  ///< the file and its --set options
  std::string out;
  std::size_t tasks = 1;
  unsigned cpus = 1;      ///< of each task
  std::string partition;  ///< empty: the cluster's default
  std::string time;       ///< limit of each task, as Slurm writes it; empty: the partition's
  std::size_t ranks = 0;  ///< of a live run: workers and servers
  std::vector<std::string> live = {};  ///< options of a live run that no other has
};

/// The script of the job array: each task is a shard with a results folder of its own, so that
/// submitting it again does only what is missing.
std::string array_script(const SlurmJob& job);
/// The script of the job that joins the shards when all tasks have ended.
std::string merge_script(const SlurmJob& job);

/// The script of a live run: one job with a rank for each worker and server. A minute before its time is over it is
/// told to end, and tells its ranks, so that what was measured is written.
std::string live_script(const SlurmJob& job);

}  // namespace motley
