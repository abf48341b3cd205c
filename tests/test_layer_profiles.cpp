#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "sim/scenario/architectures/known_architecture.hpp"
#include "sim/study/described_experiment.hpp"
#include "tests/compared.hpp"
#include "tests/mistakes.hpp"
#include "tests/update_times.hpp"

namespace motley {
namespace {

const KnownArchitecture& architecture(const char* name) {
  for (const KnownArchitecture& each : known_architectures()) {
    if (each.name == name) return each;
  }
  throw std::logic_error(std::string("no architecture ") + name);
}

std::uint64_t parameters_of(const KnownArchitecture& of) {
  std::uint64_t sum = 0;
  for (const KnownLayer& layer : of.layers) sum += layer.parameters;
  return sum;
}

std::uint64_t multiply_adds_of(const KnownArchitecture& of) {
  std::uint64_t sum = 0;
  for (const KnownLayer& layer : of.layers) sum += layer.multiply_adds;
  return sum;
}

}  // namespace

// ---- The architectures, worked out again stage by stage ----

TEST_CASE("resnet50 has the parameters and multiply-adds of its stages") {
  // A bottleneck of width w: 1x1 to w, 3x3, 1x1 to 4w; the first of a stage comes from c channels and
  // has a projection. Its 1x1 works on the maps before the stride.
  std::uint64_t weights = 64 * 3 * 49;
  std::uint64_t multiply_adds = weights * 112 * 112;
  std::uint64_t normalised = 64;
  struct Stage {
    std::uint64_t from, side_before, width, side, blocks;
  };
  for (const auto& [c, before, w, side, n] : {Stage{64, 56, 64, 56, 3},
                                              {256, 56, 128, 28, 4},
                                              {512, 28, 256, 14, 6},
                                              {1024, 14, 512, 7, 3}}) {
    const std::uint64_t rest = 9 * w * w + 4 * w * w;
    weights += c * w + rest + 4 * c * w + (n - 1) * (4 * w * w + rest);
    multiply_adds += c * w * before * before + (rest + 4 * c * w) * side * side +
                     (n - 1) * (4 * w * w + rest) * side * side;
    normalised += n * 6 * w + 4 * w;
  }
  weights += 2048 * 1000;
  multiply_adds += 2048 * 1000;
  CHECK(parameters_of(architecture("resnet50")) == weights + 2 * normalised + 1000);
  CHECK(parameters_of(architecture("resnet50")) == 25'557'032);  // as published
  CHECK(multiply_adds_of(architecture("resnet50")) == multiply_adds);
  CHECK(static_cast<double>(multiply_adds) == Approx(4.1e9).epsilon(0.01));
  CHECK(architecture("resnet50").layers.size() == 1 + 3 * 16 + 4 + 1);
}

TEST_CASE("vgg16 has the parameters and multiply-adds of its stages") {
  const std::uint64_t fc = 25088ULL * 4096 + 4096ULL * 4096 + 4096ULL * 1000;
  std::uint64_t weights = fc;
  std::uint64_t multiply_adds = fc;
  std::uint64_t biases = 4096 + 4096 + 1000;
  std::uint64_t from = 3;
  std::uint64_t side = 224;
  for (const std::vector<std::uint64_t>& stage : std::vector<std::vector<std::uint64_t>>{
           {64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}}) {
    for (const std::uint64_t to : stage) {
      weights += 9 * from * to;
      multiply_adds += 9 * from * to * side * side;
      biases += to;
      from = to;
    }
    side /= 2;
  }
  CHECK(parameters_of(architecture("vgg16")) == weights + biases);
  CHECK(parameters_of(architecture("vgg16")) == 138'357'544);  // as published
  CHECK(multiply_adds_of(architecture("vgg16")) == multiply_adds);
  CHECK(architecture("vgg16").layers.size() == 16);
}

TEST_CASE("alexnet is the one of two towers") {
  struct Product {
    std::uint64_t inputs, outputs, maps;  // of one output: inputs; maps: outputs of one channel
  };
  // Convolutions 2, 4 and 5 see half of the channels before them.
  const std::vector<Product> products = {{3 * 121, 96, 55 * 55},  {48 * 25, 256, 27 * 27},
                                         {256 * 9, 384, 13 * 13}, {192 * 9, 384, 13 * 13},
                                         {192 * 9, 256, 13 * 13}, {256 * 36, 4096, 1},
                                         {4096, 4096, 1},         {4096, 1000, 1}};
  const KnownArchitecture& net = architecture("alexnet");
  REQUIRE(net.layers.size() == products.size());
  for (std::size_t l = 0; l < products.size(); ++l) {
    const auto& [inputs, outputs, maps] = products[l];
    CAPTURE(net.layers[l].name);
    CHECK(net.layers[l].parameters == inputs * outputs + outputs);
    CHECK(net.layers[l].multiply_adds == inputs * outputs * maps);
  }
  CHECK(parameters_of(net) == 60'965'224);  // as published
}

TEST_CASE(
    "inception_bn has the parameters of the released architecture, which has biases as well") {
  // Of each module: channels before it, then 1x1, 3x3 with its reduction, double 3x3 with its
  // reduction, projection.
  const std::vector<std::vector<std::uint64_t>> modules = {
      {192, 64, 64, 64, 64, 96, 32},        {256, 64, 64, 96, 64, 96, 64},
      {320, 0, 128, 160, 64, 96, 0},        {576, 224, 64, 96, 96, 128, 128},
      {576, 192, 96, 128, 96, 128, 128},    {576, 160, 128, 160, 128, 160, 128},
      {608, 96, 128, 192, 160, 192, 128},   {608, 0, 128, 192, 192, 256, 0},
      {1056, 352, 192, 320, 160, 224, 128}, {1024, 352, 192, 320, 192, 224, 128}};
  const std::vector<std::uint64_t> sides = {28, 28, 28, 14, 14, 14, 14, 14, 7, 7};
  std::uint64_t weights = 64 * 147 + 64 * 64 + 64 * 192 * 9 + 1024 * 1000;
  std::uint64_t channels = 64 + 64 + 192;
  std::uint64_t multiply_adds =
      64ULL * 147 * 112 * 112 + (64ULL * 64 + 64ULL * 192 * 9) * 56 * 56 + 1024ULL * 1000;
  for (std::size_t m = 0; m < modules.size(); ++m) {
    const std::vector<std::uint64_t>& k = modules[m];
    const std::uint64_t before = k[0] * (k[1] + k[2] + k[4] + k[6]) + k[4] * k[5] * 9;
    const std::uint64_t after = k[2] * k[3] * 9 + k[5] * k[5] * 9;  // those with the stride
    weights += before + after;
    channels += k[1] + k[2] + k[3] + k[4] + 2 * k[5] + k[6];
    const std::uint64_t area = sides[m] * sides[m];
    multiply_adds += before * area + after * (k[1] == 0 ? area / 4 : area);
  }
  const KnownArchitecture& net = architecture("inception_bn");
  CHECK(parameters_of(net) == weights + 2 * channels + 1000);
  CHECK(parameters_of(net) + channels == 11'295'240);  // as published
  CHECK(multiply_adds_of(net) == multiply_adds);
}

TEST_CASE("resnet20 has the parameters and multiply-adds of its stages") {
  const std::uint64_t stage1 = 6 * 9 * 16 * 16;
  const std::uint64_t stage2 = 9 * 16 * 32 + 5 * 9 * 32 * 32;
  const std::uint64_t stage3 = 9 * 32 * 64 + 5 * 9 * 64 * 64;
  const std::uint64_t normalised = 7 * 16 + 6 * 32 + 6 * 64;
  const KnownArchitecture& net = architecture("resnet20");
  CHECK(parameters_of(net) == 9 * 3 * 16 + stage1 + stage2 + stage3 + 2 * normalised + 650);
  CHECK(parameters_of(net) == 269'722);
  CHECK(multiply_adds_of(net) ==
        (9 * 3 * 16 + stage1) * 32 * 32 + stage2 * 16 * 16 + stage3 * 8 * 8 + 640);
  CHECK(net.layers.size() == 20);
}

TEST_CASE("bert_base has the parameters and multiply-adds of its blocks") {
  const std::uint64_t h = 768;
  const std::uint64_t embeddings = (30522 + 512 + 2 + 2) * h;
  const std::uint64_t block = 4 * (h * h + h) + (h * 4 * h + 4 * h) + (4 * h * h + h) + 4 * h;
  const KnownArchitecture& net = architecture("bert_base");
  CHECK(parameters_of(net) == embeddings + 12 * block + h * h + h);
  CHECK(parameters_of(net) == 109'482'240);  // as published
  // A token meets every weight of a block once; each of 128 tokens meets each, twice.
  CHECK(multiply_adds_of(net) == 12 * (128 * 12 * h * h + 2 * 128 * 128 * h) + h * h);
}

TEST_CASE("backward takes twice the forward flops, but for the layer that reads the data") {
  for (const KnownArchitecture& net : known_architectures()) {
    CAPTURE(net.name);
    for (std::size_t l = 0; l < net.layers.size(); ++l) {
      const KnownLayer& layer = net.layers[l];
      const bool reads_data = l == 0 && layer.multiply_adds > 0;
      CHECK(layer.forward_flops() == 2.0 * static_cast<double>(layer.multiply_adds));
      CHECK(layer.backward_flops() == (reads_data ? 1 : 2) * layer.forward_flops());
      CHECK(layer.bytes() == 4 * layer.parameters);
    }
  }
}

// ---- Times ----

namespace {

/// One worker of 1 Gf/s: F1 2.4 s, F2 1.6 s, B2 3.2 s (twice F2), B1 2.4 s; layers of 16 and 10 MB. The
/// trained quadratic has 4 parameters and one layer.
Json two_layers(const Json& algorithm) {
  Json scenario = with_algorithm(timing_scenario(), algorithm);
  scenario["cost"] = {{"profile",
                       {{{"flops", "2.4Gf"}, {"backward", "2.4Gf"}, {"bytes", "16MB"}},
                        {{"flops", "1.6Gf"}, {"bytes", "10MB"}}}}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"speed", "1Gf"}}};
  scenario["cluster"]["server"]["link"] = {{"bandwidth", "10MBps"}, {"latency", "1ms"}};
  scenario["stop"]["updates"] = 6;
  return scenario;
}

std::vector<double> times(const std::vector<double>& first_and_period) {
  std::vector<double> expected;
  for (int i = 0; i < 5; ++i) expected.push_back(first_and_period[0] + i * first_and_period[1]);
  return expected;
}

}  // namespace

