#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/base/place.hpp"

/// Shared libraries that bring algorithms, models and kinds of data; see sim/vocabulary/plugin.hpp. What
/// one brings is in the catalogues from then on, in this process and in those it starts.
namespace motley {

/// A library that has been loaded.
struct LoadedPlugin {
  std::filesystem::path file;
  std::string digest;  ///< of its bytes
  std::vector<std::string> algorithms;
  std::vector<std::string> models;
  std::vector<std::string> data;
};

/// Loads it, unless it is loaded already. InputError at the place when there is no such library, when it is
/// no plug-in, was built for another program, or brings a name that there is already.
void load_plugin(const std::filesystem::path& file, const Place& place);

/// Adds libraries to those that a scenario lists: paths from the current folder. One takes the place of a
/// listed one of the same file name, which may have been moved or built elsewhere.
void add_plugins(Json& scenario, const std::vector<std::string>& plugins);

/// Those that a scenario lists under "plugins", from the folder of its file.
void load_plugins_of(const Json& scenario, const std::string& file);

/// Whether an algorithm, a model or a kind of data is called so.
bool is_name_taken(const std::string& name);

/// All of them, in the order in which they were loaded.
const std::vector<LoadedPlugin>& loaded_plugins();

/// The library that brings it; nullptr when it is Motley's own.
const LoadedPlugin* plugin_of_algorithm(const std::string& name);
const LoadedPlugin* plugin_of_model(const std::string& kind);
const LoadedPlugin* plugin_of_data(const std::string& kind);

}  // namespace motley
