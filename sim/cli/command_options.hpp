#pragma once

#include <filesystem>
#include <string>

#include <boost/program_options.hpp>

#include "sim/study/shards.hpp"
#include "sim/study/study.hpp"

/// The options that several commands share, and what they mean.
namespace motley {

boost::program_options::options_description scenario_options();
/// Among scenario_options(); by itself for commands that take no scenario.
boost::program_options::options_description plugin_option();
std::vector<std::string> plugins_given(const boost::program_options::variables_map& options);
/// For commands that take no scenario.
void load_given_plugins(const boost::program_options::variables_map& options);
Study load_study(const boost::program_options::variables_map& options, const std::string& command);

boost::program_options::options_description folder_options();
/// Of --out, or by the scenario's name.
std::filesystem::path folder_of(const boost::program_options::variables_map& options,
                                const Study& study);
/// The same of a live run: not the simulation's.
std::filesystem::path live_folder(const boost::program_options::variables_map& options,
                                  const Study& study);

boost::program_options::options_description shard_options();
StudyShard shard_of(const boost::program_options::variables_map& options);

/// A number of jobs, threads, tasks; InputError unless it is from 1 to 1024.
unsigned positive_option(const boost::program_options::variables_map& options, const char* name,
                         unsigned fallback);

}  // namespace motley