TEST_CASE("a profile gives the whole model's time and bytes") {
  const double step = 2 * (2e-3 + 2.6) + 9.6;
  check_times(simulate(two_layers({{"name", "sync"}})), times({step, step}));
}

TEST_CASE("layers of the profile overlap, whatever is trained") {
  // At the start both layers come at once and share the link: the second's 10 MB take 2 s, the first's
  // last 6 MB another 0.6 s. From then on only the first layer's round trip is exposed.
  const double first = 2e-3 + 2.6 + 9.6 + 2e-3 + 1.6;
  const double period = 2 * (2e-3 + 1.6) + 9.6;
  check_times(simulate(two_layers({{"name", "sync"}, {"overlap", "layers"}})),
              times({first, period}));
}

TEST_CASE("layers of the profile are placed on servers") {
  Json scenario =
      two_layers({{"name", "sync"}, {"overlap", "layers"}, {"placement", "fast_first"}});
  scenario["cluster"].erase("server");
  scenario["cluster"]["servers"] = {
      {{"speed", "1Tf"}, {"link", {{"bandwidth", "2MBps"}, {"latency", "1ms"}}}},
      {{"speed", "1Tf"}, {"link", {{"bandwidth", "10MBps"}, {"latency", "1ms"}}}}};
  const RunResult result = simulate(scenario);
  REQUIRE(result.curve.size() > 5);
  // The second layer's 10 MB over the slow link, 5 s each way, are the longer way round; then F2, B2.
  CHECK(result.curve[5].time_s - result.curve[4].time_s ==
        Approx(2 * (2e-3 + 5) + 1.6 + 3.2).margin(1e-9).epsilon(0));
}

