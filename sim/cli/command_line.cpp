#include "sim/cli/command_line.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <iomanip>
#include <iostream>
#include <new>

#include "sim/base/place.hpp"
#include "sim/base/standard_streams.hpp"
#include "sim/base/text.hpp"
#include "sim/cli/json_output.hpp"
#include "sim/live/transport.hpp"
#include "sim/study/provenance.hpp"

namespace po = boost::program_options;

namespace motley {

std::vector<Command> commands() {
  return {run_command(),      new_command(),        new_algorithm_command(), new_model_command(),
          new_data_command(), data_command(),       explain_command(),       report_command(),
          diff_command(),     verdicts_command(),   validate_command(),      plan_command(),
          merge_command(),    slurm_command(),      live_command(),          calibrate_command(),
          compare_command(),  algorithms_command(), architectures_command(), columns_command(),
          schema_command(),   bench_command(),      completion_command(),    manual_command()};
}

namespace {

void print_overview(std::ostream& out) {
  out << "Motley simulates distributed SGD on uneven clusters: virtual time, real gradients.\n\n"
         "Usage: motley COMMAND [options]\n";
  const std::vector<Command> all = commands();
  for (const char* topic :
       {topic_run, topic_understand, topic_many_runs, topic_real, topic_reference}) {
    out << "\n" << topic << ":\n";
    for (const Command& command : all) {
      if (command.topic != topic) continue;
      out << "  " << std::left << std::setw(15) << command.name << command.summary << "\n";
    }
  }
  out << "\n'motley COMMAND --help' says more; 'motley --version' prints the version.\n\n"
         "Example:\n  motley run scenarios/quickstart.json\n";
}

po::options_description all_options(const Command& command) {
  po::options_description all;
  for (const po::options_description& group : command.groups) all.add(group);
  po::options_description help("Help");
  help.add_options()("help,h", "print this help and exit");
  all.add(help);
  return all;
}

void print_help(std::ostream& out, const Command& command) {
  out << command.summary << "\n\nUsage: " << command.usage << "\n"
      << all_options(command) << "\nExample:\n  " << command.example << "\n";
}

std::vector<std::string> option_names(const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& option : options.options()) names.push_back("--" + option->long_name());
  return names;
}

/// `--option VALUE` as `--option=VALUE` for an option whose value may be missing, when what
/// follows looks like FROM:TO; else the parser would take it for an argument.
std::vector<std::string> with_optional_values(std::vector<std::string> arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    const std::string& next = arguments[i + 1];
    const bool is_window = next.find(':') != std::string::npos &&
                           next.find_first_not_of("0123456789.:himnsu") == std::string::npos;
    if (arguments[i] != "--trace" || !(is_window || next.starts_with("around="))) continue;
    arguments[i] += "=" + next;
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return arguments;
}

/// InputError where the command has no such words.
po::variables_map parsed(const Command& command, const std::vector<std::string>& command_line) {
  const po::options_description visible = all_options(command);
  po::options_description options;
  options.add(visible);
  po::positional_options_description positional;
  if (!command.positional.empty()) {
    options.add_options()(command.positional.c_str(), po::value<std::vector<std::string>>(), "");
    positional.add(command.positional.c_str(), -1);
  }
  const std::vector<std::string> arguments =
      with_optional_values({command_line.begin() + 2, command_line.end()});
  po::variables_map values;
  try {
    // No guessing of abbreviated options: a typo must not become another option.
    constexpr int style =
        po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments)
                  .options(options)
                  .positional(positional)
                  .style(style)
                  .run(),
              values);
    po::notify(values);
  } catch (const po::unknown_option& e) {
    throw InputError(command.name + ": unknown option '" + e.get_option_name() + "'" +
                     did_you_mean(e.get_option_name(), option_names(visible)) + "; see 'motley " +
                     command.name + " --help'");
  } catch (const po::too_many_positional_options_error&) {
    throw InputError(command.name + ": takes no arguments; see 'motley " + command.name +
                     " --help'");
  } catch (const po::error& e) {
    throw InputError(command.name + ": " + e.what() + "; see 'motley " + command.name + " --help'");
  }
  if (values.count("help") == 0 && !command.positional.empty() &&
      values.count(command.positional) > 0 &&
      values[command.positional].as<std::vector<std::string>>().size() >
          static_cast<std::size_t>(command.most_positional)) {
    throw InputError(command.name + ": too many arguments; usage: " + command.usage);
  }
  return values;
}

int execute(const Command& command, const std::vector<std::string>& command_line) {
  po::variables_map values;
  try {
    values = parsed(command, command_line);
  } catch (const InputError& e) {
    if (command.refuse == nullptr) throw;
    return command.refuse(e);
  }
  if (values.count("help") == 0) return command.execute(values, command_line);
  // Of several processes with the same words only the first says it.
  if (command.refuse == nullptr || rank_by_environment() == 0) print_help(std::cout, command);
  return 0;
}

int dispatch(const std::vector<std::string>& command_line) {
  const std::string name = command_line.size() > 1 ? command_line[1] : "--help";
  if (name == "--help" || name == "-h" || name == "help") {
    print_overview(std::cout);
    return 0;
  }
  if (name == "--version") {
    std::cout << version_line() << "\n";
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return execute(command, command_line);
    names.push_back(command.name);
  }
  const std::string hint =
      name == "networks" ? " (it is now 'architectures')" : did_you_mean(name, names);
  throw InputError("unknown command '" + name + "'" + hint + "; see 'motley --help'");
}

/// Says it to people and, where one document was asked for, to the program that reads it.
int end_with(const std::string& what, const Place& place, int code,
             const std::vector<std::string>& command_line) {
  complain(what);
  if (std::ranges::find(command_line, "--json") != command_line.end()) {
    print_json(error_json(what, place, code));
  }
  return code;
}

int execute_guarded(const std::vector<std::string>& command_line) {
  try {
    return dispatch(command_line);
  } catch (const InputError& e) {
    return end_with(e.what(), e.place(), 2, command_line);
  } catch (const std::bad_alloc&) {
    return end_with("not enough memory for this scenario", {}, 1, command_line);
  } catch (const std::exception& e) {
    return end_with(e.what(), {}, 1, command_line);
  }
}

}  // namespace

void complain(const std::string& what) {
  std::cerr << complaint(what);
}

std::string complaint(const std::string& what) {
  std::string text = valid_utf8(what);
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c))) c = ' ';
  }
  return "motley: " + text + "\n";
}

int motley_main(const std::vector<std::string>& command_line) {
  open_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is then a write error
  const int code = execute_guarded(command_line);
  if (standard_output_is_written()) return code;
  complain("standard output cannot be written: it is closed, or its disk is full");
  return code != 0 ? code : 1;
}

}  // namespace motley
