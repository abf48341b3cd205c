#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>

#include "sim/base/atomic_file.hpp"
#include "sim/base/format.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/cli/live_plan.hpp"
#include "sim/cli/live_refusal.hpp"
#include "sim/live/cluster_fit.hpp"
#include "sim/live/post.hpp"

namespace po = boost::program_options;

namespace motley {
namespace {

/// From nothing to the scenario's messages, and at least a megabyte.
std::vector<std::uint64_t> sizes_for(std::uint64_t message_bytes) {
  constexpr std::uint64_t at_least = 1'000'000;
  const std::uint64_t largest = std::max(message_bytes, at_least);
  std::vector<std::uint64_t> sizes = {0};
  for (std::uint64_t bytes = 1000; bytes < largest; bytes *= 10) sizes.push_back(bytes);
  if (largest / 2 > sizes.back()) sizes.push_back(largest / 2);
  sizes.push_back(largest);
  return sizes;
}

void check_calibration(const Experiment& experiment, std::size_t ranks, const std::string& file) {
  const ClusterPlan& cluster = experiment.cluster();
  if (!cluster.is_plain_switch() || !cluster.platform_file.empty()) {
    throw InputError(
        file +
        ": /cluster: calibrate describes hosts on one switch; leave out nodes, fabric and "
        "platform");
  }
  const std::size_t needed =
      cluster.workers.size() + std::min<std::size_t>(1, cluster.servers.size());
  if (cluster.workers.size() + cluster.servers.size() < 2) {
    throw InputError(file + ": /cluster: there is nobody to send anything to");
  }
  if (ranks < needed) {
    throw InputError("calibrate needs " + std::to_string(needed) +
                     " ranks, as many as live, and there " +
                     (ranks == 1 ? "is 1" : "are " + std::to_string(ranks)) + ": " +
                     mpirun_line(needed, "motley calibrate " + file + " --out FILE"));
  }
}

void tell_fit(const ClusterFit& fit) {
  const auto line = [](const std::string& name, const FittedLink& link) {
    std::cout << "  " << std::left << std::setw(12) << name << std::setprecision(4)
              << link.up_Bps / 1e6 << " MB/s up, " << link.down_Bps / 1e6 << " MB/s down, "
              << link.latency_s * 1e6 << " us\n";
  };
  std::cout << "Links\n";
  for (const auto& [name, link] : fit.classes) line(name, link);
  if (fit.hub) line("server", *fit.hub);
  for (const auto& [name, speeds] : fit.samples_per_s) {
    std::cout << "Computing, " << name << ":";
    for (const auto& [batch, rate] : speeds) {
      std::cout << " " << batch << ": " << std::setprecision(3) << rate << "/s";
    }
    std::cout << "\n";
  }
  std::cout << "The fit is " << fixed(100 * fit.mean_error(), 1)
            << " % from the timings of messages of 100 kB and more, in the mean\n";
}

/// Where the measured scenario goes. Tried before anything is measured.
std::filesystem::path checked_out(const po::variables_map& options) {
  if (options.count("out") == 0) {
    throw InputError("calibrate: needs --out FILE, where the measured scenario goes");
  }
  std::filesystem::path out = options["out"].as<std::string>();
  if (out.extension() == ".csv") {
    throw InputError(
        "--out: is the scenario, such as measured.json, and the timings go beside it as .csv, "
        "got " +
        out.string());
  }
  const std::filesystem::path folder = out.has_parent_path() ? out.parent_path() : ".";
  std::error_code error;
  if (out.filename().empty() || std::filesystem::is_directory(out, error)) {
    throw InputError("--out: must name a file, got the folder " + out.string());
  }
  if ((error = trial_of_writing(folder))) {
    throw InputError("--out: nothing can be written into " + folder.string() + ": " +
                     error.message());
  }
  return out;
}

int calibrate(const po::variables_map& options, const std::vector<std::string>&) {
  if (mpi_version().empty()) mpi_transport();  // says what to install
  if (!is_started_by_mpi()) {
    checked_out(options);
    const Study study = load_study(options, "calibrate");
    check_calibration(study.experiment(0), 1, study.file());
  }
  const std::unique_ptr<Transport> transport = mpi_transport();
  LiveRanks ranks(*transport);
  std::unique_ptr<Study> study;
  std::filesystem::path out;
  const int refused = prepare_everywhere(*transport, [&] {
    if (ranks.rank() == 0) out = checked_out(options);
    study = std::make_unique<Study>(load_study(options, "calibrate"));
    check_calibration(study->experiment(0), ranks.size(), study->file());
  });
  if (refused != 0) return refused;
  watch_signals();
  const Experiment& experiment = study->experiment(0);
  const bool emulates = experiment.scenario().emulate.value_or(ranks.share_machine());
  const SimulationSetup setup = experiment.setup(1, {}, "", {});
  const Measured measured =
      calibrate(ranks, {setup, !emulates, sizes_for(experiment.message_bytes())});
  if (ranks.rank() != 0) return 0;
  const ClusterFit fit = fit_cluster(measured, experiment.cluster());
  Json scenario = with_fit(study->full(), fit);
  std::ostringstream how;
  how << "Links " << (emulates ? "" : "and speeds ")
      << "as measured by motley calibrate; the fit is " << fixed(100 * fit.mean_error(), 1)
      << " % from the timings of messages of 100 kB and more, in the mean.";
  scenario["cluster"]["//"] = how.str();
  replace_atomically(out, scenario.dump(2) + "\n");
  std::filesystem::path csv = out;
  csv.replace_extension(".csv");
  replace_atomically(csv, to_csv(fit));
  tell_fit(fit);
  std::cout << "\nWrote " << out.string() << " and the timings in " << csv.string() << "\n";
  return 0;
}

}  // namespace

Command calibrate_command() {
  Command command;
  command.name = "calibrate";
  command.topic = topic_real;
  command.summary = "measure the machines of an MPI job and write a scenario that describes them";
  command.usage = "mpirun -n RANKS motley calibrate SCENARIO --out FILE [options]";
  command.example = "mpirun -n 9 motley calibrate scenarios/quickstart.json --out measured.json";
  command.positional = "scenario";
  po::options_description results("Results");
  results.add_options()(
      "out", po::value<std::string>()->value_name("FILE"),
      "where the scenario with the measured cluster goes; the timings go beside it "
      "as .csv");
  command.groups.push_back(scenario_options());
  command.groups.push_back(results);
  command.execute = calibrate;
  command.refuse = refuse_everywhere;
  return command;
}

}  // namespace motley
