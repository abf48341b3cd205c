#pragma once

#include <vector>

#include <boost/program_options.hpp>

#include "sim/study/study.hpp"

/// Which runs of a scenario are done for real, and whether they can be.
namespace motley {

/// One of the study's runs, done for real.
struct LiveRun {
  std::size_t index = 0;  ///< in the study
  RunEntry entry;
  Json description;
};

/// It has a description and a hash of its own.
LiveRun live_run(const Study& study, std::size_t index, bool emulate);

/// Those that --algorithm asks for, or all.
std::vector<std::size_t> chosen_runs(const boost::program_options::variables_map& options,
                                     const Study& study);

/// Refuses what cannot be live, before anything starts.
void check_live(const Study& study, const std::vector<std::size_t>& runs, std::size_t ranks,
                bool emulate);

/// "mpirun -n 9 motley live ...", as it works on this machine.
std::string mpirun_line(std::size_t ranks, const std::string& words);

}  // namespace motley
