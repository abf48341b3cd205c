#include <iostream>

#include "sim/cli/command_line.hpp"
#include "sim/study/provenance.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

/// Text as roff takes it: no line of it is a request, and a dash is one.
std::string roff(const std::string& words) {
  std::string text;
  bool begins = true;
  for (const char c : words) {
    if (begins && (c == '.' || c == '\'')) text += "\\&";
    if (c == '-')
      text += "\\-";
    else if (c == '\\')
      text += "\\e";
    else
      text += c;
    begins = c == '\n';
  }
  return text;
}

void print_command_manual(const Command& command) {
  std::cout << ".SS " << roff(command.name) << "\n"
            << roff(command.summary) << ".\n.PP\n.B " << roff(command.usage) << "\n";
  for (const po::options_description& group : command.groups) {
    for (const auto& option : group.options()) {
      std::cout << ".TP\n.B " << roff("--" + option->long_name());
      if (option->semantic()->max_tokens() > 0) {
        std::cout << " " << roff(option->format_parameter());
      }
      std::cout << "\n" << roff(option->description()) << "\n";
    }
  }
  std::cout << ".PP\nExample:\n.PP\n.RS\n.EX\n" << roff(command.example) << "\n.EE\n.RE\n";
}

int manual(const po::variables_map&, const std::vector<std::string>&) {
  std::cout
      << ".TH MOTLEY 1 \"\" \"" << roff(version_line()) << "\" \"Motley\"\n"
      << ".SH NAME\nmotley \\- simulate distributed SGD on uneven clusters\n"
      << ".SH SYNOPSIS\n.B motley\n.I COMMAND\n[options]\n"
      << ".SH DESCRIPTION\n"
      << "Node speeds and contended links in virtual time (SimGrid), the gradients for real. "
         "Motley answers which algorithm reaches an accuracy first on a cluster, by how much, "
         "and why.\n.PP\nA scenario is a JSON file; "
      << roff(
             "'motley new NAME' writes one to start from, 'motley run quickstart' runs one "
             "that comes with the program")
      << ".\n.SH COMMANDS\n";
  for (const Command& command : commands()) print_command_manual(command);
  std::cout
      << ".SH EXIT STATUS\n"
      << ".TP\n0\nAll is well.\n.TP\n1\nA run failed, or what " << roff("--fail-unless")
      << " asks does not hold.\n.TP\n2\nThe input is wrong; the message "
         "says where.\n.TP\n130\nInterrupted; what was finished is kept.\n"
      << ".SH FILES\n.TP\n.I results/NAME\nResults of the scenario NAME, unless " << roff("--out")
      << " names another folder.\n.TP\n.I ../share/motley\n"
         "From the folder of the program: scenarios that come with it, their schema, and what "
         "draws the reports.\n";
  return 0;
}

}  // namespace

Command manual_command() {
  Command command;
  command.name = "manual";
  command.topic = topic_reference;
  command.summary = "print the manual page, for man";
  command.usage = "motley manual";
  command.example = "motley manual | man -l -";
  command.execute = manual;
  return command;
}

}  // namespace motley
