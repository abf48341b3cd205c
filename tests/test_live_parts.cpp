// Parts of live runs that need no MPI.

#include <bit>

#include "sim/base/random.hpp"
#include "sim/learning/rules/compression.hpp"
#include "sim/live/log_file.hpp"
#include "sim/live/measured_links.hpp"
#include "sim/live/packet.hpp"
#include "sim/live/replay.hpp"
#include "sim/live/silence.hpp"
#include "tests/simulated.hpp"
#include "tests/small_scenario.hpp"

namespace motley {

TEST_CASE(
    "a rank is silent when nothing was heard of it for half a minute in which this one looked") {
  Silence silence(3, 0);
  for (double now = 0.25; now < 29; now += 0.25) {
    silence.heard_of(0, now);
    silence.heard_of(1, now);
    CHECK_FALSE(silence.look(now, 3));
  }
  // This one is stopped for a minute and a half: rank 2 has been silent for 28.75 s, as before.
  silence.heard_of(0, 119);
  CHECK_FALSE(silence.look(119, 3));
  silence.heard_of(0, 120);
  CHECK_FALSE(silence.look(120, 3));
  silence.heard_of(0, 121);
  CHECK(silence.look(121, 3) == 2U);  // 28.75 s + 2 s
  CHECK_FALSE(silence.look(121, 2));  // of the first two none
}

TEST_CASE("a rank whose long message is still coming is not silent") {
  Silence silence(2, 0);
  for (double now = 1; now <= 60; ++now) {
    silence.heard_of(0, now);
    silence.heard_pieces(1, now <= 45 ? static_cast<std::uint64_t>(now / 20) : 2, now);
    CHECK_FALSE(silence.look(now, 2));  // pieces came at 20 and 40 s
  }
  silence.heard_of(0, 70);
  for (double now = 61; now < 70; ++now) CHECK_FALSE(silence.look(now, 2));
  CHECK(silence.look(70, 2) == 1U);
}

TEST_CASE("of a file of notes that ends anywhere what is whole is read") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "rank-0.log";
  std::vector<std::size_t> ends;  // of the file, by parts
  {
    LogFile notes(file);
    RunLog log;
    for (int part = 0; part < 3; ++part) {
      LogEntry entry;
      entry.kind = LogEntry::Kind::update;
      entry.time_s = part;
      Parameters model = Parameters::zeros(2);
      model.writable()[1] = static_cast<float>(part);
      if (part != 1) entry.model = log.keep(model);
      log.entries.push_back(entry);
      notes.keep_up(log, part);
      notes.keep(log);  // nothing new; and it is there
      ends.push_back(fs::file_size(file));
    }
  }
  const std::string whole = read_file(file);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    folder.write("cut.log", whole.substr(0, size));
    const RunLog log = LogFile::read(folder.path() / "cut.log");
    const auto parts = static_cast<std::size_t>(
        std::ranges::count_if(ends, [&](std::size_t end) { return end <= size; }));
    REQUIRE(log.entries.size() == parts);
    if (parts > 0) CHECK(log.entries.back().time_s == static_cast<double>(parts - 1));
    if (parts == 3) {
      REQUIRE(log.models.size() == 2);
      CHECK(log.models[*log.entries[2].model].values()[1] == 2);
    }
  }
  CHECK(LogFile::read(folder.path() / "absent.log").entries.empty());
}

