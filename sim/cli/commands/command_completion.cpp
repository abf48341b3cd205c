#include <iostream>

#include "sim/base/place.hpp"
#include "sim/cli/command_line.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

using OptionPointer = boost::shared_ptr<po::option_description>;

std::vector<OptionPointer> options_of(const Command& command) {
  std::vector<OptionPointer> all;
  for (const po::options_description& group : command.groups) {
    all.insert(all.end(), group.options().begin(), group.options().end());
  }
  return all;
}

bool takes_value(const po::option_description& option) {
  return option.semantic()->max_tokens() > 0;
}

/// What stands behind a command without a name.
enum class Completed { scenario, folder, other };
Completed completed_of(const Command& command) {
  if (command.positional == "scenario") return Completed::scenario;
  const bool is_folder = command.positional == "results" || command.positional == "folder" ||
                         command.name == "explain";
  return is_folder ? Completed::folder : Completed::other;
}

std::string names_of(const std::vector<Command>& all) {
  std::string names;
  for (const Command& command : all) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

std::string bash_completion() {
  std::string text =
      "# bash completion of motley; written by: motley completion bash\n"
      "_motley() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
      "command=${COMP_WORDS[1]}\n"
      "  local options='' values='' files=''\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W '" +
      names_of(commands()) +
      " --help --version' -- \"$current\")\n    return\n  fi\n  case $command in\n";
  for (const Command& command : commands()) {
    std::string options;
    std::string values;
    for (const OptionPointer& option : options_of(command)) {
      options += "--" + option->long_name() + " ";
      if (takes_value(*option)) values += (values.empty() ? "--" : "|--") + option->long_name();
    }
    const Completed what = completed_of(command);
    text += "    " + command.name + ") options='" + options + "--help' values='" + values +
            "' files='" +
            (what == Completed::scenario ? "json"
             : what == Completed::folder ? "folder"
                                         : "") +
            "' ;;\n";
  }
  text +=
      "  esac\n"
      "  case \"|$values|\" in\n"
      "    *\"|$before|\"*) mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return ;;\n"
      "  esac\n"
      "  case $current in\n"
      "    -*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\"); return ;;\n"
      "  esac\n"
      "  case $files in\n"
      "    json) mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- \"$current\"; compgen -d -- "
      "\"$current\") ;;\n"
      "    folder) mapfile -t COMPREPLY < <(compgen -d -- \"$current\") ;;\n"
      "    *) [ \"$command\" = algorithms ] &&\n"
      "      mapfile -t COMPREPLY < <(compgen -W \"$(motley algorithms --json 2>/dev/null |\n"
      "        sed -n 's/^   \"name\": \"\\(.*\\)\",$/\\1/p')\" -- \"$current\") ;;\n"
      "  esac\n"
      "}\n"
      "complete -o filenames -F _motley motley\n";
  return text;
}

/// As a description inside a quoted specification of _arguments.
std::string zsh_quoted(const std::string& words) {
  std::string text;
  for (const char c : words) {
    if (c == '\'')
      text += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      text += std::string("\\") + c;
    else
      text += c == '\n' ? ' ' : c;
  }
  return text;
}

std::string zsh_completion() {
  std::string text =
      "#compdef motley\n# zsh completion of motley; written by: motley completion zsh\n\n"
      "_motley() {\n  local -a all\n  all=(\n";
  for (const Command& command : commands()) {
    text += "    '" + zsh_quoted(command.name) + ":" + zsh_quoted(command.summary) + "'\n";
  }
  text +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command all\n    return\n  fi\n  local "
      "command=$words[2]\n"
      "  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const Command& command : commands()) {
    text += "    " + command.name + ")\n      _arguments \\\n";
    for (const OptionPointer& option : options_of(command)) {
      text +=
          "        '*--" + option->long_name() + (takes_value(*option) ? "=" : "") + "[" +
          zsh_quoted(option->description()) + "]" +
          (takes_value(*option) ? ":" + zsh_quoted(option->format_parameter()) + ":_files" : "") +
          "' \\\n";
    }
    const Completed what = completed_of(command);
    text += std::string("        '--help[print help]' \\\n        '*:argument:") +
            (what == Completed::scenario ? "_files -g \"*.json\""
             : what == Completed::folder ? "_files -/"
                                         : "_files") +
            "' ;;\n";
  }
  return text + "  esac\n}\n\n_motley \"$@\"\n";
}

int completion(const po::variables_map& options, const std::vector<std::string>&) {
  const std::string shell =
      options.count("shell") > 0 ? options["shell"].as<std::vector<std::string>>().front() : "";
  if (shell != "bash" && shell != "zsh") {
    throw InputError("completion: needs a shell, bash or zsh" +
                     (shell.empty() ? std::string() : ", got '" + shell + "'"));
  }
  std::cout << (shell == "bash" ? bash_completion() : zsh_completion());
  return 0;
}

}  // namespace

Command completion_command() {
  Command command;
  command.name = "completion";
  command.topic = topic_reference;
  command.summary = "print the completion of commands and options for bash or zsh";
  command.usage = "motley completion bash|zsh";
  command.example = "source <(motley completion bash)";
  command.positional = "shell";
  command.execute = completion;
  return command;
}

}  // namespace motley
