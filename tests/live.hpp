#pragma once
// For tests that run algorithms for real: several processes of this machine, by mpirun.

#include <cstdlib>
#include <iostream>

#include "tests/small_scenario.hpp"

namespace motley {

/// Where mpirun is; ends the test program with 77, "skipped", where it is not or the program was built without MPI.
inline const std::string& mpirun() {
  static const std::string found = [] {
    const TemporaryFolder nowhere;
    const Outcome built = run_motley({"live", "absent.json"}, nowhere.path());
    if (!contains(built.err, "without MPI")) {
      for (const char* place : {"/usr/bin/mpirun", "/usr/local/bin/mpirun"}) {
        if (fs::exists(place)) return std::string(place);
      }
    }
    std::cerr << "SKIPPED: no MPI here (Debian: libopenmpi-dev openmpi-bin)\n";
    std::exit(77);
  }();
  return found;
}

inline const Environment& mpi_environment() {
  static const Environment environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                          {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                                          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
                                          {"OMPI_MCA_mpi_yield_when_idle", "1"},
                                          {"PMIX_MCA_gds", "hash"}};
  return environment;
}

/// Three workers, one of them half as fast, and a server: a step takes 4 or 8 ms, messages of 100 kB next to nothing.
inline const std::string live_scenario = R"({
  "name": "small",
  "data": {"kind": "synthetic", "train": 200, "test": 100, "features": 5, "classes": 3},
  "model": {"kind": "softmax"},
  "cluster": {
    "workers": [{"name": "gpu", "count": 2, "samples_per_s": 2000}, {"name": "cpu", "samples_per_s": 1000}],
    "server": {"speed": "1Gf"},
    "link": {"bandwidth": "10Gbps", "latency": "10us"}
  },
  "cost": {"flops_per_sample": "1kf", "model_size": "100kB"},
  "target": {"loss": 0.6},
  "stop": {"updates": 12},
  "evaluate": {"every": 4},
  "defaults": {"batch_size": 8, "step_size": 0.1},
  "algorithms": [{"name": "sync"}, {"name": "async"}, {"name": "stale"}, {"name": "allreduce"},
                 {"name": "local", "local_steps": 2}, {"name": "grouping"}, {"name": "od_sgd"},
                 {"name": "biased_local", "local_steps": 2}]
})";

class LivePlace : public Workplace {
 public:
  LivePlace() { write("live.json", live_scenario); }

  static std::vector<std::string> words(int ranks, const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"-n", std::to_string(ranks), "--bind-to", "none",
                                    MOTLEY_BINARY};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  /// `more`: environment beside that of all such tests.
  Outcome live(int ranks, const std::vector<std::string>& arguments,
               const Environment& more = {}) const {
    Environment environment = mpi_environment();
    environment.insert(more.begin(), more.end());
    return tests::run_program(mpirun(), words(ranks, arguments), path(), environment);
  }
};

}  // namespace motley
