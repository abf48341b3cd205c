#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <unistd.h>

#include "sim/base/atomic_file.hpp"
#include "sim/base/format.hpp"
#include "sim/base/machine_memory.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/command_options.hpp"
#include "sim/cli/last_words.hpp"
#include "sim/cli/live_plan.hpp"
#include "sim/cli/live_refusal.hpp"
#include "sim/cli/reporting.hpp"
#include "sim/live/cluster_fit.hpp"
#include "sim/live/interrupts.hpp"
#include "sim/live/rank_names.hpp"
#include "sim/results/tables/timings_table.hpp"

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

/// What is measured where no scenario is given: every rank is a class of its own, the last one the server. Speeds and
/// links are those that the measured ones take the place of.
Json plain_scenario(std::size_t ranks) {
  Json scenario = Json::parse(R"({
    "name": "calibrated",
    "data": {"kind": "synthetic", "features": 784, "classes": 10, "train": 2000, "test": 100},
    "model": {"kind": "mlp", "hidden": [128]},
    "cluster": {
      "workers": [],
      "server": {"speed": "1Gf"},
      "link": {"bandwidth": "1Gbps", "latency": "100us"}
    },
    "stop": {"updates": 1},
    "defaults": {"batch_size": 1, "step_size": 0.1},
    "algorithms": [{"name": "sync"}]
  })");
  for (std::size_t rank = 0; rank + 1 < ranks; ++rank) {
    scenario["cluster"]["workers"].push_back(
        {{"name", "rank_" + std::to_string(rank)}, {"speed", "1Gf"}});
  }
  return scenario;
}
constexpr std::uint64_t plain_message_bytes = 10'000'000;

