#include <algorithm>
#include <set>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "sim/base/json.hpp"
#include "sim/learning/learning_spec.hpp"
#include "sim/scenario/cluster_plan.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/value_list.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"

namespace motley {
namespace {

using tests::TemporaryFolder;

Json valid() {
  return Json::parse(R"({
    "name": "small",
    "data": {"kind": "synthetic"},
    "model": {"kind": "softmax"},
    "cluster": {
      "workers": [{"name": "gpu", "count": 2, "speed": "1Tf"}, {"name": "cpu", "speed": "1Gf"}],
      "server": {"speed": "1Tf"},
      "link": {"bandwidth": "10Gbps", "latency": "50us"}
    },
    "target": {"accuracy": 0.9},
    "stop": {"time": "10s"},
    "algorithms": [{"name": "sync"}]
  })");
}

Json quadratic() {
  Json json = valid();
  json.erase("data");
  json["model"] = {{"kind", "quadratic"}};
  json["target"] = {{"loss", 0.5}};
  return json;
}

LoadedScenario load_text(const std::string& text, const std::vector<Override>& overrides = {}) {
  const TemporaryFolder folder;
  LoadedScenario loaded = load_scenario(folder.write("s.json", text), overrides);
  read_learning(loaded);
  return loaded;
}

LoadedScenario load(const Json& json, const std::vector<Override>& overrides = {}) {
  return load_text(json.dump(), overrides);
}

/// What is said about a text, with the scenario's path cut to its name.
std::string complaint_about(const std::string& text, const std::vector<Override>& overrides = {}) {
  const TemporaryFolder folder;
  try {
    LoadedScenario loaded = load_scenario(folder.write("s.json", text), overrides);
    read_learning(loaded);
  } catch (const InputError& e) {
    std::string message = e.what();
    const std::string before = folder.path().string() + "/";
    if (message.starts_with(before)) message.erase(0, before.size());
    return message;
  }
  return "(nothing)";
}

/// What is said about --set ARGUMENTS with the valid scenario.
std::string complaint_about_set(const std::vector<std::string>& arguments) {
  try {
    std::vector<Override> overrides;
    for (const std::string& argument : arguments) overrides.push_back(parse_override(argument));
    return complaint_about(valid().dump(), overrides);
  } catch (const InputError& e) {
    return e.what();
  }
}

/// In place of a value: the key is not there.
const Json removed(Json::value_t::discarded);

struct Mistake {
  std::string pointer;
  Json value;
  std::string message;  ///< after the name of the file
};

void check_mistakes(const Json& good, const std::vector<Mistake>& mistakes) {
  REQUIRE(complaint_about(good.dump()) == "(nothing)");
  for (const Mistake& mistake : mistakes) {
    Json json = good;
    const Json::json_pointer pointer(mistake.pointer);
    if (mistake.value.is_discarded())
      json[pointer.parent_pointer()].erase(pointer.back());
    else
      json[pointer] = mistake.value;
    INFO(mistake.pointer << " = " << mistake.value.dump());
    CHECK(complaint_about(json.dump()) == "s.json: " + mistake.message);
  }
}

TEST_CASE("An unknown key is refused at every level, with the nearest one and those there are") {
  check_mistakes(
      valid(),
      {{"/sede", 1,
        "/sede: unknown key (did you mean 'seed'?), known here: $schema, name, seed, plugins, "
        "data, model, "
        "cluster, cost, network, solver, approximate, target, stop, evaluate, defaults, "
        "algorithms, "
        "baseline, replicas, sweep, tune or emulate"},
       {"/data/clases", 3,
        "/data/clases: unknown key (did you mean 'classes'?), known here: kind, features, "
        "shape, classes, separation, train, test, order, partition or augment"},
       {"/data/partition",
        {{"knd", "iid"}},
        "/data/partition/knd: unknown key (did you mean 'kind'?), known here: kind"},
       {"/model/zzz", 1, "/model/zzz: unknown key, known here: kind or weight_decay"},
       {"/cluster/worker", 1,
        "/cluster/worker: unknown key (did you mean 'workers'?), known here: workers, server, "
        "servers, link, fabric, noise, changes, slowdowns, trace, traffic, platform or failures"},
       {"/cluster/workers/1/cuont", 1,
        "/cluster/workers/1/cuont: unknown key (did you mean 'count'?), known here: name, count, "
        "speed, samples_per_s, step_overhead, max_batch, spread, noise, changes, slowdowns, link, "
        "per_node, inside, "
        "power or price_per_hour"},
       {"/cluster/server/spee", 1,
        "/cluster/server/spee: unknown key (did you mean 'speed'?), known here: speed, link, "
        "on, power or price_per_hour"},
       {"/cluster/link/band", 1,
        "/cluster/link/band: unknown key (did you mean 'bandwidth'?), known here: bandwidth, "
        "latency or power"},
       {"/cost",
        {{"model_sise", 1}},
        "/cost/model_sise: unknown key (did you mean 'model_size'?), known here: flops_per_sample, "
        "model_size, flops_per_update or profile"},
       {"/target/acuracy", 1,
        "/target/acuracy: unknown key (did you mean 'accuracy'?), known here: accuracy or loss"},
       {"/stop/update", 1,
        "/stop/update: unknown key (did you mean 'updates'?), known here: time, updates, samples, "
        "epochs, at_target or diverged_above"},
       {"/evaluate",
        {{"evry", 1}},
        "/evaluate/evry: unknown key (did you mean 'every'?), known here: every"},
       {"/a~1b~0c", 1,
        "/a~1b~0c: unknown key, known here: $schema, name, seed, plugins, data, model, cluster, "
        "cost, "
        "network, solver, approximate, target, stop, evaluate, defaults, algorithms, baseline, "
        "replicas, sweep, tune or emulate"}});
}

TEST_CASE("A value of the wrong type is refused with the type it must have") {
  check_mistakes(
      valid(),
      {{"/name", 5, "/name: must be text in quotes, got 5"},
       {"/seed", "1", R"(/seed: must be a whole number from 0 to 9007199254740991, got "1")"},
       {"/seed", nullptr, "/seed: must be a whole number from 0 to 9007199254740991, got null"},
       {"/data", Json::array(), "/data: must be an object in braces, got []"},
       {"/data", nullptr, "/data: must be an object in braces, got null"},
       {"/model", "softmax", R"(/model: must be an object in braces, got "softmax")"},
       {"/cluster/workers",
        {{"name", "gpu"}},
        "/cluster/workers: must be a list in square brackets, each an object in braces, got "
        R"({"name":"gpu"})"},
       {"/cluster/workers/1", 4, "/cluster/workers/1: must be an object in braces, got 4"},
       {"/cluster/workers/0/samples_per_s", "10",
        R"(/cluster/workers/0/samples_per_s: must be a number above 0, or one for each batch size )"
        R"(that was measured, such as {"1": 40, "32": 410}, got "10")"},
       {"/cluster/platform", 1, "/cluster/platform: must be text in quotes, got 1"},
       {"/network", 1, "/network: must be one of fluid or tcp, got 1"},
       {"/stop/at_target", "yes", R"(/stop/at_target: must be true or false, got "yes")"},
       {"/stop/at_target", 1, "/stop/at_target: must be true or false, got 1"},
       {"/algorithms",
        {{"name", "sync"}},
        R"(/algorithms: must be a list in square brackets, got {"name":"sync"})"},
       {"/algorithms", "sync", R"(/algorithms: must be a list in square brackets, got "sync")"}});
}

TEST_CASE("A number out of its range is refused with the range") {
  check_mistakes(
      valid(),
      {{"/seed", -1, "/seed: must be a whole number from 0 to 9007199254740991, got -1"},
       {"/seed", 1.5, "/seed: must be a whole number from 0 to 9007199254740991, got 1.5"},
       {"/data/train", 0, "/data/train: must be a whole number of at least 1, got 0"},
       {"/data/classes", 1, "/data/classes: must be a whole number from 2 to 65535, got 1"},
       {"/data/separation", -0.5, "/data/separation: must be a number of at least 0, got -0.5"},
       {"/cluster/workers/0/count", 0,
        "/cluster/workers/0/count: must be a whole number from 1 to 10000000, got 0"},
       {"/cluster/workers/0/count", 1e12,
        "/cluster/workers/0/count: must be a whole number from 1 to 10000000, got 1000000000000.0"},
       {"/cluster/workers/0/speed", "-1Tf",
        "/cluster/workers/0/speed: must be a speed in flops per second with its unit, above 0, got "
        R"("-1Tf")"},
       {"/cluster/workers/0/speed", "0Tf",
        "/cluster/workers/0/speed: must be a speed in flops per second with its unit, above 0, got "
        R"("0Tf")"},
       {"/cluster/link/latency", "-1us",
        R"(/cluster/link/latency: must be a time with its unit, of at least 0, got "-1us")"},
       {"/cost",
        {{"model_size", "0B"}},
        "/cost/model_size: must be a data size with its unit, from 1 to 1e+15 or \"auto\", got "
        R"("0B")"},
       {"/target/accuracy", 1.01,
        "/target/accuracy: must be a number above 0 and at most 1, got 1.01"},
       {"/target/accuracy", 0, "/target/accuracy: must be a number above 0 and at most 1, got 0"},
       {"/stop/time", "0s", R"(/stop/time: must be a time with its unit, above 0, got "0s")"},
       {"/stop/updates", 0,
        "/stop/updates: must be a whole number from 1 to 9007199254740991, got 0"},
       {"/stop/diverged_above", 1, "/stop/diverged_above: must be a number above 1, got 1"}});
  check_mistakes(quadratic(),
                 {{"/model/smoothness", 0, "/model/smoothness: must be a number above 0, got 0"}});
}

TEST_CASE("The limits themselves are accepted where the range includes them") {
  const std::vector<std::pair<std::string, Json>> cases = {{"/seed", 0},
                                                           {"/data/train", 1},
                                                           {"/data/classes", 2},
                                                           {"/data/classes", 65535},
                                                           {"/data/separation", 0},
                                                           {"/cluster/workers/0/count", 9999999},
                                                           {"/cluster/link/latency", "0s"},
                                                           {"/cost", {{"model_size", "1B"}}},
                                                           {"/target/accuracy", 1},
                                                           {"/stop/updates", 1},
                                                           {"/seed", 9007199254740991}};
  for (const auto& [pointer, value] : cases) {
    Json json = valid();
    json[Json::json_pointer(pointer)] = value;
    INFO(pointer << " = " << value.dump());
    CHECK(complaint_about(json.dump()) == "(nothing)");
  }
}

TEST_CASE("A whole number may be written as 3.0 or 1e3, but not beyond what a double counts") {
  Json json = valid();
  json["seed"] = 1e3;
  json["cluster"]["workers"][0]["count"] = 3.0;
  json["evaluate"] = {{"every", 1e3}};
  const LoadedScenario loaded = load(json);
  CHECK(loaded.scenario.seed == 1000);
  CHECK(loaded.scenario.cluster.workers[0].count == 3);
  // 2^53 + 1 would silently become 2^53, another seed.
  check_mistakes(
      valid(),
      {{"/seed", 9007199254740993,
        "/seed: must be a whole number from 0 to 9007199254740991, got 9007199254740993"},
       {"/seed", 18446744073709551615U,
        "/seed: must be a whole number from 0 to 9007199254740991, got 18446744073709551615"},
       {"/seed", 1e300, "/seed: must be a whole number from 0 to 9007199254740991, got 1e+300"}});
}

TEST_CASE("A key that must be there is asked for with what it is") {
  check_mistakes(
      valid(),
      {{"/name", removed,
        "/: needs \"name\": text in quotes (of the results folder: letters, digits, '-', '_', "
        "'.')"},
       {"/model/kind", removed,
        "/model: needs \"kind\": one of softmax, mlp, cnn, resnet, quadratic or none (softmax "
        "(regression), mlp (fully connected layers with ReLU), cnn (convolutions, pooling and "
        "fully "
        "connected layers), resnet (a residual neural network as for CIFAR, group normalisation), "
        "quadratic (synthetic, for checks against theory), none (nothing is learnt: only times))"},
       {"/cluster/link/latency", removed,
        "/cluster/link: needs \"latency\": a time with its unit, of at least 0 (of this link; a "
        "message pays the latency of every link it crosses)"},
       {"/algorithms", removed,
        "/: needs \"algorithms\": a list in square brackets (what is compared: objects with a name "
        "and parameters)"}});
}

TEST_CASE("Without its kind an object is asked for it, whatever its other keys") {
  check_mistakes(valid(),
                 {{"/data",
                   {{"features", 5}},
                   "/data: needs \"kind\": one of fashion_mnist, cifar10, cifar100, idx, csv or "
                   "synthetic (fashion_mnist (Debian's files), cifar10 (its binary "
                   "batches), cifar100 (its binary files, the 100 fine labels), idx (a folder of "
                   "IDX files), csv (a "
                   "table with a line of column names), synthetic "
                   "(Gaussian classes made from the seed))"}});
}

TEST_CASE("Keys that belong to another kind are refused, and so is an unknown kind") {
  check_mistakes(
      valid(),
      {{"/data/path", "x.csv",
        R"(/data/path: has no meaning with "kind": "synthetic", only with idx or csv)"},
       {"/model/hidden",
        {5},
        R"(/model/hidden: has no meaning with "kind": "softmax", only with mlp)"},
       {"/model/noise", 1,
        R"(/model/noise: has no meaning with "kind": "softmax", only with quadratic)"},
       {"/model/order", "independent",
        R"(/model/order: has no meaning with "kind": "softmax", only with quadratic)"},
       {"/data/partition",
        {{"alpha", 1}},
        R"(/data/partition/alpha: has no meaning with "kind": "iid", only with dirichlet)"},
       {"/data/kind", "sinthetic",
        "/data/kind: must be one of fashion_mnist, cifar10, cifar100, idx, csv or synthetic (did "
        "you mean "
        R"('synthetic'?), got "sinthetic")"},
       {"/data/partition",
        {{"kind", "dirichlet"}},
        "/data/partition: needs \"alpha\": a number above 0 (concentration of the Dirichlet law; "
        "small values give uneven label shares)"},
       {"/model/kind", "mlp",
        "/model: needs \"hidden\": a list in square brackets, each a whole number from 1 to "
        "1000000 "
        "(sizes of the hidden layers, input side first)"},
       {"/model",
        {{"kind", "mlp"}, {"hidden", {8, 0}}},
        "/model/hidden/1: must be a whole number from 1 to 1000000, got 0"},
       {"/model",
        {{"kind", "mlp"}, {"hidden", 8}},
        "/model/hidden: must be a list in square brackets, each a whole number from 1 to 1000000, "
        "got "
        "8"}});
}

TEST_CASE("Keys that depend on each other are checked together") {
  check_mistakes(
      valid(),
      {{"/data", removed, "/: needs \"data\": what is learnt from"},
       {"/model",
        {{"kind", "quadratic"}},
        "/data: the quadratic model makes its own data: remove this key"},
       {"/target", Json::object(), R"(/target: needs exactly one of "accuracy" and "loss")"},
       {"/target/loss", 1, R"(/target: needs exactly one of "accuracy" and "loss")"},
       {"/stop", Json::object(),
        R"(/stop: needs at least one of "time", "updates", "samples", "epochs")"},
       {"/cluster/workers", Json::array(),
        "/cluster/workers: must list at least one class of workers, or give \"platform\""},
       {"/cluster/workers", removed,
        "/cluster/workers: must list at least one class of workers, or give \"platform\""},
       {"/cluster/workers/0/samples_per_s", 10,
        R"(/cluster/workers/0: needs exactly one of "speed" and "samples_per_s")"},
       {"/cluster/workers/1/speed", removed,
        R"(/cluster/workers/1: needs exactly one of "speed" and "samples_per_s")"},
       {"/cluster/workers/1/count", 9999999,
        "/cluster/workers/1/count: makes more than 10000000 workers of all classes together"},
       {"/cluster/link", removed, R"(/cluster/workers/0: needs a "link", here or in /cluster)"},
       {"/cluster/platform", "p.xml",
        "/cluster/platform: describes the whole cluster: remove workers, server, servers, link and "
        "fabric"},
       {"/algorithms", Json::array(), "/algorithms: must list at least one algorithm"}});

  Json no_target = valid();
  no_target.erase("target");
  check_mistakes(no_target,
                 {{"/stop/at_target", true, "/stop/at_target: needs a \"target\" to stop at"}});
  check_mistakes(quadratic(),
                 {{"/target",
                   {{"accuracy", 0.5}},
                   "/target/accuracy: the quadratic model has no accuracy: give \"loss\""},
                  {"/model/samples", 3, "/model/samples: must be even, got 3"},
                  {"/model/strong_convexity", 2,
                   "/model/strong_convexity: must be at most the smoothness, got 2.0"}});
}

TEST_CASE("A link is needed by every host, its own or the cluster's") {
  const Json link = valid()["cluster"]["link"];
  Json json = valid();
  json["cluster"].erase("link");
  for (Json& worker : json["cluster"]["workers"]) worker["link"] = link;
  CHECK(complaint_about(json.dump()) ==
        R"(s.json: /cluster/server: needs a "link", here or in /cluster)");
  json["cluster"]["server"]["link"] = link;
  CHECK(complaint_about(json.dump()) == "(nothing)");
}

TEST_CASE("The name of a scenario cannot lead out of the results folder") {
  const std::string must =
      "/name: must be letters, digits, '-', '_' or '.', not beginning with '.', got ";
  for (const char* name : {"", ".", "..", ".hidden", "a/b", "/tmp/x", "../x", "a b", "größe",
                           "a\nb", "a\\b", "a\u0001"}) {
    check_mistakes(valid(), {{"/name", name, must + Json(name).dump()}});
  }
  for (const char* name : {"a", "A-b_c.d", "2x", "-"}) {
    Json json = valid();
    json["name"] = name;
    CHECK(load(json).scenario.name == name);
  }
}

TEST_CASE("No two workers can have the same name") {
  check_mistakes(
      valid(),
      {{"/cluster/workers/1/name", "gpu",
        R"(/cluster/workers/1/name: must differ from the other classes' names, got "gpu")"},
       {"/cluster/workers/0/name", "server",
        "/cluster/workers/0/name: must not be 'server', which is the name of the server"},
       {"/cluster/workers/0/name", "",
        "/cluster/workers/0/name: must be letters, digits, '-', '_' or '.', not beginning with "
        "'.', got \"\""},
       {"/cluster/workers/0/name", "a/b",
        "/cluster/workers/0/name: must be letters, digits, '-', '_' or '.', not beginning with "
        "'.', got \"a/b\""}});

  // No class has a worker of another's name, not even where one name begins with the other.
  for (const char* second : {"gpu1", "gpu-1", "gpu-", "gpu-1-0", "gpu-node0", "gpu-0_inside"}) {
    Json json = valid();
    json["cluster"]["workers"][0]["count"] = 500;
    json["cluster"]["workers"][1]["name"] = second;
    json["cluster"]["workers"][1]["count"] = 500;
    const ClusterPlan plan = plan_cluster(load(json).scenario.cluster, 1, 1);
    std::set<std::string> names;
    for (const HostPlan& host : plan.workers) names.insert(host.name);
    CHECK(names.size() == 1000);
  }
}

TEST_CASE("evaluate.every is a time, a number of updates or auto") {
  const std::string must =
      "/evaluate/every: must be a time with its unit (\"3s\"), a whole number of updates of at "
      "least 1, or \"auto\", got ";
  for (const Json& value : std::vector<Json>{0, -1, 2.5, 1e300, "0s", "-3s", nullptr, true,
                                             Json::array(), Json::object()}) {
    check_mistakes(valid(), {{"/evaluate", {{"every", value}}, must + value.dump()}});
  }
  check_mistakes(valid(), {{"/evaluate",
                            {{"every", "3 weeks"}},
                            "/evaluate/every: unknown unit 'weeks' for a time, use one of ns, us, "
                            R"(ms, s, min, h, got "3 weeks")"}});
  const auto every = [](const Json& value) {
    Json json = valid();
    json["evaluate"]["every"] = value;
    return load(json).scenario.evaluate.every;
  };
  CHECK(every("auto").automatic());
  CHECK(every("3s").time_s == 3.0);
  CHECK_FALSE(every("3s").updates);
  CHECK(every(1).updates == 1U);
  CHECK(every(10.0).updates == 10U);
  CHECK_FALSE(every(10.0).time_s);
}

TEST_CASE("Keys that begin with // are comments at every level") {
  Json json = valid();
  for (const char* pointer : {"", "/data", "/model", "/cluster", "/cluster/workers/0",
                              "/cluster/server", "/cluster/link", "/target", "/stop"}) {
    json[Json::json_pointer(std::string(pointer) + "/~1~1 why")] = {{"any", "thing"}};
  }
  CHECK(complaint_about(json.dump()) == "(nothing)");
  CHECK(load(json).full["stop"]["// why"] == Json{{"any", "thing"}});
  std::string repeated = valid().dump();
  repeated.insert(1, R"("//": "a line", "//": "another",)");
  CHECK(complaint_about(repeated) == "(nothing)");
}

TEST_CASE("A key given twice is refused where it stands") {
  const auto with = [](const std::string& before, const std::string& inserted) {
    std::string text = valid().dump();
    const std::size_t at = text.find(before);
    REQUIRE(at != std::string::npos);
    return text.insert(at, inserted);
  };
  CHECK(complaint_about(with(R"("name":"small")", R"("name":"other",)")) ==
        "s.json: /name: is given twice");
  CHECK(complaint_about(with(R"("time":)", R"("time":"5s",)")) ==
        "s.json: /stop/time: is given twice");
  CHECK(complaint_about(with(R"("name":"cpu")", R"("x":[1,{"y":[]},{}],"name":"z",)")) ==
        "s.json: /cluster/workers/1/name: is given twice");
  CHECK(complaint_about_set({R"(/stop={"time":"1s","time":"2s"})"}) ==
        "--set: /stop/time: is given twice");
}

TEST_CASE("Hundreds of thousands of values are made whole, each once, in the order they come") {
  std::vector<Json> values;
  for (int i = 0; i < 600'000; ++i) values.emplace_back(i / 2.0 + 0.25);
  // 0.25, 0.75, 1.25, ...: rounded 0, 1, 1, 2, 2, 3, ...; twice each but for the first and last.
  const std::vector<Json> whole = whole_values(values);
  REQUIRE(whole.size() == 300'001);
  CHECK(whole.front() == 0);
  CHECK(whole[7] == 7);
  CHECK(whole.back() == 300'000);
}

TEST_CASE("An object with too many keys is refused before they take long") {
  const auto with_keys = [](std::size_t count) {
    std::string text = valid().dump();
    std::string keys;
    for (std::size_t i = 0; i < count; ++i) keys += "\"k" + std::to_string(i) + "\":1,";
    const std::string before = R"("time":)";
    return text.insert(text.find(before), keys);
  };
  CHECK(complaint_about(with_keys(200'000)) == "s.json: /stop: has more than 10000 keys");
  CHECK(complaint_about(with_keys(9'000)).starts_with("s.json: /stop/k0: unknown key"));
}

TEST_CASE("What is not JSON is refused with line and column") {
  CHECK(complaint_about("{\n  \"name\": \"x\"\n  \"seed\": 1}") ==
        "s.json: not valid JSON at line 3, column 8: syntax error while parsing object - "
        "unexpected string literal; expected '}'");
  CHECK(complaint_about("") == "s.json: is empty, must be JSON");
  CHECK(complaint_about(" \t\r\n") == "s.json: is empty, must be JSON");
  CHECK(complaint_about("{\"seed\": NaN}") ==
        "s.json: not valid JSON at line 1, column 10: syntax error while parsing value - invalid "
        "literal; last read: '\"seed\": N'");
  CHECK(complaint_about("{\"seed\": 1e999}") ==
        "s.json: at line 1, column 10: the number 1e999 is too large");
  CHECK(complaint_about("{\"a\": \"1e999\",\n \"b\": [1e308, -1e400]}") ==
        "s.json: at line 2, column 15: the number -1e400 is too large");
  for (const char* text : {"{\"seed\": Infinity}", "{\"seed\": -Infinity}", "{\"seed\": 01}",
                           "{'seed': 1}", "{\"seed\": 1,}", "{} {}", "{\"a\": \"\n\"}",
                           "{\"a\": \"\xff\"}", "{\"a\": \"\\ud800\"}"}) {
    const std::string message = complaint_about(text);
    INFO(text);
    CHECK(message.starts_with("s.json: not valid JSON at line "));
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("Lists and objects nested without end are refused at the first too deep") {
  const auto nested = [](std::size_t depth) {
    return "{\"//\":\n" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  CHECK(complaint_about(nested(100)).starts_with("s.json: /: needs \"name\""));
  // The second line begins at depth 2, so that depth 101 is its hundredth character.
  for (const std::size_t depth : {101U, 30'000U, 1'000'000U}) {
    CHECK(complaint_about(nested(depth)) ==
          "s.json: at line 2, column 100: is nested more than 100 lists and objects deep");
  }
  CHECK(complaint_about_set({"/a=" + std::string(200, '[')}) ==
        "--set: /a: is nested more than 100 lists and objects deep");
}

TEST_CASE("A file that is a device or a FIFO is refused, not waited for") {
  const TemporaryFolder folder;
  const std::string fifo = folder.file("fifo.json");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(load_scenario(fifo, {}),
                    fifo + ": is a FIFO (a pipe), not a file: write what comes out of it to one");
  CHECK_THROWS_WITH(load_scenario("/dev/zero", {}), "/dev/zero: is a device, not a file");
}

TEST_CASE("A file that is no object, no file or not there is refused") {
  for (const char* text : {"[]", "5", "null", "\"text\""}) {
    CHECK(complaint_about(text) == "s.json: /: must be an object in braces");
  }
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(load_scenario(folder.path().string(), {}),
                    folder.path().string() + ": is a folder, not a file");
  CHECK_THROWS_WITH(load_scenario(folder.file("none.json"), {}),
                    folder.file("none.json") + ": cannot be read (no such file, or no permission)");
}

TEST_CASE("A long value is shortened in the message, between characters") {
  std::string name;
  for (int i = 0; i < 40; ++i) name += "ö";
  std::string kept;
  for (int i = 0; i < 28; ++i) kept += "ö";
  check_mistakes(
      valid(), {{"/name", name,
                 "/name: must be letters, digits, '-', '_' or '.', not beginning with '.', got "
                 "\"" +
                     kept + "..."},
                {"/network", std::string(80, 'x'),
                 "/network: must be one of fluid or tcp, got \"" + std::string(56, 'x') + "..."}});
}

TEST_CASE("An override takes JSON, or text when it is none") {
  const auto value = [](const std::string& argument) { return parse_override(argument).value; };
  CHECK(parse_override("/stop/time=10s").pointer == "/stop/time");
  CHECK(value("/a=10s") == "10s");
  CHECK(value("/a=\"10s\"") == "10s");
  CHECK(value("/a=10") == 10);
  CHECK(value("/a=true") == true);
  CHECK(value("/a=null") == nullptr);
  CHECK(value("/a=[1,2]") == Json({1, 2}));
  CHECK(value("/a={\"b\":1}") == Json{{"b", 1}});
  CHECK(value("/a=x=y") == "x=y");
  CHECK(value("/a=") == "");
  CHECK(value("/a={broken") == "{broken");
  CHECK(value("/a=nan") == "nan");
}

TEST_CASE("Overrides change the scenario before it is checked, later ones after earlier ones") {
  const LoadedScenario loaded =
      load(valid(), {parse_override("/stop/time=20s"), parse_override("/stop/updates=7"),
                     parse_override("/cluster/workers/1/count=5"), parse_override("/seed=2"),
                     parse_override("/seed=3"), parse_override("/cost={}"),
                     parse_override("/cost/model_size=1MB"),
                     parse_override("/algorithms/-={\"name\":\"async\"}")});
  CHECK(loaded.scenario.stop.time_s == 20.0);
  CHECK(loaded.scenario.stop.updates == 7U);
  CHECK(loaded.scenario.cluster.workers[1].count == 5);
  CHECK(loaded.scenario.seed == 3);
  CHECK(loaded.scenario.cost.model_size_bytes == 1e6);
  REQUIRE(loaded.scenario.algorithms.size() == 2);
  CHECK(loaded.scenario.algorithms[1]["name"] == "async");
  CHECK(loaded.full["seed"] == 3);
  CHECK(complaint_about_set({"/seed=-1"}) ==
        "s.json: /seed: must be a whole number from 0 to 9007199254740991, got -1");
}

TEST_CASE("An override with null removes a key or an element, which must be there") {
  const LoadedScenario loaded =
      load(valid(), {parse_override("/target=null"), parse_override("/cluster/workers/1=null")});
  CHECK_FALSE(loaded.scenario.target);
  CHECK_FALSE(loaded.full.contains("target"));
  REQUIRE(loaded.scenario.cluster.workers.size() == 1);
  CHECK(loaded.scenario.cluster.workers[0].name == "gpu");
  CHECK(complaint_about_set({"/stop/tmie=null"}) ==
        "--set: /stop/tmie: is not in the scenario, so null cannot remove it");
  CHECK(complaint_about_set({"/algorithms/-=null"}) ==
        "--set: /algorithms/-: is not in the scenario, so null cannot remove it");
  CHECK(complaint_about_set({"/name=null"}).starts_with("s.json: /: needs \"name\""));
}

TEST_CASE("An override that is not UTF-8 is refused") {
  CHECK_THROWS_WITH(parse_override("/name=a\xff"
                                   "b"),
                    "--set: must be text in UTF-8, got '/name=a\uFFFDb'");
}

TEST_CASE("Numbers beyond what a run can use are refused where they stand") {
  check_mistakes(
      valid(), {{"/cost",
                 {{"flops_per_sample", "1e308f"}},
                 "/cost/flops_per_sample: must be of a size from 0.001f to 1e+27f, got \"1e308f\""},
                {"/cluster/workers/0/speed", "1e-320f",
                 "/cluster/workers/0/speed: must be of a size from 0.001f to 1e+27f, got "
                 "\"1e-320f\""},
                {"/cluster/link/bandwidth", "1e308Bps",
                 "/cluster/link/bandwidth: must be of a size from 0.001Bps to 1e+18Bps, got "
                 "\"1e308Bps\""},
                {"/data/separation", 1e300,
                 "/data/separation: must be of a size from 1e-37 to 1e38, got 1e+300"},
                {"/data/separation", 1e-300,
                 "/data/separation: must be of a size from 1e-37 to 1e38, got 1e-300"},
                {"/data/features", 1e15,
                 "/data/features: must be a whole number of at most 1000000000, got 1e+15"},
                {"/model",
                 {{"kind", "mlp"}, {"hidden", {10, 1e9}}},
                 "/model/hidden/1: must be a whole number from 1 to 1000000, got 1000000000.0"},
                {"/cluster/noise",
                 {{"law", "lognormal"}, {"sigma", 1e10}},
                 "/cluster/noise/sigma: must be a number from 0 to 10, got 10000000000.0"}});
}

TEST_CASE("An override that points nowhere is refused") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "--set: must be /pointer=JSON, such as /stop/time=\"10s\", got ''"},
      {"/seed", "--set: must be /pointer=JSON, such as /stop/time=\"10s\", got '/seed'"},
      {"seed=1", "--set: must be /pointer=JSON, such as /stop/time=\"10s\", got 'seed=1'"},
      {"=1", "--set: must be /pointer=JSON, such as /stop/time=\"10s\", got '=1'"},
      {"/cost/model_size=1MB",
       "--set: /cost/model_size: there is no /cost in the scenario to set it in"},
      {"/algorithms/3/step_size=1",
       "--set: /algorithms/3/step_size: there is no /algorithms/3 in the scenario to set it in"},
      {"/algorithms/3={}",
       "--set: /algorithms/3: there is no such element: /algorithms has 1 (\"-\" appends one)"},
      {"/algorithms/1={}",
       "--set: /algorithms/1: there is no such element: /algorithms has 1 (\"-\" appends one)"},
      {"/algorithms/sync={}",
       "--set: /algorithms/sync: there is no such element: /algorithms has 1 (\"-\" appends one)"},
      {"/seed/x=1",
       "--set: /seed/x: is not a JSON pointer into the scenario (an example: /stop/time)"},
      {"/a~2=1", "--set: /a~2: is not a JSON pointer into the scenario (an example: /stop/time)"}};
  for (const auto& [argument, message] : cases) {
    INFO(argument);
    // /seed must be there to be pointed below.
    CHECK(complaint_about_set({"/seed=1", argument}) == message);
  }
}

TEST_CASE("The full scenario has every default filled in and keeps what was written") {
  Json expected = valid();
  expected["$schema"] = "";
  expected["seed"] = 1;
  expected["data"]["features"] = 20;
  expected["data"]["classes"] = 10;
  expected["data"]["separation"] = 4.0;
  expected["data"]["order"] = "shuffled";
  expected["data"]["partition"] = {{"kind", "iid"}};
  expected["model"]["weight_decay"] = 0.0;
  expected["cluster"]["workers"][1]["count"] = 1;
  expected["cluster"]["servers"] = Json::array();
  expected["cost"] = {
      {"flops_per_sample", "auto"}, {"model_size", "auto"}, {"flops_per_update", "0f"}};
  expected["network"] = "fluid";
  expected["solver"] = "fast";
  expected["approximate"] = {{"port_flows", "all"}, {"ring", "messages"}};
  expected["stop"]["at_target"] = false;
  expected["stop"]["diverged_above"] = 1000.0;
  expected["evaluate"] = {{"every", "auto"}};
  expected["defaults"] = Json::object();
  expected["replicas"] = 1;
  expected["sweep"] = Json::object();
  // Compared without the order of keys, which is that of writing.
  const Json full = load(valid()).full;
  CHECK(nlohmann::json(full) == nlohmann::json(expected));
  // What a run stores must be a scenario again, and mean the same.
  CHECK(load(full).full == full);

  const Json model = load(quadratic()).full["model"];
  CHECK(nlohmann::json(model) == nlohmann::json{{"kind", "quadratic"},
                                                {"dimension", 100},
                                                {"smoothness", 1.0},
                                                {"strong_convexity", 0.01},
                                                {"noise", 1.0},
                                                {"samples", 10000},
                                                {"order", "shuffled"}});
}

TEST_CASE("A scenario arrives in SI units with its defaults") {
  Json json = valid();
  json["cost"] = {{"flops_per_sample", "2Gf"}};
  json["cluster"]["workers"][1] = {{"name", "cpu"}, {"samples_per_s", 50}};
  json["network"] = "tcp";
  LoadedScenario loaded = load(json);
  const LearningSpec learning = read_learning(loaded);
  CHECK(!learning.data->train);
  CHECK(learning.data->partition.kind == PartitionSpec::Kind::iid);
  CHECK(learning.order() == SampleOrder::shuffled);
  const Scenario& s = loaded.scenario;
  CHECK(s.seed == 1);
  CHECK(s.cluster.link->bandwidth.up_Bps == 1.25e9);
  CHECK(s.cluster.link->latency_s == 50 * 1e-6);
  CHECK(s.cluster.workers[0].speed_flops == 1e12);
  CHECK(!s.cluster.workers[1].speed_flops);
  CHECK(s.cluster.workers[1].samples_per_s->full_samples_per_s() == 50.0);
  CHECK(s.cost.flops_per_sample == 2e9);
  CHECK(!s.cost.model_size_bytes);
  CHECK(s.network == Scenario::Network::tcp);
  CHECK(s.target->accuracy == 0.9);
  CHECK(!s.target->loss);
  CHECK(s.stop.time_s == 10.0);
  CHECK(!s.stop.updates);
  CHECK(s.stop.diverged_above == 1000.0);
}

TEST_CASE("A plan names the workers of each class in order and gives each its speed and link") {
  Json json = valid();
  json["cluster"]["workers"][1] = {{"name", "cpu"},
                                   {"samples_per_s", 50},
                                   {"link", {{"bandwidth", "1GBps"}, {"latency", "1ms"}}}};
  const ClusterPlan plan = plan_cluster(load(json).scenario.cluster, 2e9, 1);
  REQUIRE(plan.workers.size() == 3);
  const std::vector<std::string> names = {"gpu-0", "gpu-1", "cpu-0"};
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(plan.workers[i].name == names[i]);
  CHECK(plan.workers[1].class_name == "gpu");
  CHECK(plan.workers[1].speed_flops == 1e12);
  CHECK(plan.workers[1].link.bandwidth.up_Bps == 1.25e9);
  CHECK(plan.workers[2].class_name == "cpu");
  CHECK(plan.workers[2].speed_flops == 50 * 2e9);
  CHECK(plan.workers[2].link.bandwidth.down_Bps == 1e9);
  CHECK(plan.workers[2].link.latency_s == 1e-3);
  REQUIRE(plan.servers.size() == 1);
  CHECK(plan.servers[0].name == "server");
  CHECK(plan.platform_file.empty());
}

TEST_CASE("Digits in names are compared as numbers") {
  const std::vector<std::string> in_order = {"",
                                             "a",
                                             "a1",
                                             "a2",
                                             "a2b1",
                                             "a2b10",
                                             "a10",
                                             "a10b2",
                                             "a10b11",
                                             "a99999999999999999999",
                                             "a100000000000000000000",
                                             "b0",
                                             "b00",
                                             "b01"};
  // Equal numbers: fewer zeros is no rule, but the order must be one.
  for (std::size_t i = 0; i + 1 < in_order.size(); ++i) {
    INFO(in_order[i] << " before " << in_order[i + 1]);
    CHECK(natural_less(in_order[i], in_order[i + 1]));
    CHECK_FALSE(natural_less(in_order[i + 1], in_order[i]));
    CHECK_FALSE(natural_less(in_order[i], in_order[i]));
  }
  CHECK(natural_less("a01", "a1") != natural_less("a1", "a01"));
  CHECK(natural_less("h09", "h10"));
  CHECK(natural_less("h9", "h010"));
}

TEST_CASE("The candidate most like a word is suggested, and none that is far") {
  const std::vector<std::string> words = {"sync", "async", "stale", "local", "allreduce"};
  const std::vector<std::pair<std::string, std::string>> cases = {{"asinc", "async"},
                                                                  {"snc", "sync"},
                                                                  {"Sync", "sync"},
                                                                  {"snyc", "sync"},
                                                                  {"asycn", "async"},
                                                                  {"loc", "local"},
                                                                  {"all", "allreduce"},
                                                                  {"stale2", "stale"},
                                                                  {"alreduse", "allreduce"},
                                                                  {"", ""},
                                                                  {"x", ""},
                                                                  {"gossip", ""},
                                                                  {"zz", ""}};
  for (const auto& [word, nearest] : cases) {
    INFO(word);
    CHECK(did_you_mean(word, words) ==
          (nearest.empty() ? "" : " (did you mean '" + nearest + "'?)"));
  }
  CHECK(did_you_mean("async", {}).empty());
}

}  // namespace
}  // namespace motley
