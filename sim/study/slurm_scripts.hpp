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
};

/// The script of the job array: each task is a shard with a results folder of its own, so that
/// submitting it again does only what is missing.
std::string array_script(const SlurmJob& job);
/// The script of the job that joins the shards when all tasks have ended.
std::string merge_script(const SlurmJob& job);

}  // namespace motley
