#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "sim/base/place.hpp"

namespace motley {

/// The headings under which the commands are listed.
inline constexpr const char* topic_run = "Run";
inline constexpr const char* topic_understand = "Understand";
inline constexpr const char* topic_many_runs = "Many runs, many machines";
inline constexpr const char* topic_real = "For real";
inline constexpr const char* topic_reference = "Reference";

/// One of motley's commands: its options in named groups, its help, and what it does.
struct Command {
  std::string name;
  std::string summary;     ///< one line
  std::string usage;       ///< "motley run SCENARIO [options]"
  std::string example;     ///< printed by --help
  std::string positional;  ///< the option that takes the arguments without a name; empty: none
  int most_positional = 1;
  std::string topic = topic_reference;
  std::vector<boost::program_options::options_description> groups;
  int (*execute)(const boost::program_options::variables_map& options,
                 const std::vector<std::string>& command_line);
  /// What becomes of a mistake in its words, where several processes are started with them: returns the exit code.
  /// Null: it is thrown.
  int (*refuse)(const InputError& mistake) = nullptr;
};

Command run_command();
Command validate_command();
Command plan_command();
Command merge_command();
Command slurm_command();
Command live_command();
Command calibrate_command();
Command compare_command();
Command algorithms_command();
Command bench_command();
Command explain_command();
Command diff_command();
Command verdicts_command();
Command new_algorithm_command();
Command new_model_command();
Command new_data_command();
Command completion_command();
Command manual_command();

/// All of them, in the order in which they are listed.
std::vector<Command> commands();
Command report_command();
Command new_command();
Command data_command();
Command architectures_command();
Command schema_command();
Command columns_command();

/// Says what is wrong on stderr, in one line, whatever the names in it.
void complain(const std::string& what);
/// That line.
std::string complaint(const std::string& what);

constexpr int exit_when_interrupted = 130;

/// The whole program: finds the command, parses, runs. Returns the exit code: 0 fine, 1 a run
/// failed, 2 bad input, or exit_when_interrupted.
int motley_main(const std::vector<std::string>& command_line);

}  // namespace motley
