#pragma once

#include <string>

#include <boost/program_options.hpp>

#include "sim/app/experiment.hpp"

namespace motley {

/// The options by which commands take a scenario, and the scenario they name.
boost::program_options::options_description scenario_options();
Experiment load_experiment(const boost::program_options::variables_map& options,
                           const std::string& command);

}  // namespace motley