TEST_CASE("resnet50 by layers leaves only its first convolution's round trip exposed") {
  Json scenario = with_algorithm(timing_scenario(), {{"name", "sync"}, {"overlap", "layers"}});
  scenario["model"] = {{"kind", "none"}};
  scenario["cost"] = {{"profile", "resnet50"}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"speed", "1Tf"}}};
  scenario["cluster"]["link"] = {{"bandwidth", "10GBps"}, {"latency", "1us"}};
  scenario["stop"]["updates"] = 6;
  double flops = 0;
  for (const KnownLayer& layer : architecture("resnet50").layers) {
    flops += layer.forward_flops() + layer.backward_flops();
  }
  // All other layers are sent, and are back, behind 24 ms of computing: 102 MB take 10 ms each way.
  const double period = flops / 1e12 + 2 * (2e-6 + 4 * (64 * 147 + 128) / 10e9);
  for (const char* solver : {"fast", "simgrid"}) {
    scenario["solver"] = solver;
    const RunResult result = simulate(scenario);
    REQUIRE(result.curve.size() > 5);
    CAPTURE(solver);
    CHECK(result.curve[5].time_s - result.curve[4].time_s ==
          Approx(period).margin(1e-9).epsilon(0));
  }
}

TEST_CASE("what compression saves is that of the modelled layers") {
  // 6.5e6 entries of one bit, and 4 bytes for their mean magnitude; the trained model has 4 entries.
  const RunResult result =
      simulate(two_layers({{"name", "sync"}, {"compress", {{"kind", "sign"}}}}));
  const double pushed = 6.5e6 / 8 + 4;
  const double step = 2e-3 + 2.6 + 9.6 + 2e-3 + pushed / 10e6;
  check_times(result, times({step, step}));
}