TEST_CASE("the links of a live run are those of the scenario: of hosts, nodes, racks and sites") {
  Json scenario = timing_scenario();
  const Json link = {{"bandwidth", "1GBps"}, {"latency", "1us"}};
  const auto names_of_links = [](const std::vector<LinkResult>& links) {
    std::vector<std::string> names;
    for (const LinkResult& each : links) {
      names.push_back(each.name + " of " + each.group + " " + std::to_string(each.bandwidth_Bps));
    }
    return names;
  };
  const auto is_as_simulated = [&] {
    Experiment experiment = experiment_of(scenario);
    CHECK(names_of_links(MeasuredLinks(experiment.cluster()).results(1)) ==
          names_of_links(simulate(scenario).links));
    return experiment;
  };
  Json& workers = scenario["cluster"]["workers"];
  workers = Json::parse(R"([{"name": "alone", "count": 2, "speed": "1Gf"}])");
  is_as_simulated();

  workers.push_back(
      {{"name", "w"}, {"count", 4}, {"per_node", 2}, {"speed", "1Gf"}, {"inside", link}});
  const Experiment nodes = is_as_simulated();
  MeasuredLinks links(nodes.cluster());
  using Names = std::vector<std::string>;
  CHECK(links.names(0, 1) == Names{"alone-0_up", "alone-1_down"});
  CHECK(links.names(2, 3) == Names{"w-0_inside_up", "w-1_inside_down"});
  CHECK(links.names(2, 4) == Names{"w-node0_up", "w-node1_down"});
  CHECK(links.names(6, 5) == Names{"server_up", "w-node1_down"});
  // Two messages out of a node, from 1 s to 3 s and from 2 s to 4 s: its card is busy for 3 s of 8.
  links.departs(2, 4, 1);
  links.departs(3, 6, 2);
  links.arrives(2, 4, 3, 100);
  links.arrives(3, 6, 4, 10);
  for (const LinkResult& each : links.results(8)) {
    if (each.name == "w-node0_up") {
      CHECK(each.bytes == 110);
      CHECK(each.busy_s == 3);
    }
    if (each.name == "w-0_inside_up") CHECK(each.bytes == 0);
  }

  workers = Json::parse(R"([{"name": "w", "count": 4, "speed": "1Gf"}])");
  scenario["cluster"]["fabric"] = Json::parse(R"({
    "kind": "racks", "uplink": {"bandwidth": "1GBps", "latency": "1us"},
    "racks": [{"hosts": {"w": 2, "server": 1}}, {"hosts": {"w": 2}}]})");
  const Experiment racks = is_as_simulated();
  CHECK(MeasuredLinks(racks.cluster()).names(0, 3) ==
        Names{"w-0_up", "rack-0_uplink_up", "rack-1_uplink_down", "w-3_down"});

  scenario["cluster"]["fabric"] = Json::parse(R"({
    "kind": "sites", "link": {"bandwidth": "1GBps", "latency": "1us"},
    "sites": [{"name": "here", "hosts": {"w": 2, "server": 1}}, {"name": "there", "hosts": {"w": 2}}]})");
  const Experiment sites = is_as_simulated();
  CHECK(MeasuredLinks(sites.cluster()).names(3, 0) == Names{"w-3_up", "there->here", "w-0_down"});
}

TEST_CASE(
    "a compressed gradient travels in the bytes of its encoding and arrives with the same bits") {
  constexpr std::size_t n = 5003;
  CompressSpec spec;
  spec.share = 0.01;
  const auto travels = [&](double levels) {
    RandomStream random(1, "rounding", 0);
    Message message;
    message.vector = Parameters(n);
    for (float& entry : message.vector.overwritable()) {
      entry = static_cast<float>(random()) / 4e9F - 0.5F;
    }
    message.encoding = Compressor(spec).compress(message.vector, random);
    ByteWriter bytes;
    put_message(bytes, message);
    const double most =
        message.encoding.share(n) * n * sizeof(float) + levels * sizeof(float) + 100;
    CHECK(static_cast<double>(bytes.size()) <= most);
    ByteReader reader(bytes.bytes());
    Message arrived;
    take_message(reader, arrived);
    REQUIRE(arrived.vector.size() == n);
    CHECK(arrived.encoding.share(n) == message.encoding.share(n));
    for (std::size_t i = 0; i < n; ++i) {
      REQUIRE(std::bit_cast<std::uint32_t>(arrived.vector.values()[i]) ==
              std::bit_cast<std::uint32_t>(message.vector.values()[i]));
    }
  };
  travels(0);
  spec.kind = CompressSpec::Kind::top_k;
  travels(0);
  spec.kind = CompressSpec::Kind::sign;
  travels(2);
  spec.kind = CompressSpec::Kind::quantize;
  for (spec.bits = 2; spec.bits <= 8; ++spec.bits) {
    CAPTURE(spec.bits);
    travels(std::exp2(static_cast<double>(spec.bits)));
  }
  spec.bits = 16;  // nearly as many levels as entries: the list would not pay
  spec.error_feedback = false;
  travels(n);
}

TEST_CASE("the last model of a rank that was killed is not made up from an earlier one") {
  Json scenario = learning_scenario();
  scenario["algorithms"] = Json::array({{{"name", "async"}}});
  const Experiment experiment = experiment_of(scenario);
  const SimulationSetup setup = experiment.setup(1, {}, "async-0", {});
  const std::unique_ptr<Algorithm> algorithm = experiment.algorithm_of(experiment.runs()[0]);
  std::vector<RunLog> logs(experiment.cluster().workers.size() + 1);
  RunLog& server = logs.back();
  for (const double time_s : {1.0, 2.0, 3.0}) {
    LogEntry update;
    update.kind = LogEntry::Kind::update;
    update.time_s = update.begin_s = time_s;
    if (time_s == 2) update.model = server.keep(Parameters::zeros(setup.problem.dimension()));
    server.entries.push_back(update);
  }
  const auto last_of = [&](const Ending& ending) {
    const RunResult result = replay(setup, *algorithm, logs, ending, 4);
    CHECK(result.updates == 3);
    return result.curve.back().updates;
  };
  CHECK(last_of({Ending::How::failed, "the job was killed"}) == 2);
  server.entries.back().model = server.keep(Parameters::zeros(setup.problem.dimension()));
  CHECK(last_of({Ending::How::failed, "a worker was killed"}) == 3);
}

}  // namespace motley
