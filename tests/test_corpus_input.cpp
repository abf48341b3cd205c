// Thousands of scenarios, command lines, data and platform files with damage in them, made from a
// fixed seed: whatever is refused is refused by one clear line that names the place, and nothing
// crashes. MOTLEY_CORPUS=20 makes twenty times as many; ./motley test --sanitize runs it under the
// sanitizers.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sys/stat.h>
#include <zlib.h>

#include "sim/base/json.hpp"
#include "sim/learning/data/catalog.hpp"
#include "sim/learning/data/dataset.hpp"
#include "sim/study/study.hpp"
#include "tests/mutations.hpp"
#include "tests/small_scenario.hpp"

namespace motley {
namespace {

using tests::Mutations;

std::size_t times_as_many() {
  const char* wanted = std::getenv("MOTLEY_CORPUS");
  return wanted == nullptr ? 1 : static_cast<std::size_t>(std::max(1, std::atoi(wanted)));
}

/// Runs are timed again on changed clusters, twenty thousand gradients each: hours under the sanitizer.
#ifdef __SANITIZE_ADDRESS__
constexpr bool leaves_out_whatif = true;
#else
constexpr bool leaves_out_whatif = false;
#endif

/// Words of exceptions that nobody has put into words of our own.
void check_in_our_words(const std::string& text) {
  for (const char* raw : {"json.exception", "std::", "what()", "terminate", "bad_alloc",
                          "vector::", "basic_string", "stoi", "stoul", "stod", "filesystem error",
                          "Sanitizer", "runtime error", "Assertion", "xbt_", "boost"}) {
    INFO(raw);
    CHECK_FALSE(contains(text, raw));
  }
}

std::vector<Json> healthy_scenarios() {
  const Json base = Json::parse(small);
  Json rich = base;
  rich["seed"] = 3;
  rich["data"]["separation"] = 3.0;
  rich["model"] = {{"kind", "mlp"}, {"hidden", {6, 4}}, {"weight_decay", 0.01}};
  rich["cluster"]["workers"][0]["spread"] = {{"law", "ratio"}, {"ratio", 4}, {"slow_share", 0.5}};
  rich["cluster"]["noise"] = {{"law", "lognormal"}, {"sigma", 0.2}};
  rich["cost"] = {{"flops_per_sample", "1Mf"}, {"model_size", "1MB"}, {"flops_per_update", "1kf"}};
  rich["evaluate"] = {{"every", 5}};
  rich["replicas"] = 2;
  rich["sweep"] = {
      {"/defaults/step_size", {{"from", 0.01}, {"to", 1}, {"steps", 3}, {"scale", "log"}}}};
  rich["algorithms"] = Json::array();
  for (const AlgorithmInfo& info : algorithm_catalog()) {
    if (info.name == "daso") continue;  // needs nodes of several workers
    Json entry = {{"name", info.name}};
    for (const FieldInfo& field : info.parameters) {
      if (field.fallback) entry[field.name] = *field.fallback;
    }
    if (info.name == "simuparallel") entry["local_steps"] = 4;
    if (info.name == "backup") entry["wait_for"] = 2;
    if (info.name == "ringmaster") entry["delay_bound"] = 3;
    rich["algorithms"].push_back(entry);
  }
  Json uneven = base;
  uneven["data"]["partition"] = {{"kind", "dirichlet"}, {"alpha", 0.5}};
  uneven["algorithms"][1]["schedule"] = {{"kind", "cosine"}, {"epochs", 3}, {"floor", 0.1}};
  Json quadratic = base;
  quadratic.erase("data");
  quadratic["model"] = {{"kind", "quadratic"}, {"dimension", 10}, {"noise", 0.5}, {"samples", 100}};
  quadratic["target"] = {{"loss", 0.1}};
  Json timed = base;
  timed.erase("data");
  timed.erase("target");
  timed["model"] = {{"kind", "none"}, {"samples", 100}};
  timed["cost"] = {{"flops_per_sample", "1Mf"}, {"model_size", "1MB"}};
  timed["approximate"] = {{"port_flows", 2}, {"ring", "fluid"}};
  timed["stop"] = {{"time", "1s"}, {"samples", 500}, {"epochs", 2}};
  return {base, rich, uneven, quadratic, timed};
}

/// Why a scenario is refused; nothing when it is accepted. Anything but an InputError is a failure.
std::optional<std::string> refusal(const std::string& file) {
  try {
    const Study study(file, {});
    return std::nullopt;
  } catch (const InputError& e) {
    return e.what();
  }
}

TEST_CASE("every damaged scenario is accepted or refused with the file and the place") {
  const Workplace folder;
  Mutations mutations(1);
  const std::vector<Json> healthy = healthy_scenarios();
  for (const Json& scenario : healthy) {
    INFO(scenario.dump());
    CHECK(refusal(folder.write("s.json", scenario.dump())).value_or("") == "");
  }
  std::vector<std::string> accepted;
  for (std::size_t i = 0; i < 1500 * times_as_many(); ++i) {
    Json scenario = mutations.one_of(healthy);
    for (std::size_t n = 1 + mutations.below(2); n > 0; --n) scenario = mutations.json(scenario);
    std::string text = scenario.dump();
    if (mutations.below(4) == 0) text = mutations.text(text);
    INFO(text.substr(0, 4000));
    const std::string file = folder.write("s.json", text);
    std::optional<std::string> why;
    REQUIRE_NOTHROW(why = refusal(file));
    if (!why) {
      accepted.push_back(text);
      continue;
    }
    CHECK(why->starts_with(file + ": "));
    CHECK(why->size() < 2000);
    check_in_our_words(*why);
  }
  // What is accepted can be run, to its end or to a reason.
  CHECK(accepted.size() > 100);
  for (std::size_t i = 0; i < 25 * times_as_many(); ++i) {
    const std::string text = mutations.one_of(accepted);
    folder.write("s.json", text);
    INFO(text.substr(0, 4000));
    std::vector<std::string> arguments = {
        "run",    "s.json",     "--quiet",   "--out", "out",   "--fresh",
        "--jobs", "1",          "--threads", "1",     "--set", R"(/stop={"updates":3})",
        "--set",  "/replicas=1"};
    if (leaves_out_whatif) arguments.emplace_back("--no-whatif");
    const Outcome outcome = folder.motley(arguments);
    INFO(outcome.err);
    CHECK((outcome.exit_code == 0 || outcome.exit_code == 1 || outcome.exit_code == 2));
    if (outcome.exit_code == 2) CHECK(lines_of(outcome.err).size() == 1);
    check_in_our_words(outcome.err);
    if (folder.has("out/runs.csv")) check_in_our_words(folder.result("runs.csv"));
    fs::remove_all(folder.path() / "out");
  }
}

TEST_CASE("every odd command line ends with its answer or one line that says why not") {
  const Workplace folder;
  Mutations mutations(2);
  const std::vector<std::string> commands = {"run",        "validate", "plan",    "merge", "slurm",
                                             "algorithms", "schema",   "explain", "new",   "report",
                                             "--help",     "rnu",      ""};
  const std::vector<std::string> words = {"s.json",
                                          "--out",
                                          "--out=",
                                          "out",
                                          "odd\xff",
                                          "--set",
                                          "/seed=2",
                                          "/seed=null",
                                          "/x\xff=1",
                                          "/=1",
                                          "/stop/updates=1e400",
                                          "/algorithms/0=null",
                                          "/replicas=-1",
                                          "=",
                                          "--jobs",
                                          "0",
                                          "-1",
                                          "1",
                                          "99999999999999999999",
                                          "--threads=x",
                                          "--shard",
                                          "1/2",
                                          "3/2",
                                          "0/0",
                                          "1/",
                                          "--trace",
                                          "5s:1s",
                                          "0s:1s",
                                          "--fresh",
                                          "--quiet",
                                          "-q",
                                          "--",
                                          "-",
                                          "--no-such",
                                          "none.json",
                                          "/dev/null",
                                          "fifo",
                                          "a\nb",
                                          "\x01",
                                          "",
                                          std::string(5000, 'z'),
                                          std::string(300, 'z') + "/x",
                                          "a/" + std::string(5000, 'z') + "/b",
                                          "--help",
                                          "sync",
                                          "--baseline",
                                          "..",
                                          "/"};
  REQUIRE(mkfifo(folder.file("fifo").c_str(), 0600) == 0);
  for (std::size_t i = 0; i < 150 * times_as_many(); ++i) {
    std::vector<std::string> arguments = {mutations.one_of(commands)};
    if (leaves_out_whatif && arguments[0] == "run") arguments.emplace_back("--no-whatif");
    if (mutations.below(3) > 0) arguments.push_back("s.json");
    for (std::size_t n = mutations.below(5); n > 0; --n)
      arguments.push_back(mutations.one_of(words));
    std::string shown;
    for (const std::string& argument : arguments) shown += "'" + argument.substr(0, 60) + "' ";
    INFO(shown);
    const Outcome outcome = folder.motley(arguments);
    INFO(outcome.err);
    CHECK((outcome.exit_code == 0 || outcome.exit_code == 1 || outcome.exit_code == 2));
    if (outcome.exit_code == 2) {
      CHECK(lines_of(outcome.err).size() == 1);
      CHECK(outcome.err.starts_with("motley: "));
    }
    check_in_our_words(outcome.err + outcome.out);
    if (outcome.exit_code == 2 && arguments[0] == "run") {
      CHECK_FALSE(folder.has("out"));
      CHECK_FALSE(folder.has("results"));
    }
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      if (entry.path().filename() != "s.json" && entry.path().filename() != "fifo") {
        fs::remove_all(entry.path());
      }
    }
  }
}

std::string gzipped(const TemporaryFolder& folder, const std::string& bytes) {
  gzFile gz = gzopen(folder.file("packed").c_str(), "wb");
  gzwrite(gz, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(gz);
  return read_file(folder.file("packed"));
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xFFU);
  return bytes;
}

/// Loads the data; a refusal must name the file, or the folder it does not fit into.
void check_loads_or_names(Json section, const TemporaryFolder& folder, const std::string& file) {
  const Place place{folder.file("s.json"), "/data"};
  try {
    const Dataset data = read_by_kind(data_catalog(), section, place)->load(1, place);
    CHECK(data.train.size() > 0);
    for (const std::uint16_t label : data.train.labels) REQUIRE(label < data.classes);
  } catch (const InputError& e) {
    const std::string why = e.what();
    CHECK(why.starts_with(place.file + ": /data"));
    CHECK(contains(why, file));
    CHECK(why.size() < 1000);
    check_in_our_words(why);
  }
}

TEST_CASE("every damaged CSV file is read or refused by its name") {
  const TemporaryFolder folder;
  Mutations mutations(3);
  std::string healthy = "x,\"the, kind\",y\n";
  for (int i = 0; i < 12; ++i) {
    healthy += std::to_string(i * 0.5) + ",\"" + (i % 3 == 0 ? "a" : "b") + "\"," +
               std::to_string(-i) + "\r\n";
  }
  const Json section = {{"kind", "csv"}, {"path", "d.csv"}, {"label", "the, kind"}};
  for (std::size_t i = 0; i < 2000 * times_as_many(); ++i) {
    std::string text = healthy;
    for (std::size_t n = mutations.below(4); n > 0; --n) text = mutations.text(text);
    INFO(text);
    folder.write("d.csv", text);
    check_loads_or_names(section, folder, "d.csv");
  }
}

TEST_CASE("every damaged IDX file, plain or gzipped, is read or refused by its name") {
  const TemporaryFolder folder;
  Mutations mutations(4);
  std::string images = big_endian(0x803) + big_endian(9) + big_endian(2) + big_endian(3);
  std::string labels = big_endian(0x801) + big_endian(9);
  for (int i = 0; i < 9; ++i) {
    images += std::string(6, static_cast<char>(20 * i));
    labels += static_cast<char>(i % 3);
  }
  const std::vector<std::pair<std::string, std::string>> files = {
      {"train-images-idx3-ubyte", images},
      {"train-labels-idx1-ubyte", labels},
      {"t10k-images-idx3-ubyte", images},
      {"t10k-labels-idx1-ubyte", labels}};
  const Json section = {{"kind", "idx"}, {"path", folder.path().string()}};
  for (std::size_t i = 0; i < 1000 * times_as_many(); ++i) {
    for (const auto& [name, bytes] : files) {
      fs::remove(folder.file(name + ".gz"));
      folder.write(name, bytes);
    }
    const auto& [name, bytes] = mutations.one_of(files);
    const bool packed = mutations.below(2) == 0;
    std::string hurt = packed ? gzipped(folder, bytes) : bytes;
    for (std::size_t n = mutations.below(3); n > 0; --n) hurt = mutations.text(hurt);
    if (packed) fs::remove(folder.file(name));
    folder.write(packed ? name + ".gz" : name, hurt);
    INFO(i << " " << name);
    check_loads_or_names(section, folder, folder.path().string());
  }
}

TEST_CASE("damaged platform files are refused by one line that names them, or can be simulated") {
  const Workplace place;
  const std::string healthy = read_file(MOTLEY_SOURCE_DIR "/platforms/mixed_star.xml");
  Mutations mutations(5);
  for (std::size_t i = 0; i < 60 * times_as_many(); ++i) {
    place.write("p.xml", mutations.text(healthy));
    const Outcome outcome =
        place.motley({"validate", "s.json", "--set", R"(/cluster={"platform":"p.xml"})"});
    CAPTURE(i, outcome.err);
    REQUIRE((outcome.exit_code == 0 || outcome.exit_code == 2));
    for (const char* raw : {"json.exception", "terminate", "what()", "Sanitizer"}) {
      CHECK_FALSE(contains(outcome.err, raw));
    }
    if (outcome.exit_code == 0) continue;
    CHECK(outcome.err.starts_with("motley: s.json: /"));
    CHECK(lines_of(outcome.err).size() == 1);
  }
}

}  // namespace
}  // namespace motley
