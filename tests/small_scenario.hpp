#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/program.hpp"

/// A small scenario, and the program at work on it as a user would call it.
namespace motley {

namespace fs = std::filesystem;
using tests::Environment;
using tests::lines_of;
using tests::Outcome;
using tests::read_file;
using tests::rows_of;
using tests::run_motley;
using tests::TemporaryFolder;

inline const std::string small = R"({
  "name": "small",
  "data": {"kind": "synthetic", "train": 200, "test": 100, "features": 5, "classes": 3},
  "model": {"kind": "softmax"},
  "cluster": {
    "workers": [{"name": "gpu", "count": 2, "speed": "1Gf"}, {"name": "cpu", "speed": "100Mf"}],
    "server": {"speed": "1Gf"},
    "link": {"bandwidth": "1Gbps", "latency": "10us"}
  },
  "target": {"accuracy": 0.5},
  "stop": {"updates": 20},
  "defaults": {"batch_size": 8, "step_size": 0.1},
  "algorithms": [{"name": "sync"}, {"name": "async"}]
})";

/// A folder with the small scenario in it, in which the program runs.
class Workplace : public TemporaryFolder {
 public:
  Workplace() { write("s.json", small); }

  Outcome motley(const std::vector<std::string>& arguments,
                 const Environment& environment = {}) const {
    return run_motley(arguments, path(), environment);
  }
  /// `motley run s.json --out out` and more.
  Outcome run(const std::vector<std::string>& more = {},
              const Environment& environment = {}) const {
    std::vector<std::string> arguments = {"run", "s.json", "--out", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return motley(arguments, environment);
  }
  Outcome run_with(const std::string& override) const { return run({"--set", override}); }
  std::string result(const std::string& name) const { return read_file(path() / "out" / name); }
  bool has(const std::string& name) const { return fs::exists(path() / name); }
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline void check_refused(const Outcome& outcome, const std::string& message) {
  CHECK(outcome.err == "motley: " + message + "\n");
  CHECK(outcome.out.empty());
  CHECK(outcome.exit_code == 2);
}

inline std::string platform_of(const std::string& hosts) {
  return "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n<zone id=\"zone\" routing=\"Full\">\n" +
         hosts + "</zone>\n</platform>\n";
}

inline std::string host(const std::string& name, const std::string& role) {
  return "<host id=\"" + name + "\" speed=\"1Gf\">" +
         (role.empty() ? "" : "<prop id=\"role\" value=\"" + role + "\"/>") + "</host>\n";
}

}  // namespace motley
