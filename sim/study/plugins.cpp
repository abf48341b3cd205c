#include "sim/study/plugins.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "algorithms/catalog.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/format.hpp"
#include "sim/base/regular_file.hpp"
#include "sim/scenario/kinds.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/vocabulary/plugin.hpp"

namespace motley {
namespace {

std::vector<LoadedPlugin>& all_plugins() {
  static std::vector<LoadedPlugin> plugins;
  return plugins;
}

std::string bytes_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// InputError unless its machine code can be called from here.
void check_facts(const PluginFacts& theirs, const Place& place, const std::string& name) {
  const PluginFacts ours = MOTLEY_PLUGIN_FACTS(nullptr);
  const std::string again = ": build it again against this program";
  if (theirs.size != ours.size || std::string(theirs.vocabulary) != ours.vocabulary) {
    throw InputError(place, name + " was built for motley " + theirs.version + " (vocabulary " +
                                theirs.vocabulary + "), and this is " + ours.version +
                                " (vocabulary " + ours.vocabulary + ")" + again);
  }
  if (std::string(theirs.compiler) != ours.compiler) {
    throw InputError(place, name + " was compiled by g++ " + theirs.compiler + ", and motley by " +
                                ours.compiler + again + " with the same compiler");
  }
  if (theirs.alignment != ours.alignment) {
    throw InputError(place, name +
                                " was compiled for another processor: its vectors are aligned to " +
                                std::to_string(theirs.alignment) + " bytes, and motley's to " +
                                std::to_string(ours.alignment) + again +
                                ", with the flags of Motley::motley_plugin");
  }
}

const PluginFacts& facts_of(const std::filesystem::path& file, const Place& place) {
  const std::string name = file.filename().string();
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw InputError(place, name + " cannot be loaded (" + dlerror() +
                                "): build it against this version of motley");
  }
  using Entry = const PluginFacts*();
  const auto entry = reinterpret_cast<Entry*>(dlsym(library, "motley_plugin"));
  if (entry == nullptr) {
    dlclose(library);
    throw InputError(place,
                     name + " is no plug-in of motley: it does not end with MOTLEY_PLUGIN(...)");
  }
  const PluginFacts& facts = *entry();
  check_facts(facts, place, name);
  return facts;
}

template <class Entry>
void refuse_known(const std::vector<Entry>& brought, const std::vector<Entry>& there,
                  const char* what, const std::string& file, const Place& place) {
  std::vector<std::string> names;
  for (const Entry& entry : there) names.push_back(entry.name);
  for (const Entry& entry : brought) {
    if (std::ranges::find(names, entry.name) != names.end()) {
      throw InputError(place, file + " brings the " + what + " '" + entry.name +
                                  "', which already exists: give it another name");
    }
    check_name(entry.name, place);
    names.push_back(entry.name);
  }
}

/// A key that kinds share must accept the same in all of them.
template <class KindEntry>
void check_keys_of(std::vector<KindEntry> brought, const std::vector<KindEntry>& there,
                   const std::string& file, const Place& place) {
  brought.insert(brought.begin(), there.begin(), there.end());
  try {
    keys_of(brought);
  } catch (const std::logic_error& e) {
    throw InputError(place, file + ": " + e.what() + ": call the key otherwise");
  }
}

template <class Entry>
std::vector<std::string> names_of_entries(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

const LoadedPlugin* plugin_with(std::vector<std::string> LoadedPlugin::*names,
                                const std::string& name) {
  for (const LoadedPlugin& plugin : all_plugins()) {
    if (std::ranges::find(plugin.*names, name) != (plugin.*names).end()) return &plugin;
  }
  return nullptr;
}

}  // namespace

void load_plugin(const std::filesystem::path& file, const Place& place) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::weakly_canonical(file, error);
  const auto is_it = [&](const LoadedPlugin& plugin) { return plugin.file == whole; };
  if (std::ranges::any_of(all_plugins(), is_it)) return;
  if (error || !std::filesystem::exists(whole, error)) {
    throw InputError(place, "there is no file " + file.string() +
                                ": build the plug-in first, or say with --plugin where it is");
  }
  if (const std::string why = why_not_regular(whole); !why.empty()) {
    throw InputError(place, file.string() + ": " + why);
  }
  LoadedPlugin loaded{whole, digest(bytes_of_file(whole)), {}, {}, {}};
  const std::string name = whole.filename().string();
  PluginContents contents;
  facts_of(whole, place).describe(contents);
  if (contents.algorithms.empty() && contents.models.empty() && contents.data.empty()) {
    throw InputError(place, name + " brings nothing");
  }
  refuse_known(contents.algorithms, algorithm_catalog(), "algorithm", name, place);
  refuse_known(contents.models, model_catalog(), "model", name, place);
  refuse_known(contents.data, data_catalog(), "kind of data", name, place);
  check_keys_of(contents.models, model_catalog(), name, place);
  check_keys_of(contents.data, data_catalog(), name, place);
  loaded.algorithms = names_of_entries(contents.algorithms);
  loaded.models = names_of_entries(contents.models);
  loaded.data = names_of_entries(contents.data);
  for (AlgorithmInfo& info : contents.algorithms) add_algorithm(std::move(info));
  for (ModelKind& kind : contents.models) add_model_kind(std::move(kind));
  for (DataKind& kind : contents.data) add_data_kind(std::move(kind));
  all_plugins().push_back(std::move(loaded));
}

void add_plugins(Json& scenario, const std::vector<std::string>& plugins) {
  if (!scenario.is_object() || plugins.empty()) return;
  Json& list = scenario["plugins"];
  if (!list.is_null() && !list.is_array()) return;  // told where it is read
  const Json listed = list;
  for (const std::string& plugin : plugins) {
    const std::filesystem::path file = std::filesystem::absolute(plugin).lexically_normal();
    std::size_t place = 0;
    const auto is_replaced = [&](std::size_t i) {
      return list[i] == listed[i] && listed[i].is_string() &&
             std::filesystem::path(listed[i].get<std::string>()).filename() == file.filename();
    };
    while (place < listed.size() && !is_replaced(place)) ++place;
    if (place < listed.size())
      list[place] = file.string();
    else
      list.push_back(file.string());
  }
}

void load_plugins_of(const Json& scenario, const std::string& file) {
  if (!scenario.is_object() || !scenario.contains("plugins")) return;
  const Json& list = scenario["plugins"];
  const Place place = Place{file, ""} / "plugins";
  if (!list.is_array()) throw InputError(place, "must be a list of shared libraries", list);
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_string()) throw InputError(place / i, "must be text in quotes", list[i]);
    load_plugin(folder / list[i].get<std::string>(), place / i);
  }
}

bool is_name_taken(const std::string& name) {
  const auto is_named = [&](const auto& entry) { return entry.name == name; };
  return std::ranges::any_of(algorithm_catalog(), is_named) ||
         std::ranges::any_of(model_catalog(), is_named) ||
         std::ranges::any_of(data_catalog(), is_named);
}

const std::vector<LoadedPlugin>& loaded_plugins() {
  return all_plugins();
}

const LoadedPlugin* plugin_of_algorithm(const std::string& name) {
  return plugin_with(&LoadedPlugin::algorithms, name);
}

const LoadedPlugin* plugin_of_model(const std::string& kind) {
  return plugin_with(&LoadedPlugin::models, kind);
}

const LoadedPlugin* plugin_of_data(const std::string& kind) {
  return plugin_with(&LoadedPlugin::data, kind);
}

}  // namespace motley
