#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "sim/base/regular_file.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/scenario_schema.hpp"
#include "sim/scenario/scenario.hpp"

namespace po = boost::program_options;
namespace fs = std::filesystem;

namespace motley {
namespace {

/// Runs as it is, in seconds, with nothing to install. NAME stands for its name.
const char* const starting_scenario = R"json({
  "$schema": "schema.json",
  "//": "Run with: motley run NAME.json. Keys that begin with // are comments. motley validate NAME.json checks without running.",
  "name": "NAME",
  "seed": 1,

  "//data": "What is learnt. Others: {\"kind\": \"fashion_mnist\"}, {\"kind\": \"idx\", \"path\": ...}, {\"kind\": \"csv\", \"path\": ..., \"label\": ...}.",
  "data": {"kind": "synthetic", "train": 4000, "test": 1000, "features": 20, "classes": 10},
  "//model": "What is really trained: softmax, mlp with hidden sizes, or the synthetic quadratic.",
  "model": {"kind": "mlp", "hidden": [32]},

  "//cluster": "Eight workers; the slower half takes four times as long. Other laws of spread: linear, sqrt, straggler, lognormal, pareto, list. The noise makes every step a little longer at random.",
  "cluster": {
    "workers": [
      {"name": "node", "count": 8, "speed": "1Tf",
       "spread": {"law": "ratio", "ratio": 4, "slow_share": 0.5},
       "noise": {"law": "half_normal", "sigma": 0.05}}
    ],
    "server": {"speed": "10Tf"},
    "link": {"bandwidth": "10Gbps", "latency": "50us"}
  },
  "//cost": "What the model you have in mind costs; without these, what the small model above costs.",
  "cost": {"flops_per_sample": "10Gf", "model_size": "10MB"},

  "//target": "What the algorithms race for, and when to give up.",
  "target": {"accuracy": 0.75},
  "stop": {"time": "60s"},

  "//algorithms": "What is compared; the others are measured against the first. motley algorithms lists them all.",
  "defaults": {"batch_size": 32, "step_size": 0.5},
  "algorithms": [
    {"name": "sync"},
    {"name": "allreduce"},
    {"name": "async", "step_size": 0.1},
    {"name": "local", "local_steps": 4}
  ],

  "//replicas": "How often each run is repeated with another seed; two or more give intervals.",
  "replicas": 2,
  "//sweep": "To see where the ranking changes: \"sweep\": {\"/cluster/workers/0/spread/ratio\": [1, 2, 4, 8]}. To measure the others against another algorithm: \"baseline\": \"async\"."
}
)json";

void write_new(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (!out) throw InputError(file.string() + ": cannot be written: " + std::strerror(errno));
}

/// Whether something is there, if only a link that leads nowhere: that would be written through.
bool is_taken(const fs::path& file) {
  std::error_code ignored;
  const fs::file_type type = fs::symlink_status(file, ignored).type();
  return type != fs::file_type::not_found && type != fs::file_type::none;
}

/// Nothing of what is no file.
std::string contents(const fs::path& file) {
  if (!why_not_regular(file).empty()) return "";
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

int make_new(const po::variables_map& options, const std::vector<std::string>&) {
  if (options.count("name") == 0) throw InputError("new: needs a name for the scenario");
  fs::path file = options["name"].as<std::vector<std::string>>().front();
  if (file.extension() != ".json") file += ".json";
  const std::string name = file.stem().string();
  check_name(name, {"", "new"});
  if (is_taken(file)) throw InputError(file.string() + ": exists already; choose another name");

  std::string text = starting_scenario;
  for (std::size_t at = text.find("NAME"); at != std::string::npos; at = text.find("NAME", at)) {
    text.replace(at, 4, name);
    at += name.size();
  }
  const fs::path schema = file.parent_path() / "schema.json";
  write_new(file, text);
  std::cout << "wrote " << file.string() << "; run it with: motley run " << file.string() << "\n";
  const std::string schema_text = scenario_schema().dump(2) + "\n";
  if (!is_taken(schema)) {
    write_new(schema, schema_text);
    std::cout << "wrote " << schema.string() << ", from which editors complete and check it\n";
  } else if (contents(schema) != schema_text) {
    std::cout << "left " << schema.string()
              << " as it is, though this version has another; to renew it: motley schema > "
              << schema.string() << "\n";
  }
  return 0;
}

}  // namespace

Command new_command() {
  Command command;
  command.name = "new";
  command.topic = topic_run;
  command.summary = "write a commented scenario to start from";
  command.usage = "motley new NAME";
  command.example = "motley new mine && motley run mine.json";
  command.positional = "name";
  command.execute = make_new;
  return command;
}

}  // namespace motley