/// The scenario that is given, or else the plain one, by a file that is there while it is read.
std::unique_ptr<Study> study_for(const po::variables_map& options, std::size_t ranks) {
  if (options.count("scenario") > 0) {
    return std::make_unique<Study>(load_study(options, "calibrate"));
  }
  if (ranks < 2) {
    throw InputError(
        "calibrate needs at least 2 ranks, a worker and the server, or a scenario that says which "
        "there are: " +
        mpirun_line(2, "motley calibrate --out FILE"));
  }
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("motley_calibrate_" + std::to_string(getpid()) + ".json");
  const auto remove = [&] {
    std::error_code error;
    std::filesystem::remove(file, error);
  };
  try {
    replace_atomically(file, plain_scenario(ranks).dump(2) + "\n");
    po::variables_map with_file = options;
    with_file.insert({"scenario", po::variable_value(std::vector<std::string>{file}, false)});
    auto study = std::make_unique<Study>(load_study(with_file, "calibrate"));
    remove();
    return study;
  } catch (...) {
    remove();
    throw;
  }
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
    throw InputError(file + ": /cluster: there is no host to send anything to");
  }
  if (ranks < needed) {
    throw InputError("calibrate needs " + std::to_string(needed) + " ranks, one per worker" +
                     (cluster.servers.empty() ? "" : " and one for the server") + ", and there " +
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
            << " % from the timings of messages of 100 kB and more, on average\n";
  if (!fit.speeds.empty()) {
    std::cout << "Computing: the fit is " << fixed(100 * fit.mean_speed_error(), 1)
              << " % from the timings of gradients, on average\n";
  }
}

/// Where what was written does not describe what was measured.
void warn_of_bad_fit(const ClusterFit& fit) {
  constexpr double bad = 0.1;
  if (fit.mean_error() > bad) {
    const FittedTiming& worst = fit.worst();
    complain("warning: links that are " + fixed(100 * fit.mean_error(), 0) +
             " % from their own timings predict no better than that; the worst is " +
             Timing::name(worst.what) + " of " + shown_bytes(static_cast<double>(worst.bytes)) +
             " with " + counted(worst.senders, "sender") + ", " + seconds(worst.seconds) +
             " measured and " + seconds(worst.fitted_s) +
             " fitted. The machines may be busy, or not be hosts on one switch: measure again");
  }
  if (fit.mean_speed_error() > bad) {
    complain("warning: workers of a class are " + fixed(100 * fit.mean_speed_error(), 0) +
             " % from its speed on average: give those that are faster a class of their own");
  }
}

/// Beside the scenario.
std::filesystem::path timings_file(std::filesystem::path out) {
  return out.replace_extension(".csv");
}

/// Where the measured scenario goes. Tried before anything is measured.
std::filesystem::path checked_out(const po::variables_map& options) {
  if (options.count("out") == 0) {
    throw InputError("calibrate: needs --out FILE, where the measured scenario goes");
  }
  if (options.count("figure") > 0) {
    check_figure_name(options["figure"].as<std::string>());
    check_report_possible();
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
  if (options.count("scenario") > 0) {
    for (const std::string& scenario : options["scenario"].as<std::vector<std::string>>()) {
      if (std::filesystem::equivalent(out, scenario, error)) {
        throw InputError("--out: is the scenario itself, which would be lost: name another file");
      }
    }
  } else if (options.count("set") > 0) {
    throw InputError("--set: changes a scenario, and calibrate was given none");
  }
  const std::filesystem::path csv = timings_file(out);
  if (std::filesystem::exists(csv, error)) {
    std::ifstream in(csv);
    std::string first;
    std::getline(in, first);
    if (first + "\n" != timings_table().header()) {
      throw InputError("--out: the timings would go to " + csv.string() +
                       ", which holds something else: name another file");
    }
  }
  if ((error = trial_of_writing(folder))) {
    throw InputError("--out: nothing can be written into " + folder.string() + ": " +
                     error.message());
  }
  return out;
}

int calibrate_together(const po::variables_map& options, LastWords& words, Transport& transport) {
  LiveRanks ranks(transport);
  std::unique_ptr<Study> study;
  std::filesystem::path out;
  std::size_t rounds = 0;
  const int refused = prepare_everywhere(transport, [&] {
    rounds = positive_option(options, "rounds", 1);
    if (ranks.rank() == 0) out = checked_out(options);
    study = study_for(options, ranks.size());
    check_calibration(study->experiment(0), ranks.size(), study->file());
  });
  if (refused != 0) {
    words.say_no_more();  // the first rank has said it
    return refused;
  }
  const bool is_plain = options.count("scenario") == 0;
  const Experiment& experiment = study->experiment(0);
  // Nothing but a scenario can say how fast workers are to be that are not as fast as they are.
  const bool emulates = experiment.scenario().emulate.value_or(!is_plain && ranks.share_machine());
  const SimulationSetup setup = experiment.setup(1, {}, "", {});
  words.introduce(name_of_rank(experiment.cluster(), ranks.rank()), "");
  words.expect({"the calibration is over: "}, LastWords::Interrupt::is_noted);
  CalibrationSetup calibration{
      setup, !emulates, sizes_for(is_plain ? plain_message_bytes : experiment.message_bytes()),
      rounds};
  if (ranks.rank() == 0 && options.count("quiet") == 0) {
    calibration.tell = [](const std::string& next) {
      std::cerr << "measuring " << next << std::endl;
    };
  }
  std::optional<Ending> bad;
  calibration.ends_badly = [&](const Ending& ending) {
    words.say(ending.reason);
    bad = ending;
  };
  const Measured measured = calibrate(ranks, calibration);
  words.expect({"the job is over: "}, LastWords::Interrupt::ends_at_once);
  if (interrupting_signal() != 0) words.leave(exit_when_interrupted);
  if (bad) words.leave(bad->how == Ending::How::interrupted ? exit_when_interrupted : 1);
  if (ranks.rank() != 0) return 0;
  const ClusterFit fit = fit_cluster(measured, experiment.cluster());
  Json scenario = with_fit(study->full(), fit);
  std::ostringstream how;
  how << "Links " << (emulates ? "" : "and speeds ")
      << "as measured by motley calibrate; the fit is " << fixed(100 * fit.mean_error(), 1)
      << " % from the timings of messages of 100 kB and more, on average";
  if (!fit.speeds.empty()) {
    how << ", and " << fixed(100 * fit.mean_speed_error(), 1) << " % from those of gradients";
  }
  how << ".";
  scenario["cluster"]["//"] = how.str();
  if (is_plain) {
    const Json whole = scenario;
    scenario = Json{{"cluster", whole["cluster"]}, {"network", whole["network"]}};
  }
  replace_atomically(out, scenario.dump(2) + "\n");
  const std::filesystem::path csv = timings_file(out);
  replace_atomically(csv, to_csv(fit));
  tell_fit(fit);
  warn_of_bad_fit(fit);
  std::cout << "\nWrote " << out.string() << " and the timings in " << csv.string() << "\n";
  if (options.count("figure") > 0) return draw_prediction(csv, options["figure"].as<std::string>());
  return 0;
}

int calibrate(const po::variables_map& options, const std::vector<std::string>&) {
  if (mpi_version().empty()) mpi_transport();  // says what to install
  if (!is_started_by_mpi()) {
    positive_option(options, "rounds", 1);
    checked_out(options);
    const std::unique_ptr<Study> study = study_for(options, 1);
    check_calibration(study->experiment(0), 1, study->file());
  }
  LastWords words(rank_by_environment());
  const std::unique_ptr<Transport> transport = mpi_transport();
  try {
    const int code = calibrate_together(options, words, *transport);
    transport->end();
    return code;
  } catch (const std::exception& e) {
    words.say(e.what());
    words.leave(1);
  }
}

}  // namespace

Command calibrate_command() {
  Command command;
  command.name = "calibrate";
  command.topic = topic_real;
  command.summary = "measure the machines of an MPI job and write a scenario that describes them";
  command.usage = "mpirun -n RANKS motley calibrate [SCENARIO] --out FILE [options]";
  command.example = "mpirun -n 9 motley calibrate scenarios/quickstart.json --out measured.json";
  command.positional = "scenario";
  po::options_description measuring("Measuring");
  measuring.add_options()(
      "rounds", po::value<int>()->value_name("N")->default_value(5),
      "how many times every message is timed; medians are used. More rounds help where "
      "machines or links also do other work");
  po::options_description results("Results");
  results.add_options()(
      "out", po::value<std::string>()->value_name("FILE"),
      "where the scenario with the measured cluster goes; the timings go beside it "
      "as .csv; without a SCENARIO only its sections cluster and network, a class for each rank")(
      "figure", po::value<std::string>()->value_name("FILE"),
      "draw the fit against the timings (a .png, .svg or .pdf)")("quiet,q",
                                                                 "show no progress, only the fit");
  command.groups.push_back(scenario_options());
  command.groups.push_back(measuring);
  command.groups.push_back(results);
  command.execute = calibrate;
  command.refuse = refuse_everywhere;
  return command;
}

}  // namespace motley
