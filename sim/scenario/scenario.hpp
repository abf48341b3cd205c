#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/scenario/change_spec.hpp"
#include "sim/scenario/evaluation_interval.hpp"
#include "sim/scenario/fabric.hpp"
#include "sim/scenario/failures.hpp"
#include "sim/scenario/fields.hpp"
#include "sim/scenario/layer_profile.hpp"
#include "sim/scenario/link_spec.hpp"
#include "sim/scenario/measured_throughput.hpp"
#include "sim/scenario/noise.hpp"
#include "sim/scenario/power.hpp"
#include "sim/scenario/speed_trace.hpp"
#include "sim/scenario/spread.hpp"
#include "sim/scenario/traffic_spec.hpp"
#include "sim/scenario/tune.hpp"

/// The scenario as the user wrote it, checked and in SI units. Every struct carries its own field
/// descriptions; defaults live there and nowhere else.
namespace motley {

struct WorkerClassSpec {
  std::string name;
  std::size_t count = 1;
  std::optional<double> speed_flops;
  std::optional<MeasuredThroughput> samples_per_s;
  std::optional<double> step_overhead_s;  ///< of each gradient, beside its samples; with speed
  std::optional<std::size_t> max_batch;   ///< that fits its memory
  std::optional<SpreadSpec> spread;       ///< absent: all are equally fast
  std::optional<NoiseSpec> noise;
  std::optional<std::vector<ChangeSpec>> changes;
  std::optional<SlowdownSpec> slowdowns;
  std::optional<LinkSpec> link;
  std::optional<std::size_t> per_node;  ///< absent: every worker is a machine of its own
  std::optional<LinkSpec> inside;       ///< given when per_node is
  std::optional<PowerSpec> power;
  std::optional<double> price_per_hour;

  static Fields<WorkerClassSpec> fields();
};

struct ServerSpec {
  double speed_flops = 0;
  std::optional<LinkSpec> link;
  std::optional<std::string> on;  ///< the class of workers on a node of which it runs
  std::optional<PowerSpec> power;
  std::optional<double> price_per_hour;

  static Fields<ServerSpec> fields();
};

/// Some equal ones of several servers, which share the model.
struct ServerClassSpec : ServerSpec {
  std::size_t count = 1;

  static Fields<ServerClassSpec> fields();
};

struct ClusterSpec {
  std::vector<WorkerClassSpec> workers;
  std::optional<ServerSpec> server;
  std::vector<ServerClassSpec> servers;  ///< instead of one server
  std::optional<LinkSpec> link;
  std::optional<FabricSpec> fabric;  ///< absent: one switch
  std::optional<NoiseSpec> noise;    ///< of every class that has none of its own
  std::optional<std::vector<NamedChangeSpec>> changes;
  std::optional<SlowdownSpec> slowdowns;  ///< of every class that has none of its own
  std::optional<TraceSpec> trace;
  std::optional<std::vector<TrafficSpec>> traffic;
  std::optional<std::string> platform;  ///< a SimGrid platform file instead of all the above
  std::optional<FailuresSpec> failures;

  static Fields<ClusterSpec> fields();
};

struct CostSpec {
  std::optional<double> flops_per_sample;  ///< empty: those of the model really trained
  std::optional<double> model_size_bytes;  ///< empty: 4 bytes per parameter really trained
  double flops_per_update = 0;             ///< of a server, for the whole model
  std::optional<LayerProfile> profile;     ///< instead of the first two: layer by layer

  static Fields<CostSpec> fields();
};

/// Where exactness is given up for speed; nothing by default.
struct ApproximateSpec {
  enum class Ring { messages, fluid };
  std::optional<std::size_t> port_flows;  ///< empty: all messages share a link at once
  Ring ring = Ring::messages;

  static Fields<ApproximateSpec> fields();
};

struct TargetSpec {
  std::optional<double> accuracy;  ///< reached when test accuracy is at least this
  std::optional<double> loss;      ///< reached when test loss is at most this

  static Fields<TargetSpec> fields();
};

struct StopSpec {
  std::optional<double> time_s;
  std::optional<std::uint64_t> updates;
  std::optional<std::uint64_t> samples;
  std::optional<double> epochs;
  bool at_target = false;
  double diverged_above = 0;  ///< as a multiple of the initial test loss

  static Fields<StopSpec> fields();
};

struct EvaluateSpec {
  EvaluationInterval every;

  static Fields<EvaluateSpec> fields();
};

struct Scenario {
  enum class Network { fluid, tcp };
  enum class Solver { fast, simgrid };

  std::string name;
  std::string schema;                               ///< "$schema", for editors
  std::optional<std::vector<std::string>> plugins;  ///< shared libraries, from this file's folder
  std::uint64_t seed = 1;
  std::optional<Json> data;  ///< read by its kind's own description, as the model is
  Json model;
  ClusterSpec cluster;
  CostSpec cost;
  Network network = Network::fluid;
  Solver solver = Solver::fast;
  ApproximateSpec approximate;
  std::optional<TargetSpec> target;
  StopSpec stop;
  EvaluateSpec evaluate;
  Json defaults;                 ///< values for every algorithm that does not say otherwise
  std::vector<Json> algorithms;  ///< checked by the algorithms' own descriptions
  std::optional<std::string> baseline;
  std::uint64_t replicas = 1;  ///< replica r is the same with seed + r
  Json sweep;                  ///< see read_axes(); a point of the sweep is a scenario of its own
  std::optional<TuneSpec> tune;
  std::optional<bool> emulate;  ///< of live runs

  static Fields<Scenario> fields();
};

/// A scenario with where it came from and its full text, all defaults filled in.
struct LoadedScenario {
  std::string file;
  Scenario scenario;
  Json full;
};

/// Refuses what cannot be the name of a folder, a host or a run.
void check_name(const std::string& name, const Place& place);

/// One `--set /pointer=JSON`; a value that is not JSON is taken as text, so `--set /stop/time=10s`
/// needs no quotes.
struct Override {
  std::string pointer;
  Json value;
};
Override parse_override(const std::string& argument);

/// Puts the value where the pointer says; `place` is that of the change, for InputErrors.
void apply_override(Json& scenario, const Override& change, const Place& place);

/// The scenario as it is written, with the overrides, still unchecked. Throws InputError.
Json read_scenario(const std::string& file, const std::vector<Override>& overrides);

/// Checks all but the sweep, the data, the model and the algorithms' own parameters. Throws
/// InputError.
LoadedScenario check_scenario(const std::string& file, Json scenario);

/// Both.
LoadedScenario load_scenario(const std::string& file, const std::vector<Override>& overrides);

}  // namespace motley