TEST_CASE("layers without flops take no time") {
  Json scenario = with_algorithm(timing_scenario(), {{"name", "sync"}});
  scenario["model"] = {{"kind", "none"}};
  scenario["cost"] = {{"profile", "bert_base"}};
  scenario["cluster"]["workers"] = {{{"name", "w"}, {"speed", "10Tf"}}};
  double flops = 0;
  for (const KnownLayer& layer : architecture("bert_base").layers)
    flops += 3 * layer.forward_flops();
  const double step = 2 * (2e-3 + 109'482'240 * 4 / 1e8) + flops / 10e12;
  check_times(simulate(scenario), times({step, step}));
  scenario["algorithms"][0]["overlap"] = "layers";
  const RunResult fast = simulate(scenario);
  scenario["solver"] = "simgrid";
  const RunResult slow = simulate(scenario);
  REQUIRE(fast.curve.size() == slow.curve.size());
  for (std::size_t i = 0; i < fast.curve.size(); ++i) {
    CHECK(fast.curve[i].time_s == Approx(slow.curve[i].time_s).margin(1e-9).epsilon(0));
  }
}

// ---- Learning ----

TEST_CASE("what is learnt does not depend on the profile, bit for bit") {
  Json scenario = learning_scenario();
  const RunResult plain = run_of({{"name", "sync"}}, scenario);
  scenario["cost"] = {{"profile", "resnet50"}};
  const RunResult whole = run_of({{"name", "sync"}}, scenario);
  const RunResult layers = run_of({{"name", "sync"}, {"overlap", "layers"}}, scenario);
  CHECK(losses(whole) == losses(plain));
  CHECK(losses(layers) == losses(plain));
  // Of each worker: a model and a gradient for each of 40 updates. Models for another may have come.
  const double bytes = 40 * 4 * 2 * 4 * 25'557'032.0;
  CHECK(whole.bytes >= bytes);
  CHECK(whole.bytes <= bytes * 82 / 80);
  CHECK(layers.bytes >= bytes);
  CHECK(layers.bytes <= bytes * 82 / 80);
}

