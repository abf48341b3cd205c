// Speeds and bandwidths that change during a run come with the profiles of a platform file.
#include <filesystem>
#include <fstream>

#include "sim/base/json.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"
#include "tests/simulated.hpp"

namespace motley {
namespace {

/// Two workers of 1 Gf/s, of which b has half of it from 17.5 s on. Messages take no time.
std::filesystem::path slowing_platform() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("motley_slowing_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "slowing.speed") << "17.5 0.5\n";
  std::ofstream(folder / "slowing.xml")
      << R"(<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="zone" routing="Full">
  <host id="a" speed="1Gf"><prop id="role" value="worker"/></host>
  <host id="b" speed="1Gf" speed_file="slowing.speed"><prop id="role" value="worker"/></host>
  <link id="wire" bandwidth="1000000GBps" latency="0s"/>
  <route src="a" dst="b"><link_ctn id="wire"/></route>
</zone></platform>)";
  return folder;
}

std::vector<double> update_times(const RunResult& result) {
  std::vector<double> times;
  for (std::size_t i = 1; i < result.curve.size(); ++i) times.push_back(result.curve[i].time_s);
  return times;
}

TEST_CASE("allocation that has settled adjusts again when a worker slows down") {
  const std::filesystem::path folder = slowing_platform();
  Json scenario = timing_scenario();
  scenario["cluster"] = {{"platform", (folder / "slowing.xml").string()}};
  scenario["cost"]["model_size"] = "1B";
  scenario["defaults"]["batch_size"] = 6;
  scenario["stop"]["updates"] = 6;
  // In the third step b computes 5.5 samples at full speed and half a one at half speed: 6.5 s
  // against 6, too little to act on. The fourth takes it 12 s against 6: from now on 8 and 4.
  Json algorithm = {{"name", "allocation"}, {"period", 1}, {"restart_above", 1.5}};
  scenario["algorithms"] = Json::array({algorithm});
  const RunResult adjusted = simulate(scenario);
  algorithm["restart_above"] = 3;
  scenario["algorithms"] = Json::array({algorithm});
  const RunResult left = simulate(scenario);
  std::filesystem::remove_all(folder);

  const auto check = [](const std::vector<double>& times, const std::vector<double>& expected) {
    REQUIRE(times.size() == expected.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      CHECK(times[i] == Approx(expected[i]).margin(1e-9).epsilon(0));
    }
  };
  check(update_times(adjusted), {6, 12, 18.5, 30.5, 38.5, 46.5});
  check(update_times(left), {6, 12, 18.5, 30.5, 42.5, 54.5});
  REQUIRE(adjusted.decisions.size() == 4);  // two at the start
  CHECK(adjusted.decisions[2].value + adjusted.decisions[3].value == 12);
  CHECK(std::max(adjusted.decisions[2].value, adjusted.decisions[3].value) == 8);
  CHECK(left.decisions.size() == 2);
}

/// A worker and the server on one wire of 4 MB/s, and what its bandwidth becomes when.
RunResult on_changing_wire(const std::string& profile) {
  const tests::TemporaryFolder folder;
  folder.write("wire.bandwidth", profile);
  Json scenario = timing_scenario();
  scenario["cluster"] = {{"platform", folder.write("changing.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="zone" routing="Full">
  <host id="a" speed="1Gf"><prop id="role" value="worker"/></host>
  <host id="b" speed="1Gf"><prop id="role" value="server"/></host>
  <link id="wire" bandwidth="4MBps" latency="0s" bandwidth_file="wire.bandwidth"/>
  <route src="a" dst="b"><link_ctn id="wire"/></route>
</zone></platform>)")}};
  scenario["stop"]["updates"] = 2;
  return simulate(scenario);
}

TEST_CASE("a flow takes what its link gives when the bandwidth falls or rises on the way") {
  const RunResult result = on_changing_wire("1.5 8e6\n4.5 2e6\n");
  // The model, 8 MB: 6 MB by 1.5 s at 4 MB/s, the other 2 MB by 1.75 s at 8 MB/s. The gradient is
  // there at 2.75 s and takes 1 s: first update at 3.75 s. The next model has 6 MB by 4.5 s and its
  // last 2 MB by 5.5 s at 2 MB/s; gradient at 6.5 s, on the server 4 s later.
  REQUIRE(update_times(result).size() == 2);
  CHECK(update_times(result)[0] == Approx(3.75).margin(1e-9).epsilon(0));
  CHECK(update_times(result)[1] == Approx(10.5).margin(1e-9).epsilon(0));
}

TEST_CASE("of two changes of a bandwidth at the same moment the last one counts") {
  const RunResult result = on_changing_wire("1.5 1e6\n1.5 8e6\n");
  // As above up to the first update at 3.75 s; the next model takes 1 s, its gradient 1 s to
  // compute and 1 s on the way.
  REQUIRE(update_times(result).size() == 2);
  CHECK(update_times(result)[0] == Approx(3.75).margin(1e-9).epsilon(0));
  CHECK(update_times(result)[1] == Approx(6.75).margin(1e-9).epsilon(0));
  // 4 MB/s for 1.5 s of 6.75, then 8.
  CHECK(result.links.at(0).bandwidth_Bps == Approx((1.5 * 4e6 + 5.25 * 8e6) / 6.75));
}

}  // namespace
}  // namespace motley
