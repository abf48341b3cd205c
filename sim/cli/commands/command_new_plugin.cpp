#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <plugin_templates.hpp>

#include "sim/base/place.hpp"
#include "sim/base/shell_word.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/study/plugins.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

/// What kind of plug-in a command writes, and of what.
struct PluginTemplate {
  const char* what;  ///< "algorithm"
  const char* code;
  const char* scenario;
  const char* label;  ///< of the algorithm that its test looks at; empty: the new one
};

std::string with_names(std::string text, const std::string& name, const std::string& label) {
  std::string class_name;
  bool begins = true;
  for (const char c : name) {
    if (c != '_') class_name += begins ? static_cast<char>(std::toupper(c)) : c;
    begins = c == '_';
  }
  const std::pair<std::string, std::string> names[] = {
      {"@NAME@", name}, {"@CLASS@", class_name}, {"@LABEL@", label}};
  for (const auto& [mark, value] : names) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
      text.replace(at, mark.size(), value);
      at += value.size();
    }
  }
  return text;
}

/// It names a function and a class, so it must be able to.
void check_plugin_name(const std::string& name, const std::string& command) {
  const auto allowed = [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || c == '_';
  };
  if (name.empty() || !std::islower(static_cast<unsigned char>(name[0])) ||
      !std::ranges::all_of(name, allowed)) {
    throw InputError(command +
                     ": the name must be small letters, digits and '_', beginning with a "
                     "letter, as it names a function; got '" +
                     name + "'");
  }
  if (is_name_taken(name)) {
    throw InputError(command + ": there is a '" + name + "' already; choose another name");
  }
}

void write_into(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (!out) throw InputError(file.string() + ": cannot be written");
  std::cout << "wrote " << file.string() << "\n";
}

/// " -DMotley_DIR=..." where CMake would not find Motley by itself: in a build folder.
std::string where_motley_is() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path folder = program.parent_path() / "cmake";
  if (!std::filesystem::exists(folder / "MotleyConfig.cmake", error)) {
    const std::filesystem::path prefix = program.parent_path().parent_path();
    return prefix == "/usr" || prefix == "/usr/local"
               ? ""
               : " -DCMAKE_PREFIX_PATH=" + shell_quoted(prefix.string());
  }
  return " -DMotley_DIR=" + shell_quoted(folder.string());
}

int write_plugin(const po::variables_map& options, const PluginTemplate& about) {
  const std::string command = std::string("new-") + about.what;
  if (options.count("name") == 0) throw InputError(command + ": needs a name");
  const std::filesystem::path folder = options["name"].as<std::vector<std::string>>().front();
  const std::string name = folder.filename().string();
  check_plugin_name(name, command);
  std::error_code error;
  if (std::filesystem::exists(folder, error)) {
    throw InputError(folder.string() + ": exists already; choose another name");
  }
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError(folder.string() + ": cannot be created: " + error.message());
  const std::string label = *about.label == '\0' ? name : about.label;
  write_into(folder / (name + ".cpp"), with_names(about.code, name, label));
  write_into(folder / (name + ".json"), with_names(about.scenario, name, label));
  write_into(folder / "CMakeLists.txt", with_names(template_CMakeLists_txt, name, label));
  const std::string place = shell_quoted(folder.string());
  const std::string build = shell_quoted((folder / "build").string());
  std::cout << "\nBuild it, test it, run it:\n  cmake -S " << place << " -B " << build
            << " -DCMAKE_BUILD_TYPE=Release" << where_motley_is() << "\n  cmake --build " << build
            << "\n  ctest --test-dir " << build << "\n  motley run "
            << shell_quoted((folder / (name + ".json")).string()) << "\n";
  return 0;
}

Command plugin_command(const std::string& what, const std::string& summary) {
  Command command;
  command.name = "new-" + what;
  command.topic = topic_run;
  command.summary = summary;
  command.usage = "motley new-" + what + " NAME";
  command.example = "motley new-" + what + " mine";
  command.positional = "name";
  return command;
}

}  // namespace

Command new_algorithm_command() {
  Command command =
      plugin_command("algorithm", "write a plug-in with an algorithm of your own, and its test");
  command.execute = [](const po::variables_map& options, const std::vector<std::string>&) {
    return write_plugin(options,
                        {"algorithm", template_algorithm_cpp, template_algorithm_json, ""});
  };
  return command;
}

Command new_model_command() {
  Command command =
      plugin_command("model", "write a plug-in with a kind of model of your own, and its test");
  command.execute = [](const po::variables_map& options, const std::vector<std::string>&) {
    return write_plugin(options, {"model", template_model_cpp, template_model_json, "async"});
  };
  return command;
}

Command new_data_command() {
  Command command =
      plugin_command("data", "write a plug-in with a kind of data of your own, and its test");
  command.execute = [](const po::variables_map& options, const std::vector<std::string>&) {
    return write_plugin(options, {"data", template_data_cpp, template_data_json, "async"});
  };
  return command;
}

}  // namespace motley