// ---- Mistakes ----

TEST_CASE("profiles that cannot be used are refused at their place") {
  Json scenario = two_layers({{"name", "sync"}});
  const std::string must =
      "/cost/profile: must be the name of an architecture (resnet50, vgg16, alexnet, inception_bn, "
      "resnet20, bert_base) or a list of layers, such as [{\"flops\": \"2Gf\", \"bytes\": "
      "\"10MB\"}]";
  check_mistakes(
      scenario,
      {{"/cost/flops_per_sample", "1Gf",
        "/cost/flops_per_sample: follows from \"profile\": remove one of them"},
       {"/cost/model_size", "1MB",
        "/cost/model_size: follows from \"profile\": remove one of them"},
       {"/cost/profile", "resnet5", must + " (did you mean 'resnet50'?), got \"resnet5\""},
       {"/cost/profile", 3, must + ", got 3"},
       {"/cost/profile", Json::array(), "/cost/profile: must have from 1 to 1000 layers, has 0"},
       {"/cost/profile/0/flops", "1GB",
        "/cost/profile/0/flops: unknown unit 'GB' for a number of flops (did you mean 'Gf'?), use "
        "one of f, kf, Mf, Gf, Tf, Pf, got \"1GB\""},
       {"/cost/profile/1/bytes", nullptr,
        "/cost/profile/1: needs \"bytes\": a data size with its unit, from 1 to 1000000000000 (of "
        "its weights, and of their gradient, on the wire)"},
       {"/cost/profile/1/colour", "red",
        "/cost/profile/1/colour: unknown key, known here: flops, backward or bytes"}});
  scenario["cost"]["profile"] = {{{"flops", "0f"}, {"bytes", "1MB"}}};
  CHECK(complaint_about(scenario) ==
        "/cost/profile: must have a layer that computes something: all have 0 flops");
  scenario["cost"]["profile"] = "resnet50";
  scenario["algorithms"][0]["overlap"] = "layers";
  CHECK(complaint_about(scenario) ==
        "/algorithms/0: the trained model has 4 parameters, fewer than the 54 parts in which the "
        "modelled architecture is sent");
  // A model of two bytes for three servers, none of which may have nothing.
  scenario["cost"]["profile"] = {{{"flops", "1f"}, {"bytes", "2B"}}};
  scenario["algorithms"][0].erase("overlap");
  scenario["cluster"]["servers"] = {{{"count", 3}, {"speed", "1Gf"}}};
  scenario["cluster"].erase("server");
  CHECK(complaint_about(scenario) ==
        "/algorithms/0: the model has 2 bytes, fewer than the 3 servers of /cluster/servers");
}

TEST_CASE("where nothing is learnt no parameters are told of") {
  Json scenario = learning_scenario();
  CHECK_THAT(described_experiment(experiment_of(scenario)),
             Catch::Contains(", 140 parameters, synthetic"));
  scenario.erase("data");
  scenario["model"] = {{"kind", "none"}};
  scenario["cost"] = {{"profile", "resnet50"}};
  const std::string told = described_experiment(experiment_of(scenario));
  CHECK_THAT(told, Catch::Matchers::StartsWith("4 workers (2 fast, 2 slow), nothing is learnt\n"));
  CHECK_THAT(told, !Catch::Contains("parameters"));
}

TEST_CASE("overlap by layers where there is only one is told to have no effect") {
  Json scenario = with_algorithm(learning_scenario(), {{"name", "async"}, {"overlap", "layers"}});
  const std::string words = "warning: async has no use for overlap = layers";
  CHECK_THAT(described_experiment(experiment_of(scenario)), !Catch::Contains(words));
  scenario["model"] = {{"kind", "softmax"}};
  CHECK_THAT(described_experiment(experiment_of(scenario)), Catch::Contains(words));
  const Experiment experiment = experiment_of(scenario);
  const std::vector<RunWarning> warnings =
      experiment.warnings_of(experiment.runs()[0], simulate(scenario));
  CHECK(std::ranges::count(warnings, "caution", &RunWarning::kind) == 1);
}

}  // namespace motley
