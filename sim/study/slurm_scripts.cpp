#include "sim/study/slurm_scripts.hpp"

#include "sim/base/shell_word.hpp"

namespace motley {
namespace {

std::string directive(const std::string& option, const std::string& value) {
  return value.empty() ? "" : "#SBATCH --" + option + "=" + value + "\n";
}

/// sbatch reads %a and the like in file names, and double quotes around them.
std::string log_file(const SlurmJob& job, const std::string& name) {
  std::string folder;
  for (const char c : job.out) folder += c == '%' ? std::string("%%") : std::string(1, c);
  return "\"" + folder + "/slurm/" + name + "\"";
}

std::string head(const SlurmJob& job, const std::string& name, const std::string& log) {
  return "#!/bin/sh\n" + directive("job-name", name) + directive("partition", job.partition) +
         directive("output", log_file(job, log)) + directive("open-mode", "append");
}

}  // namespace

std::string array_script(const SlurmJob& job) {
  const std::string tasks = std::to_string(job.tasks);
  const std::string cpus = std::to_string(job.cpus);
  std::string command = shell_quoted(job.program) + " run";
  for (const std::string& word : job.scenario) command += " " + shell_quoted(word);
  return head(job, "motley-" + job.name, "task-%a.log") + directive("array", "1-" + tasks) +
         directive("cpus-per-task", cpus) + directive("time", job.time) +
         "shard=" + shell_quoted(job.out) + "/shards/\"$SLURM_ARRAY_TASK_ID\"\n" +
         "# Each task is a shard; submitted again, it does only what is missing there and in the\n"
         "# joined results.\n"
         "if [ -f " +
         shell_quoted(job.out) + "/plan.json ]; then\n  " + shell_quoted(job.program) + " merge " +
         shell_quoted(job.out) + " --no-whatif --out \"$shard\" >/dev/null 2>&1 || :\nfi\nexec " +
         command + " --shard \"$SLURM_ARRAY_TASK_ID/" + tasks + "\" --jobs " + cpus +
         " --threads 1 --out \"$shard\"\n";
}

std::string merge_script(const SlurmJob& job) {
  const std::string shard = shell_quoted(job.out) + "/shards/$task";
  return head(job, "motley-" + job.name + "-merge", "merge.log") +
         "# Joins what the tasks have finished; it fails when something is missing.\n"
         "set --\nfor task in $(seq " +
         std::to_string(job.tasks) +
         "); do\n"
         "  if [ -d " +
         shard + " ]; then set -- \"$@\" " + shard + "; fi\ndone\nexec " +
         shell_quoted(job.program) + " merge \"$@\" --out " + shell_quoted(job.out) + "\n";
}

std::string live_script(const SlurmJob& job) {
  std::string command = shell_quoted(job.program) + " live";
  for (const std::string& word : job.scenario) command += " " + shell_quoted(word);
  for (const std::string& word : job.live) command += " " + shell_quoted(word);
  command += " --out " + shell_quoted(job.out);
  const std::string ranks = std::to_string(job.ranks);
  const std::string cpus = std::to_string(job.cpus);
  return head(job, "motley-" + job.name + "-live", "live.log") + directive("ntasks", ranks) +
         directive("cpus-per-task", cpus) + directive("time", job.time) +
         "#SBATCH --signal=B:TERM@60\n"
         "# By Slurm where it knows how Open MPI's ranks find each other, else by Open MPI, which "
         "knows\n"
         "# Slurm. This script waits, and when it is told to end, tells the ranks: Slurm itself "
         "would not\n"
         "# tell those that Open MPI has started on this node, and srun that is told kills them.\n"
         "if srun --mpi=list 2>&1 | grep -q pmix; then\n"
         "  tell_ranks() { scancel --signal=TERM \"$SLURM_JOB_ID\"; }\n"
         "  srun --mpi=pmix --kill-on-bad-exit=1 --cpus-per-task=" +
         cpus + " " + command +
         " &\n"
         "else\n"
         "  tell_ranks() { kill -TERM \"$ranks\"; }\n"
         "  mpirun -n " +
         ranks + " --bind-to none " + command +
         " &\n"
         "fi\n"
         "ranks=$!\n"
         "trap tell_ranks TERM\n"
         "status=0\n"
         "wait \"$ranks\" || status=$?\n"
         "while kill -0 \"$ranks\" 2>/dev/null; do # a signal ends wait, too\n"
         "  status=0\n"
         "  wait \"$ranks\" || status=$?\n"
         "done\n"
         "# What was measured may still be written, by a process that ends with this job.\n"
         "seconds=0\n"
         "while [ \"$status\" -ne 0 ] && [ \"$seconds\" -lt 30 ] && [ -d " +
         shell_quoted(job.out) +
         "/unfinished ]; do\n"
         "  sleep 1\n"
         "  seconds=$((seconds + 1))\n"
         "done\n"
         "exit \"$status\"\n";
}

}  // namespace motley
