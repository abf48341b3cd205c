#include "sim/base/json.hpp"
#include "sim/base/limits.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/sweep.hpp"

namespace motley {
namespace {

/// Of workers and servers.
template <class Host>
void add_expenses(Fields<Host>& f) {
  f.add({.name = "power",
         .doc = "power drawn by each; energy is reported if any host or link has a power"},
        &Host::power);
  f.add({.name = "price_per_hour",
         .doc = "of each, in any currency, while it takes part; costs are reported if any host has "
                "a price",
         .minimum = 0},
        &Host::price_per_hour);
}

}  // namespace

Fields<WorkerClassSpec> WorkerClassSpec::fields() {
  Fields<WorkerClassSpec> f;
  f.add({.name = "name", .doc = "of the class; its workers are called name-0, name-1, ..."},
        &WorkerClassSpec::name);
  f.add({.name = "count",
         .doc = "how many there are",
         .fallback = 1,
         .minimum = 1,
         .maximum = limits::most_workers},
        &WorkerClassSpec::count);
  f.add({.name = "speed",
         .doc = "flops per second one worker really reaches",
         .dimension = Dimension::speed,
         .minimum = 0,
         .above_minimum = true},
        &WorkerClassSpec::speed_flops);
  f.add({.name = "samples_per_s",
         .doc = "instead of speed: training samples per second one worker reaches; or as measured, "
                "by batch size: {\"1\": 40, \"8\": 220, \"32\": 410}. The time of a batch in "
                "between is on the straight line; beyond the largest the throughput stays; below "
                "the smallest the line of the first two goes on, or the throughput stays where "
                "that would be below 0 for an empty batch",
         .minimum = 0,
         .above_minimum = true,
         .type = "number"},
        &WorkerClassSpec::samples_per_s);
  f.add(
      {.name = "step_overhead",
       .doc = "with speed: time that each gradient takes beside its samples; like all of its time "
              "it is multiplied by the noise, but neither spread nor a faster device changes it",
       .dimension = Dimension::time,
       .minimum = 0},
      &WorkerClassSpec::step_overhead_s);
  f.add({.name = "max_batch",
         .doc = "the largest batch that fits one worker's memory; a larger one is an error",
         .minimum = 1},
        &WorkerClassSpec::max_batch);
  f.add({.name = "spread", .doc = "how the speeds of these workers differ; all equal when absent"},
        &WorkerClassSpec::spread);
  f.add({.name = "noise",
         .doc = "slow-downs that differ from step to step, instead of the cluster's"},
        &WorkerClassSpec::noise);
  f.add({.name = "changes", .doc = "of all its workers at known moments"},
        &WorkerClassSpec::changes);
  f.add(
      {.name = "slowdowns",
       .doc = "slow-downs of each worker that come at random and stay for a while, instead of the "
              "cluster's"},
      &WorkerClassSpec::slowdowns);
  f.add({.name = "link",
         .doc = "of each worker, or of each node (its network card), instead of the cluster's"},
        &WorkerClassSpec::link);
  f.add({.name = "per_node",
         .doc = "workers that sit in one node and share its link; must divide count. When absent "
                "every worker has a link of its own",
         .minimum = 1,
         .maximum = limits::most_workers},
        &WorkerClassSpec::per_node);
  f.add({.name = "inside",
         .doc = "with per_node: between each worker and the crossbar of its node, full duplex. "
                "Messages inside the node cross those of both ends and not the node's link; "
                "messages out of it cross the node's link and not these"},
        &WorkerClassSpec::inside);
  add_expenses(f);
  return f;
}

Fields<ServerSpec> ServerSpec::fields() {
  Fields<ServerSpec> f;
  f.add({.name = "speed",
         .doc = "flops per second of the server, for cost.flops_per_update",
         .dimension = Dimension::speed,
         .minimum = 0,
         .above_minimum = true},
        &ServerSpec::speed_flops);
  f.add({.name = "link", .doc = "of the server, instead of the cluster's"}, &ServerSpec::link);
  f.add({.name = "on",
         .doc = "instead of link: a worker class with per_node; the server runs on its first node, "
                "further servers on the next nodes in turn; it shares the node's link and talks "
                "inside like the node's workers"},
        &ServerSpec::on);
  add_expenses(f);
  return f;
}

Fields<ServerClassSpec> ServerClassSpec::fields() {
  Fields<ServerClassSpec> f;
  f.add({.name = "count",
         .doc = "how many such servers there are",
         .fallback = 1,
         .minimum = 1,
         .maximum = limits::most_workers},
        &ServerClassSpec::count);
  f.include(ServerSpec::fields());
  return f;
}

Fields<ClusterSpec> ClusterSpec::fields() {
  Fields<ClusterSpec> f;
  f.add({.name = "workers",
         .doc = "classes of workers; ranks follow this order",
         .fallback = Json::array()},
        &ClusterSpec::workers);
  f.add({.name = "server", .doc = "the parameter server, for the algorithms that use one"},
        &ClusterSpec::server);
  f.add(
      {.name = "servers",
       .doc = "instead of server: several that share the model, each holding a contiguous part of "
              "it (see the algorithms' placement)",
       .fallback = Json::array()},
      &ClusterSpec::servers);
  f.add({.name = "link", .doc = "between each host and its switch, full duplex"},
        &ClusterSpec::link);
  f.add({.name = "fabric", .doc = "what joins the hosts; one non-blocking switch when absent"},
        &ClusterSpec::fabric);
  f.add({.name = "noise",
         .doc = "slow-downs that differ from step to step, of every class that has none of its "
                "own; also with a platform file"},
        &ClusterSpec::noise);
  f.add({.name = "changes",
         .doc = "at known moments, of a worker, a class or a link; also with a platform file"},
        &ClusterSpec::changes);
  f.add(
      {.name = "slowdowns",
       .doc = "slow-downs that come at random and stay for a while, of each worker of every class "
              "that has none of its own; also with a platform file"},
      &ClusterSpec::slowdowns);
  f.add({.name = "trace",
         .doc = "a file of the workers' speeds over time, \"trace.csv\", or an object with it as "
                "\"file\" and how to read it"},
        &ClusterSpec::trace);
  f.add({.name = "traffic",
         .doc = "messages of others that share the links; the same for every algorithm"},
        &ClusterSpec::traffic);
  f.add({.name = "platform",
         .doc = "a SimGrid platform file instead of workers, servers, link and fabric; hosts take "
                "part by "
                "their property role (worker, server), and ranks follow their order in the file; "
                "workers with the same property node share a machine; relative to the scenario "
                "file"},
        &ClusterSpec::platform);
  f.add({.name = "failures",
         .doc = "machines that go down, return or join late; also with a platform file. None fails "
                "when absent"},
        &ClusterSpec::failures);
  return f;
}

Fields<CostSpec> CostSpec::fields() {
  Fields<CostSpec> f;
  f.add(
      {.name = "flops_per_sample",
       .doc =
           "forward and backward of one sample of the model that is timed; auto: of the one really "
           "trained",
       .fallback = "auto",
       .dimension = Dimension::work,
       .minimum = 0,
       .above_minimum = true,
       .word = "auto"},
      &CostSpec::flops_per_sample);
  f.add(
      {.name = "model_size",
       .doc =
           "bytes of one model or gradient on the wire; auto: 4 bytes per parameter really trained",
       .fallback = "auto",
       .dimension = Dimension::data,
       .minimum = 1,
       .maximum = 1e15,
       .word = "auto"},
      &CostSpec::model_size_bytes);
  f.add({.name = "flops_per_update",
         .doc = "of the server for one update of the whole model; a server that holds a part of it "
                "has that part of the flops",
         .fallback = "0f",
         .dimension = Dimension::work,
         .minimum = 0},
        &CostSpec::flops_per_update);
  f.add({.name = "profile",
         .doc = "instead of flops_per_sample and model_size: the architecture that is timed, layer "
                "by layer from the input. The name of one (resnet50, vgg16, alexnet, inception_bn, "
                "resnet20, bert_base; see architectures.md), or a list of {\"flops\", \"bytes\"} "
                "and perhaps \"backward\", twice the forward flops when absent"},
        &CostSpec::profile);
  return f;
}

Fields<ApproximateSpec> ApproximateSpec::fields() {
  Fields<ApproximateSpec> f;
  f.add(
      {.name = "port_flows",
       .doc =
           "messages that share a host's link in one direction at a time; further ones wait their "
           "turn, first come, first served",
       .fallback = "all",
       .minimum = 1,
       .word = "all"},
      &ApproximateSpec::port_flows);
  f.add({.name = "ring",
         .doc = "messages (each of the 2(W-1) steps of a ring, also of that between nodes in the "
                "collective hierarchical) or fluid (one flow per neighbour with the bytes and "
                "latencies of all steps, once the last has come)",
         .fallback = "messages",
         .choices = {"messages", "fluid"}},
        &ApproximateSpec::ring);
  return f;
}

Fields<TargetSpec> TargetSpec::fields() {
  Fields<TargetSpec> f;
  f.add({.name = "accuracy",
         .doc = "reached when the test accuracy is at least this",
         .minimum = 0,
         .maximum = 1,
         .above_minimum = true},
        &TargetSpec::accuracy);
  f.add({.name = "loss", .doc = "reached when the test loss is at most this", .minimum = 0},
        &TargetSpec::loss);
  return f;
}

Fields<StopSpec> StopSpec::fields() {
  Fields<StopSpec> f;
  f.add({.name = "time",
         .doc = "stop at this virtual time",
         .dimension = Dimension::time,
         .minimum = 0,
         .above_minimum = true},
        &StopSpec::time_s);
  f.add({.name = "updates",
         .doc = "stop after this many updates of the global model",
         .minimum = 1,
         .maximum = limits::largest_whole},
        &StopSpec::updates);
  f.add({.name = "samples",
         .doc = "stop at the first update after this many samples have been computed",
         .minimum = 1,
         .maximum = limits::largest_whole},
        &StopSpec::samples);
  f.add({.name = "epochs",
         .doc = "stop at the first update after this many passes over the training set",
         .minimum = 0,
         .above_minimum = true},
        &StopSpec::epochs);
  f.add({.name = "at_target", .doc = "stop as soon as the target is reached", .fallback = false},
        &StopSpec::at_target);
  f.add({.name = "diverged_above",
         .doc =
             "a run whose loss exceeds this many times the initial test loss, or is not finite, is "
             "stopped as diverged",
         .fallback = 1000.0,
         .minimum = 1,
         .above_minimum = true},
        &StopSpec::diverged_above);
  return f;
}

Fields<EvaluateSpec> EvaluateSpec::fields() {
  Fields<EvaluateSpec> f;
  f.add(
      {.name = "every",
       .doc =
           "a virtual time (\"3s\"), a number of updates (10), or \"auto\": a hundred points over "
           "the run",
       .fallback = "auto"},
      &EvaluateSpec::every);
  return f;
}

Fields<Scenario> Scenario::fields() {
  Fields<Scenario> f;
  f.add({.name = "$schema", .doc = "for editors; not read", .fallback = ""}, &Scenario::schema);
  f.add({.name = "name", .doc = "of the results folder: letters, digits, '-', '_', '.'"},
        &Scenario::name);
  f.add({.name = "seed",
         .doc = "of everything random: initial model, data order, partition, synthetic data",
         .fallback = 1,
         .minimum = 0,
         .maximum = limits::largest_whole},
        &Scenario::seed);
  f.add({.name = "plugins",
         .doc = "shared libraries that bring algorithms, models and kinds of data; paths from the "
                "folder of this file"},
        &Scenario::plugins);
  f.add({.name = "data", .doc = "what is learnt from, if the model takes data", .type = "object"},
        &Scenario::data);
  f.add({.name = "model", .doc = "what is really trained", .type = "object"}, &Scenario::model);
  f.add({.name = "cluster", .doc = "the machines and their links"}, &Scenario::cluster);
  f.add({.name = "cost",
         .doc = "what the model that is timed costs, so that a small one can be trained instead",
         .fallback = Json::object()},
        &Scenario::cost);
  f.add({.name = "network",
         .doc =
             "fluid (max-min sharing, latencies add, nothing else) or tcp (SimGrid's LV08 with its "
             "calibration factors and TCP window)",
         .fallback = "fluid",
         .choices = {"fluid", "tcp"}},
        &Scenario::network);
  f.add({.name = "solver",
         .doc = "fast (times known without SimGrid, as on a plain switch, are computed without it) "
                "or simgrid (SimGrid simulates every computation and message: the same times, "
                "slower; to check the former)",
         .fallback = "fast",
         .choices = {"fast", "simgrid"}},
        &Scenario::solver);
  f.add({.name = "approximate",
         .doc = "what is simplified so that very large clusters stay affordable",
         .fallback = Json::object()},
        &Scenario::approximate);
  f.add({.name = "target", .doc = "what a run should reach; decides the order of the table"},
        &Scenario::target);
  f.add({.name = "stop", .doc = "when a run ends; at least one of time, updates, samples, epochs"},
        &Scenario::stop);
  f.add({.name = "evaluate",
         .doc = "when the model is tested; takes no virtual time",
         .fallback = Json::object()},
        &Scenario::evaluate);
  f.add({.name = "defaults",
         .doc = "parameters for every algorithm that does not give its own",
         .fallback = Json::object()},
        &Scenario::defaults);
  f.add({.name = "algorithms", .doc = "what is compared: objects with a name and parameters"},
        &Scenario::algorithms);
  f.add({.name = "baseline",
         .doc = "label of the algorithm that speed-ups are relative to; the first when absent"},
        &Scenario::baseline);
  f.add({.name = "replicas",
         .doc = "how often every run is repeated; replica r has seed + r, the same for every "
                "algorithm",
         .fallback = 1,
         .minimum = 1,
         .maximum = 100'000},
        &Scenario::replicas);
  f.add({.name = "sweep",
         .doc = "JSON pointers into this file, each with a list of values or {\"from\", \"to\", "
                "\"steps\", \"scale\"}; every algorithm runs at every point of their product",
         .fallback = Json::object(),
         .schema = sweep_schema},
        &Scenario::sweep);
  f.add(
      {.name = "tune",
       .doc =
           "parameters of algorithms, each with a list of values or {\"from\", \"to\", \"steps\", "
           "\"scale\"}: every algorithm that takes one and does not give its own value tries them "
           "in as many \"runs\" as every other, on seeds of their own, and is reported with its "
           "best; instead of \"defaults\""},
      &Scenario::tune);
  f.add({.name = "emulate",
         .doc =
             "of live runs: whether each computation takes the time that the cluster's description "
             "gives it, so that many workers of different speed fit on a few cores; otherwise the "
             "machines' own speed decides. When absent: if any two ranks share a machine"},
        &Scenario::emulate);
  return f;
}

}  // namespace motley
